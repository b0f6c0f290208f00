package client_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

var update = flag.Bool("update", false, "write the exchanges into docs/eras.md")

// An exchange leads to a row of the table. Its server takes either opening, so
// that a wrong one would work, and show.
type exchange struct {
	row    negotiation.Row
	kind   negotiation.Transport
	says   string // the answer, for people
	answer []fault.Answer
	opts   []client.Option
	cancel bool // the caller gives up when the probe is there
}

var narrow = []client.Option{client.WithRule(negotiation.RuleNarrow)}

// exchanges are one for each row, in the order of the table.
var exchanges = []exchange{
	{row: negotiation.RowDiscover, kind: negotiation.HTTP, says: "`supportedVersions: [2026-07-28]`",
		answer: []fault.Answer{{fault.Discover("2026-07-28")}}},
	{row: negotiation.RowInvalidDiscover, kind: negotiation.HTTP, says: "`resultType: complete`, no versions",
		answer: []fault.Answer{{fault.Result(`{"resultType":"complete"}`)}}},
	{row: negotiation.RowNoMutualVersion, kind: negotiation.HTTP, says: "`supportedVersions: [2031-01-01]`",
		answer: []fault.Answer{{fault.Discover("2031-01-01")}}},
	{row: negotiation.RowOtherResult, kind: negotiation.HTTP, says: "`result: {}`",
		answer: []fault.Answer{{fault.Result(`{}`)}}},
	{row: negotiation.RowUnsupportedMutual, kind: negotiation.HTTP, says: "-32022, `supported: [2026-07-28]`; then a DiscoverResult",
		answer: []fault.Answer{{fault.Unsupported("2026-07-28")}, {fault.Discover("2026-07-28")}}},
	{row: negotiation.RowUnsupported, kind: negotiation.HTTP, says: "-32022, `supported: [2031-01-01]`",
		answer: []fault.Answer{{fault.Unsupported("2031-01-01")}}},
	{row: negotiation.RowModernError, kind: negotiation.HTTP, says: "400, -32020",
		answer: []fault.Answer{{fault.Status(400), fault.Error(protocol.CodeHeaderMismatch, "Mcp-Method")}}},
	{row: negotiation.RowForeignModernError, kind: negotiation.HTTP, says: "400, -32020 with the id 99",
		answer: []fault.Answer{{fault.Status(400), fault.Message(`{"jsonrpc":"2.0","id":99,"error":{"code":-32020,"message":"no"}}`)}}},
	{row: negotiation.RowStdioError, kind: negotiation.Stdio, says: "-32602",
		answer: []fault.Answer{{fault.Error(protocol.CodeInvalidParams, "no")}}},
	{row: negotiation.RowStdioTimeout, kind: negotiation.Stdio, says: "nothing",
		answer: []fault.Answer{{fault.Silence()}}, opts: []client.Option{client.WithProbeTimeout(time.Millisecond)}},
	{row: negotiation.RowStdioClosed, kind: negotiation.Stdio, says: "exit status 1",
		answer: []fault.Answer{{fault.Exit(1)}}},
	{row: negotiation.RowAuthorize, kind: negotiation.HTTP, says: "401, `WWW-Authenticate: Bearer`",
		answer: []fault.Answer{{fault.Status(401), fault.Header("WWW-Authenticate", "Bearer")}}},
	{row: negotiation.RowUnavailable, kind: negotiation.HTTP, says: "503",
		answer: []fault.Answer{{fault.Status(503)}}},
	{row: negotiation.RowUnreached, kind: negotiation.HTTP, says: "a connection reset",
		answer: []fault.Answer{{fault.Reset()}}},
	{row: negotiation.RowNotModern, kind: negotiation.HTTP, says: "404, a page",
		answer: []fault.Answer{{fault.Status(404), fault.Raw("not found")}}},
	{row: negotiation.RowMethodNotFound, kind: negotiation.HTTP, says: "200, -32601",
		answer: []fault.Answer{{fault.Error(protocol.CodeMethodNotFound, "no such method")}}},
	{row: negotiation.RowOther, kind: negotiation.HTTP, says: "406, a page",
		answer: []fault.Answer{{fault.Status(406), fault.Raw("not acceptable")}}},
	{row: negotiation.RowCanceled, kind: negotiation.HTTP, says: "nothing, and the caller gives up",
		answer: []fault.Answer{{fault.Silence()}}, cancel: true},
	{row: negotiation.RowNarrowDemote, kind: negotiation.HTTP, says: "405",
		answer: []fault.Answer{{fault.Status(405)}}, opts: narrow},
	{row: negotiation.RowNarrowRefused, kind: negotiation.HTTP, says: "400, a page",
		answer: []fault.Answer{{fault.Status(400), fault.Raw("bad request")}}, opts: narrow},
}

