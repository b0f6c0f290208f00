package http

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

const okEvent = "data: " + result + "\n\n"

// M-HTTP-04, M-HTTP-25, L-HTTP-02, B035, B043, B045, B046, B047, B048, B049,
// B050, B051: events are used as they come, and the response ends the call
// though the stream stays open.
func TestExchangeTakesTheResponseFromAStream(t *testing.T) {
	progress := func(n int) string {
		return fmt.Sprintf(`data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":%d}}`+"\n\n", n)
	}
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		want    []string // what the receiver got, in order
	}{
		"the response alone":                  {stream(false, okEvent), nil},
		"a response by a named event":         {stream(false, "event: message\n"+okEvent), nil},
		"a last event without its blank line": {stream(false, "data: "+result+"\n"), nil},
		"a last line without its end":         {stream(false, "data: "+result), nil},
		"a priming event comes first":         {stream(false, "id: 1\nretry: 500\ndata:\n\n", okEvent), nil},
		"comments keep it alive":              {stream(false, ": ping\n\n", ":\n", ": ping\n", okEvent), nil},
		"events of other types are not ours":  {stream(false, "event: endpoint\ndata: /sse\n\n", "event: ping\ndata: {}\n\n", okEvent), nil},
		"the response ends the exchange":      {stream(true, okEvent), nil},
		"so it does with CRLF":                {stream(true, "data: "+result+"\r\n\r\n"), nil},
		"and with CR":                         {stream(true, "data: "+result+"\r\r"), nil},
		"comments may follow it":              {stream(true, okEvent, ": ping\n\n"), nil},
		"messages come in order":              {stream(true, progress(1)+progress(2), progress(3), okEvent), []string{`{"progress":1}`, `{"progress":2}`, `{"progress":3}`}},
		"what follows the response is dropped": {
			stream(false, progress(1), okEvent+progress(2)), []string{`{"progress":1}`},
		},
		"a server's request is delivered": {
			stream(true, "data: {\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\",\"params\":{}}\n\n", okEvent), []string{"{}"},
		},
		"an event of 200 KB in one line": {
			stream(true, `data: {"jsonrpc":"2.0","method":"m","params":["`+strings.Repeat("x", 200<<10)+"\"]}\n\n", okEvent),
			[]string{`["` + strings.Repeat("x", 200<<10) + `"]`},
		},
		"an event of 5 MB in small pieces, then another": {
			stream(true, pieces(`data: {"jsonrpc":"2.0","method":"m","params":["`+strings.Repeat("x", 5<<20)+"\"]}\n\n", okEvent)...),
			[]string{`["` + strings.Repeat("x", 5<<20) + `"]`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			req := toolCall()
			var got []string
			r := receiverFunc(func(m *protocol.Message, on *transport.Request) {
				got = append(got, string(m.Params))
				if on != req {
					t.Errorf("Receive on %v, want the request", on)
				}
			})
			tr := openTo(t, r, serve(t, tc.handler).URL)
			o, err := exchange(t.Context(), tr, req)
			if err != nil {
				t.Fatalf("Exchange: %v", err)
			}
			if diff := cmp.Diff(`{"ok":true}`, string(o.Message.Result)); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("received (-want +got):\n%.2000s", diff)
			}
		})
	}
}

// pieces cuts parts into pieces of 16 KB.
func pieces(parts ...string) (all []string) {
	for _, part := range parts {
		for len(part) > 16<<10 {
			all, part = append(all, part[:16<<10]), part[16<<10:]
		}
		all = append(all, part)
	}
	return all
}

// B043, B047: lines end by LF, CRLF or CR, wherever the network cuts them.
func TestAResponseSplitAtAnyByteIsWhole(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		text := "event: message" + end + "data: " + result + end + end
		at := make(chan int, 1)
		tr := open(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
			i := <-at
			stream(true, text[:i], text[i:])(w, r)
		}).URL)
		for i := range text {
			at <- i
			if _, err := exchange(t.Context(), tr, toolCall()); err != nil {
				t.Fatalf("%q split at %d: %v", end, i, err)
			}
		}
	}
}

