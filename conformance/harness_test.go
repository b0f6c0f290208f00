package conformance

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// endpoint is a running server and a client that sends what it is told.
type endpoint struct {
	t       *testing.T
	srv     *Server
	http    *httptest.Server
	bearer  string
	session string
}

// serve runs a server on a real socket until the test ends.
func serve(t *testing.T, opts ...Option) *endpoint {
	t.Helper()
	srv := New(opts...)
	ts := httptest.NewServer(srv)
	t.Cleanup(func() {
		srv.Close()
		ts.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return &endpoint{t: t, srv: srv, http: ts}
}

// answer is an HTTP response and the JSON-RPC message in it.
type answer struct {
	Status int
	Header http.Header
	Body   string
	Msg    *protocol.Message // nil when the body is none
}

func (a answer) code() int64 {
	if a.Msg == nil || a.Msg.Error == nil {
		return 0
	}
	return a.Msg.Error.Code
}

// result returns a member of the result.
func (a answer) result(t *testing.T, name string) jsontext.Value {
	t.Helper()
	if a.Msg == nil || a.Msg.Error != nil {
		t.Fatalf("no result: status %d, body %s", a.Status, a.Body)
	}
	return mustObject(a.Msg.Result).get(name)
}

// headers are pairs of name and value; an empty value deletes a default.
func (e *endpoint) do(method, body string, headers ...string) *http.Response {
	e.t.Helper()
	req, err := http.NewRequestWithContext(e.t.Context(), method, e.http.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		e.t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	if e.bearer != "" {
		req.Header.Set("Authorization", "Bearer "+e.bearer)
	}
	if e.session != "" {
		req.Header.Set(headerSession, e.session)
	}
	set := map[string]bool{}
	for i := 0; i < len(headers); i += 2 {
		name := http.CanonicalHeaderKey(headers[i])
		switch {
		case headers[i+1] == "":
			req.Header.Del(name)
		case set[name]:
			req.Header.Add(name, headers[i+1])
		default:
			req.Header.Set(name, headers[i+1])
		}
		set[name] = true
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		e.t.Fatal(err)
	}
	return resp
}

// post sends one message and reads the whole answer.
func (e *endpoint) post(body string, headers ...string) answer {
	e.t.Helper()
	return e.read(e.do(http.MethodPost, body, headers...))
}

func (e *endpoint) read(resp *http.Response) answer {
	e.t.Helper()
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		e.t.Fatal(err)
	}
	a := answer{Status: resp.StatusCode, Header: resp.Header, Body: string(data)}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		a.Msg, _ = protocol.Decode(data)
	}
	return a
}

const emptyCaps = `{}`

// modernBody is a modern request with the given params members ("" for none)
// and capabilities.
func modernBody(method, members, caps string, meta ...string) string {
	if members != "" {
		members += ","
	}
	extra := ""
	for _, m := range meta {
		extra += "," + m
	}
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + members +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + caps + extra + `}}}`
}

// modernHeaders are the headers that go with it.
func modernHeaders(method, name string, more ...string) []string {
	h := []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method}
	if name != "" {
		h = append(h, "Mcp-Name", name)
	}
	return append(h, more...)
}

// modern sends a modern request with matching headers.
func (e *endpoint) modern(method, name, members string, meta ...string) answer {
	e.t.Helper()
	return e.post(modernBody(method, members, emptyCaps, meta...), modernHeaders(method, name)...)
}

// call sends a modern tools/call.
func (e *endpoint) call(tool, arguments string, meta ...string) answer {
	e.t.Helper()
	return e.modern("tools/call", tool, `"name":"`+tool+`","arguments":`+arguments, meta...)
}

const initializeBody = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{"sampling":{},"elicitation":{},"roots":{}},"clientInfo":{"name":"test","version":"0"}}}`

// open starts a legacy session, which later requests name.
func (e *endpoint) open() answer {
	e.t.Helper()
	a := e.post(initializeBody)
	if a.Status != http.StatusOK || a.code() != 0 {
		e.t.Fatalf("initialize: status %d, body %s", a.Status, a.Body)
	}
	e.session = a.Header.Get(headerSession)
	return a
}

func legacyBody(method, params string) string {
	return `{"jsonrpc":"2.0","id":2,"method":"` + method + `","params":` + params + `}`
}

// event is one server-sent event, or a comment when Data is "".
type event struct {
	ID, Data string
	Comment  bool
}

// events reads a stream event by event. The caller closes the response.
type events struct {
	t    *testing.T
	resp *http.Response
	in   *bufio.Reader
}

func openEvents(t *testing.T, resp *http.Response) *events {
	t.Helper()
	t.Cleanup(func() { resp.Body.Close() })
	if got := resp.Header.Get("Content-Type"); got != eventStreamType {
		data, _ := io.ReadAll(resp.Body)
		t.Fatalf("not an event stream: status %d, %s: %s", resp.StatusCode, got, data)
	}
	return &events{t, resp, bufio.NewReader(resp.Body)}
}

// next returns the next event or comment, and false at the end of the stream.
func (es *events) next() (event, bool) {
	es.t.Helper()
	var ev event
	for {
		line, err := es.in.ReadString('\n')
		if err != nil {
			return ev, false
		}
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "":
			return ev, true
		case line == ":":
			return event{Comment: true}, true
		case strings.HasPrefix(line, "id: "):
			ev.ID = line[len("id: "):]
		case strings.HasPrefix(line, "data: "):
			ev.Data = line[len("data: "):]
		}
	}
}

// message returns the next event that holds a message.
func (es *events) message() *protocol.Message {
	es.t.Helper()
	for {
		ev, ok := es.next()
		if !ok {
			es.t.Fatal("the stream ended before the message")
		}
		if ev.Data == "" {
			continue
		}
		m, err := protocol.Decode([]byte(ev.Data))
		if err != nil {
			es.t.Fatalf("event %q: %v", ev.Data, err)
		}
		return m
	}
}

func decode[T any](t *testing.T, v jsontext.Value) T {
	t.Helper()
	var out T
	if err := json.Unmarshal(v, &out); err != nil {
		t.Fatalf("%s: %v", v, err)
	}
	return out
}