// run connects, and returns the exchange as a row of the page.
func (e exchange) run(t *testing.T) string {
	t.Helper()
	script := fault.Dual().With(fault.Script{protocol.MethodDiscover: e.answer})
	var server *scripted
	if e.kind == negotiation.Stdio {
		server = overStdio(t, script)
	} else {
		server = overHTTP(t, script)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if e.cancel {
		go func() {
			_, _ = server.Await(ctx, protocol.MethodDiscover, 1)
			cancel()
		}()
	}
	var decided string
	c, err := client.Connect(ctx, server.transport(t), server.options(append(e.opts, client.WithTrace(func(ev client.Event) {
		if ev.Kind == client.Decided && decided == "" {
			decided = ev.Row
		}
	})))...)
	became := becameOf(err)
	if err == nil {
		became = fmt.Sprintf("%v, `%s`", c.Era(), c.ProtocolVersion())
		if c.Era() == negotiation.EraLegacy {
			server.await(t, protocol.MethodInitialized, 1)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if decided != e.row.String() && !e.cancel {
		t.Errorf("%v: the row is %q", e.row, decided)
	}
	return fmt.Sprintf("| %v | %v | %s | %s | %s |\n", e.row, e.kind, e.says, sentTo(server), became)
}

// becameOf names the type of an error of Connect.
func becameOf(err error) string {
	var refused *negotiation.Error
	switch {
	case errors.As(err, new(*transport.AuthError)):
		return "`*transport.AuthError`"
	case errors.As(err, new(*transport.UnavailableError)):
		return "`*transport.UnavailableError`"
	case errors.As(err, &refused):
		return fmt.Sprintf("`*negotiation.Error`, %v", refused.Reason)
	case errors.Is(err, context.Canceled):
		return "`context.Canceled`"
	default:
		return fmt.Sprintf("%T", err)
	}
}

// sentTo lists what the client sent, a repetition as a count.
func sentTo(s *scripted) string {
	var sent []string
	for _, method := range s.Methods() {
		if name := "`" + method + "`"; len(sent) > 0 && strings.HasPrefix(sent[len(sent)-1], name) {
			sent[len(sent)-1] = fmt.Sprintf("%s %d times", name, s.Count(method))
		} else {
			sent = append(sent, name)
		}
	}
	return strings.Join(sent, ", ")
}

// docs/eras.md shows for each row an exchange that leads to it, as it was seen.
func TestThePageOfErasShowsTheExchangeOfEachRow(t *testing.T) {
	const page, start, end = "../docs/eras.md", "<!-- exchanges:start -->\n", "<!-- exchanges:end -->"
	var rows strings.Builder
	rows.WriteString("| row | over | the server answers | the client sends | `Connect` |\n|---|---|---|---|---|\n")
	shown := make(map[negotiation.Row]bool)
	for _, e := range exchanges {
		rows.WriteString(e.run(t))
		shown[e.row] = true
	}
	for _, row := range negotiation.Rows() {
		if !shown[row] {
			t.Errorf("no exchange leads to %q", row)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), start)
	old, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("the page has lost its markers")
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+start+rows.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(rows.String(), old); diff != "" {
		t.Errorf("%s is out of date; go test ./client -run %s -update (-want +got):\n%s", page, t.Name(), diff)
	}
}
