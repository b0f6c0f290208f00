package negotiation_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

// FuzzClassifyProbe holds the promise that a refusal is not an era: whatever
// comes with a 401, 403, 408, 429 or 5xx, if it is no JSON-RPC answer to the
// probe, and whatever comes before a failure over HTTP, it never leads to
// initialize, nor to the modern era.
func FuzzClassifyProbe(f *testing.F) {
	for _, c := range allClaims() {
		f.Add(uint8(c.on), uint8(c.o.Failure), c.o.Status, c.o.ContentType, c.o.Body, !c.o.RequestID.IsZero(),
			uint8(c.opts.Rule), strings.Join(c.opts.Versions, ","), int64(c.o.RetryAfter))
	}
	for _, stream := range streams(rpcError("1", -32601)) {
		f.Add(uint8(http), uint8(0), 503, "text/event-stream", []byte(stream), true, uint8(0), "", int64(0))
	}
	f.Add(uint8(http), uint8(0), 500, "application/json", []byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"r\xffsult\":{}}"), true, uint8(1), "", int64(-1))
	f.Add(uint8(7), uint8(99), -1, ";;=", []byte("[[[["), false, uint8(9), ",,", int64(1))

	f.Fuzz(func(t *testing.T, on, failure uint8, status int, contentType string, body []byte, hasID bool, rule uint8, versions string, after int64) {
		o := negotiation.Outcome{
			Failure:     negotiation.Failure(failure),
			Status:      status,
			ContentType: contentType,
			Body:        body,
			RetryAfter:  time.Duration(after),
		}
		if hasID {
			o.RequestID = probeID
		}
		opts := negotiation.Options{Rule: negotiation.Rule(rule)}
		if versions != "" {
			opts.Versions = strings.Split(versions, ",")
		}

		outcomes := []negotiation.Outcome{o}
		if m, err := protocol.Decode(body); err == nil {
			decoded := o
			decoded.Message = m
			outcomes = append(outcomes, decoded)
		}
		for _, o := range outcomes {
			v, row := negotiation.Explain(negotiation.Transport(on), o, opts)
			checkVerdict(t, negotiation.Transport(on), o, opts.Rule, v)
			if !slices.Contains(negotiation.Rows(), row) {
				t.Errorf("row %d is not in the table", row)
			}
			_ = negotiation.Evidence(o).String()
		}
	})
}

func checkVerdict(t *testing.T, on negotiation.Transport, o negotiation.Outcome, rule negotiation.Rule, v negotiation.Verdict) {
	t.Helper()
	if v == nil {
		t.Fatal("no verdict")
	}
	if v.String() == "" {
		t.Error("a verdict without a text")
	}
	var decided bool // as an era, in any way
	switch v := v.(type) {
	case negotiation.Legacy, negotiation.ModernRetry:
		decided = true
	case negotiation.Modern:
		decided = true
		if v.Discover == nil || !slices.Contains(v.Discover.SupportedVersions, v.Version) {
			t.Errorf("modern at %q, which the server does not list", v.Version)
		}
	case negotiation.Reconnect:
		decided = true
		if on == negotiation.HTTP {
			t.Error("HTTP has no process to start again")
		}
	case *negotiation.Error:
		if v.Error() == "" {
			t.Error("an error without a text")
		}
		_ = v.Unwrap()
	}
	if on != negotiation.HTTP || !decided {
		return
	}
	if o.Failure != negotiation.NoFailure {
		t.Errorf("a failure over HTTP became %v", v)
	}
	// The narrow rule has one exception by its own definition: 501 says that the
	// server does not implement what it was asked.
	if rule == negotiation.RuleNarrow && o.Status == 501 {
		return
	}
	if refuses(o.Status) && !answersProbe(o) {
		t.Errorf("%d without an answer became %v; body %q", o.Status, v, o.Body)
	}
}

func refuses(status int) bool {
	return slices.Contains([]int{401, 403, 408, 429}, status) || 500 <= status && status < 600
}

var (
	lineEnd   = regexp.MustCompile(`\r\n|\r|\n`)
	blankLine = regexp.MustCompile(`\n\n+`)
	dataField = regexp.MustCompile(`(?m)^data:? ?(.*)$`)
)

// answersProbe finds an answer by other means than the package does: the
// standard library's decoder, which lets more through, and regular expressions.
func answersProbe(o negotiation.Outcome) bool {
	if o.Message != nil {
		return o.Message.Result != nil || o.Message.Error != nil
	}
	text := strings.TrimPrefix(string(o.Body), "\uFEFF")
	candidates := []string{text}
	for _, event := range blankLine.Split(lineEnd.ReplaceAllString(text, "\n"), -1) {
		var lines []string
		for _, field := range dataField.FindAllStringSubmatch(event, -1) {
			lines = append(lines, field[1])
		}
		candidates = append(candidates, strings.Join(lines, "\n"))
	}
	return slices.ContainsFunc(candidates, func(candidate string) bool {
		return isAnswer(candidate, o.RequestID.IsZero())
	})
}

func isAnswer(text string, toAnyone bool) bool {
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.UseNumber()
	var members map[string]any
	if dec.Decode(&members) != nil || members["jsonrpc"] != "2.0" {
		return false
	}
	_, hasResult := members["result"]
	if !hasResult && members["error"] == nil {
		return false
	}
	if toAnyone {
		return true
	}
	switch id := members["id"].(type) {
	case nil:
		return members["error"] != nil
	case string:
		n, err := strconv.Atoi(id)
		return err == nil && n == 1
	case json.Number:
		n, err := id.Float64()
		return err == nil && n == 1
	default:
		return false
	}
}
