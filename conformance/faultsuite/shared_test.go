package faultsuite_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpera/mcpera/client"
	kinds "github.com/mcpera/mcpera/conformance/internal/kind"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/internal/memhttp"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// HTTP+SSE of 2024-11-05 has answers in two places, the POST and the stream that
// all requests share, which no script of package fault has. So its faults have a
// table of their own.

// A shared is a server of HTTP+SSE that behaves well but for a fault in the answer
// to one method.
type shared struct {
	at    string
	fault sharedFault

	mu     sync.Mutex
	stream chan string // what the stream says next
	heard  []string
}

// A sharedFault is what a server does about a POST in place of the right thing. What
// is said goes to the stream, which ends after "" and breaks after cut.
type sharedFault struct {
	post  http.HandlerFunc // nil for 202
	say   []string         // ${id} stands for the request's id, ${answer} for the right answer
	first bool             // say comes before the POST is answered
	means []kind
}

const cut = "\x00cut"

func (s *shared) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m, _ := protocol.Decode(body)
	switch {
	case r.Method == http.MethodGet:
		s.serveStream(w, r)
	case r.URL.Path != "/messages" || m == nil:
		w.WriteHeader(http.StatusMethodNotAllowed)
	default:
		s.serveMessage(w, r, m)
	}
}