// B036, B037, B038, B045: an error response ends the call as a result does,
// and so does a stream that can't bring one any more.
func TestAStreamWithoutTheResponseFailsAtOnce(t *testing.T) {
	const progress = `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}` + "\n\n"
	is := func(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }
	unusable := func(err error) bool { return errors.As(err, new(*transport.MessageError)) }
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		match   func(error) bool
		text    string
	}{
		"it ends after a notification":        {stream(false, progress), is(transport.ErrStreamEnded), "the stream ended without a response"},
		"it ends before anything came":        {stream(false), is(transport.ErrStreamEnded), "the stream ended without a response"},
		"it ends within the response":         {stream(false, okEvent[:20]), is(transport.ErrStreamEnded), "the stream ended without a response"},
		"it ends within a line of it":         {stream(false, "data: {\"jsonrpc\":\"2.0\",\ndata"), is(transport.ErrStreamEnded), "the stream ended without a response"},
		"an event is not JSON":                {stream(true, progress, "data: hello\n\n"), unusable, `it said "hello"`},
		"an event is JSON but no message":     {stream(true, "data: {\"foo\":1}\n\n"), unusable, `{\"foo\":1}`},
		"an event is a batch":                 {stream(true, "data: ["+result+"]\n\n"), unusable, "only protocol version 2025-03-26"},
		"a member's name has capitals":        {stream(true, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"Result\":{}}\n\n"), unusable, "no method, result or error"},
		"an unusable event precedes the rest": {stream(false, "data: hello\n\n"+okEvent), unusable, `it said "hello"`},
		"the response is to another request":  {stream(true, "data: {\"jsonrpc\":\"2.0\",\"id\":\"other\",\"result\":{}}\n\n"), unusable, `other`},
		"an error response ends it": {
			stream(true, "data: "+failure+"\n\n"), is(protocol.ErrInvalidParams), `server error -32602: "limit must be > 0"`,
		},
		"an error without an id ends it": {
			stream(true, `data: {"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"bad"}}`+"\n\n"), is(protocol.ErrInvalidParams), "bad",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := open(t, serve(t, tc.handler).URL)
			_, err := exchange(t.Context(), tr, toolCall())
			if err == nil || !tc.match(err) || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("error %v, want one that says %s", err, tc.text)
			}
		})
	}
}

// B041, M-HTTP-26.
func TestErrorsOfA4xxKeepAllTheyCarry(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"as JSON": answer(400, "application/json", failure),
		"as an event": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(400)
			_, _ = io.WriteString(w, "data: "+failure+"\n\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := open(t, serve(t, handler).URL)
			_, err := exchange(t.Context(), tr, toolCall())
			want := &transport.ServerError{
				Origin: tr.Target().String(), Method: "tools/call", Status: 400,
				Err: &protocol.Error{Code: -32602, Message: "limit must be > 0", Data: []byte(`{"field":"limit"}`)},
			}
			if diff := cmp.Diff(error(want), err); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// B014, B057, M-HTTP-26: what is no MCP is quoted, with its status and type.
func TestWhatIsNotMCPSaysSo(t *testing.T) {
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"a web page": {
			answer(200, "text/html", "<html>welcome"),
			`{origin} answered tools/call with HTTP 200 and type "text/html", saying "<html>welcome"; that is no MCP response`,
		},
		"a guard in front": {
			answer(403, "text/plain", "host not allowed"),
			`{origin} refused tools/call with HTTP 403: the server said "host not allowed"`,
		},
		"a page that says it is down": {
			answer(500, "text/html", "<html>sorry"),
			`{origin} is unavailable: tools/call got HTTP 500: the server said "<html>sorry"`,
		},
		"accepted, as if it were a notification": {
			answer(202, "", ""),
			`{origin} answered tools/call with HTTP 202; that is no MCP response`,
		},
		"no such page": {
			answer(404, "text/plain", "no such page"),
			`{origin} answered tools/call with HTTP 404 and type "text/plain", saying "no such page"; that is no MCP response`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := open(t, serve(t, tc.handler).URL)
			_, err := exchange(t.Context(), tr, toolCall())
			want := strings.ReplaceAll(tc.want, "{origin}", tr.Target().String())
			if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAStreamGoesOnAfterTheCallersContextEnded(t *testing.T) {
	// The call has returned; a context that ends with it, as they do, must not
	// cost the connection.
	s := serve(t, stream(false, okEvent, ": bye\n\n"))
	tr := open(t, s.URL)
	for range 20 {
		ctx, expire := expiring(t.Context())
		o := tr.Exchange(ctx, toolCall())
		expire()
		if o.Failure != negotiation.NoFailure {
			t.Fatalf("%v: %v", o.Failure, o.Err)
		}
	}
}