func (s *shared) serveStream(w http.ResponseWriter, r *http.Request) {
	stream := make(chan string, 100)
	s.mu.Lock()
	s.stream = stream
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	write := func(text string) {
		_, _ = io.WriteString(w, text)
		_ = http.NewResponseController(w).Flush()
	}
	write("event: endpoint\ndata: /messages?s=1\n\n")
	for {
		select {
		case text := <-stream:
			rest, breaks := strings.CutSuffix(text, cut)
			write(rest)
			switch {
			case breaks:
				panic(http.ErrAbortHandler)
			case text == "":
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

func (s *shared) serveMessage(w http.ResponseWriter, r *http.Request, m *protocol.Message) {
	s.mu.Lock()
	s.heard = append(s.heard, m.Method)
	stream := s.stream
	strikes := m.Method == s.at
	s.mu.Unlock()
	answer := ""
	if result, ok := map[string]string{
		"initialize": `{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`,
		"tools/list": `{"tools":[]}`, "tools/call": `{"content":[]}`,
	}[m.Method]; ok {
		answer = fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", m.ID, result)
	}
	fault := sharedFault{say: []string{answer}}
	if strikes {
		fault = s.fault
	}
	fill := strings.NewReplacer("${id}", m.ID.String(), "${answer}", answer)
	say := func() {
		for _, text := range fault.say {
			if text != "" || strikes {
				stream <- fill.Replace(text)
			}
		}
	}
	if fault.first {
		say()
	}
	if fault.post != nil {
		fault.post(w, r)
	} else {
		w.WriteHeader(http.StatusAccepted)
	}
	if !fault.first {
		say()
	}
}

func (s *shared) count(method string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, heard := range s.heard {
		if heard == method {
			n++
		}
	}
	return n
}

func postAborts(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func postHangs(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func postGets(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", status) }
}

func sharedMessage(text string) []string { return []string{"data: " + text + "\n\n"} }

// sharedFaults are the main ones of the suite, in either place.
var sharedFaults = map[string]sharedFault{
	"none": {say: []string{"${answer}"}, means: []kind{ok}},

	"the POST is reset":                    {post: postAborts, means: []kind{unavailable}},
	"the POST hangs":                       {post: postHangs, means: []kind{timeout}},
	"the POST gets 401":                    {post: postGets(401), means: []kind{auth}},
	"the POST gets 403":                    {post: postGets(403), means: []kind{auth}},
	"the POST gets 400":                    {post: postGets(400), means: []kind{status}},
	"the POST gets 404":                    {post: postGets(404), means: []kind{status}},
	"the POST gets 429":                    {post: postGets(429), means: []kind{unavailable}},
	"the POST gets 503":                    {post: postGets(503), means: []kind{unavailable}},
	"the POST gets 202 and no more":        {means: []kind{timeout}},
	"the answer is quicker than the 202":   {say: []string{"${answer}"}, first: true, means: []kind{ok}},
	"the answer comes though the POST 500": {say: []string{"${answer}"}, first: true, post: postGets(500), means: []kind{ok, unavailable}},
	"the answer comes though the POST hangs": {say: []string{"${answer}"}, first: true, post: func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}, means: []kind{ok, timeout}},

	"the stream ends":             {say: []string{""}, means: []kind{closed}},
	"the stream is reset":         {say: []string{cut}, means: []kind{closed}},
	"the stream is cut in a word": {say: []string{`data: {"jsonrpc":"2.0","id":${id},"resu` + cut}, means: []kind{closed}},
	"the stream ends in a word":   {say: []string{`data: {"jsonrpc":"2.0","id":${id},"resu`, ""}, means: []kind{message, closed}},
	"and then the stream ends":    {say: []string{"${answer}", ""}, means: []kind{ok, closed}}, // initialized follows
	"two answers":                 {say: []string{"${answer}", "${answer}"}, means: []kind{ok}},
	"comments":                    {say: []string{": ping\n\n", "${answer}"}, means: []kind{ok}},
	"noise":                       {say: []string{"data: nonsense\n\n", "event: x\ndata: y\n\n", "event: endpoint\ndata: http://other.example/\n\n", "${answer}"}, means: []kind{ok}},
	"a foreign answer":            {say: sharedMessage(`{"jsonrpc":"2.0","id":99,"result":{}}`), means: []kind{timeout}},
	"an error with id null":       {say: sharedMessage(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`), means: []kind{timeout}},
	"half of it, as if whole":     {say: sharedMessage(`{"jsonrpc":"2.0","id":${id},"resu`), means: []kind{timeout, message}},
	"a name in the wrong case":    {say: sharedMessage(`{"jsonrpc":"2.0","id":${id},"Result":{}}`), means: []kind{message}},
	"a batch":                     {say: sharedMessage(`[{"jsonrpc":"2.0","id":${id},"result":{}}]`), means: []kind{message}},
	"a result that is null":       {say: sharedMessage(`{"jsonrpc":"2.0","id":${id},"result":null}`), means: []kind{message}},
	"an internal error":           {say: sharedMessage(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32603,"message":"no"}}`), means: []kind{server}},
	"an event above the limit":    {say: sharedMessage(`{"a":"` + strings.Repeat("x", maxMessage) + `"}`), means: []kind{limited}},
}

func TestFaultsOverHTTPAndSSE(t *testing.T) {
	for name, f := range sharedFaults {
		for _, at := range []string{"initialize", "tools/call"} {
			t.Run(at+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { f.run(t, at) })
			})
		}
	}
}

func (f sharedFault) run(t *testing.T, at string) {
	s := &shared{at: at, fault: f}
	through := memhttp.Serve(t, s)
	const endpoint = "http://old.example.com/sse"
	u, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	key, eras := erecache.KeyOf(u), erecache.New(time.Now)
	tr, err := mcphttp.New(endpoint, mcphttp.WithClient(&http.Client{Transport: through}), mcphttp.WithMaxMessage(maxMessage))
	if err != nil {
		t.Fatal(err)
	}
	c, met := client.Connect(t.Context(), tr, client.WithEraCache(eras), client.WithResponseCache(nil), client.WithCallTimeout(patient))
	opened := met == nil
	if opened {
		_, met = c.CallTool(t.Context(), "echo", nil)
		if _, next := c.ListTools(t.Context()); next != nil && !errors.Is(next, client.ErrClosed) {
			t.Errorf("the next call: %v", next)
		}
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if got := kinds.Of(met); !slices.Contains(f.means, got) {
		t.Errorf("%s, want one of %q: %v", got, f.means, met)
	}
	if n := s.count("tools/call"); n > 1 {
		t.Errorf("the tool was called %d times", n)
	}
	entry, remembered, err := eras.Verdict(t.Context(), key)
	if remembered != opened || remembered && entry.Era != negotiation.EraLegacy || err != nil {
		t.Errorf("remembered: %v of %v, %v", remembered, entry.Era, err)
	}
}
