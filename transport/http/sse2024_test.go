package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A sharedServer speaks HTTP+SSE: GET /gw/sse is the stream, which begins with
// first, and messages are posted to /gw/messages.
type sharedServer struct {
	*server
	first string
	say   chan string                                  // written to the stream; closing it ends the stream
	post  func(w http.ResponseWriter, r *http.Request) // answers a POST of a message
	gone  chan struct{}                                // closed when the client has left the stream
	once  sync.Once
}

const endpointEvent = "event: endpoint\ndata: /gw/messages?session_id=SECRET\n\n"

func serveShared(t *testing.T, first string) *sharedServer {
	t.Helper()
	s := &sharedServer{first: first, say: make(chan string), gone: make(chan struct{})}
	s.post = func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "Accepted")
	}
	s.server = serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet && r.URL.Path == "/gw/sse":
			s.stream(w, r)
		case r.Method == http.MethodPost && r.URL.Path == "/gw/messages":
			s.post(w, r)
		default:
			http.Error(w, "no such thing", http.StatusMethodNotAllowed)
		}
	})
	return s
}

func (s *sharedServer) stream(w http.ResponseWriter, r *http.Request) {
	defer s.once.Do(func() { close(s.gone) })
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	_, _ = io.WriteString(w, s.first)
	flush(w)
	for {
		select {
		case text, ok := <-s.say:
			if !ok {
				return
			}
			_, _ = io.WriteString(w, text)
			flush(w)
		case <-r.Context().Done():
			return
		}
	}
}

// message is an event that holds a message.
func message(text string) string { return "event: message\ndata: " + text + "\n\n" }

// legacyCall is a legacy request that must not be sent twice.
func legacyCall(id int64) *transport.Request {
	return &transport.Request{
		ID: protocol.NumberID(id), Method: "tools/call", Era: negotiation.EraLegacy, Version: "2024-11-05",
		Body: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add"}}`, id),
	}
}

// share opens a transport and changes it to HTTP+SSE.
func (s *sharedServer) share(t *testing.T, r transport.Receiver, opts ...Option) *Transport {
	t.Helper()
	tr := openTo(t, r, s.URL+"/gw/sse", opts...)
	if err := tr.Share(t.Context()); err != nil {
		t.Fatalf("Share: %v", err)
	}
	return tr
}

var nobody = receiverFunc(func(*protocol.Message, *transport.Request) {})

// B137, B138, B139: the endpoint is resolved as any URL is; messages never go
// elsewhere.
func TestMessagesURL(t *testing.T) {
	const stream = "https://h.example.com/gw/sse?key=k"
	const refused = "" // in want
	for name, tc := range map[string]struct {
		stream, reference, override, want string
	}{
		"an absolute path":                   {stream, "/messages?s=1", "", "https://h.example.com/messages?s=1"},
		"an absolute path with the prefix":   {stream, "/gw/messages?s=1", "", "https://h.example.com/gw/messages?s=1"},
		"a relative path":                    {stream, "messages?s=1", "", "https://h.example.com/gw/messages?s=1"},
		"one that goes up":                   {stream, "../m/?s=1", "", "https://h.example.com/m/?s=1"},
		"only a query":                       {stream, "?s=1", "", "https://h.example.com/gw/sse?s=1"},
		"an absolute URL":                    {stream, "https://h.example.com/m?s=1", "", "https://h.example.com/m?s=1"},
		"without a scheme":                   {stream, "//h.example.com/m", "", "https://h.example.com/m"},
		"the default port":                   {stream, "https://h.example.com:443/m", "", "https://h.example.com:443/m"},
		"the default port in the stream":     {"http://h:80/sse", "http://H/m", "", "http://H/m"},
		"capitals":                           {stream, "HTTPS://H.Example.COM/m", "", "https://H.Example.COM/m"},
		"IPv6":                               {"http://[::1]:80/sse", "http://[::1]/m", "", "http://[::1]/m"},
		"blanks around it":                   {stream, "  /m\t", "", "https://h.example.com/m"},
		"a fragment":                         {stream, "/m#x", "", "https://h.example.com/m"},
		"encoded":                            {stream, "/m%2Fx?s=a%20b", "", "https://h.example.com/m%2Fx?s=a%20b"},
		"nothing":                            {stream, "", "", refused},
		"another host":                       {stream, "https://evil.example.com/m", "", refused},
		"another host without a scheme":      {stream, "//evil.example.com/m", "", refused},
		"another scheme":                     {stream, "http://h.example.com/m", "", refused},
		"another port":                       {stream, "https://h.example.com:8443/m", "", refused},
		"another IPv6 host":                  {"http://[::1]/sse", "http://[::2]/m", "", refused},
		"the host with a dot":                {stream, "https://h.example.com./m", "", refused},
		"the host as userinfo":               {stream, "https://h.example.com@evil.example.com/m", "", refused},
		"userinfo":                           {stream, "https://u:p@h.example.com/m", "", refused},
		"a scheme that is none":              {stream, "javascript:alert(1)", "", refused},
		"a file":                             {stream, "file:///etc/passwd", "", refused},
		"unreadable":                         {stream, "https://h.example.com:port/%zz", "", refused},
		"overridden, with the query":         {stream, "/messages?s=1", "/gw/messages", "https://h.example.com/gw/messages?s=1"},
		"overridden, with a query":           {stream, "/messages?s=1", "/gw/messages?t=2", "https://h.example.com/gw/messages?t=2"},
		"overridden by an absolute URL":      {stream, "/messages?s=1", "https://h.example.com/x", "https://h.example.com/x?s=1"},
		"overridden, and another origin":     {stream, "http://internal:8000/messages?s=1", "messages", "https://h.example.com/gw/messages?s=1"},
		"overridden by another origin":       {stream, "/messages?s=1", "https://other.example.com/m", refused},
		"overridden, and nothing to resolve": {stream, "", "/m", refused},
	} {
		t.Run(name, func(t *testing.T) {
			base, err := url.Parse(tc.stream)
			if err != nil {
				t.Fatal(err)
			}
			o := defaults()
			if tc.override != "" {
				if err := WithMessageURL(tc.override)(o); err != nil {
					t.Fatal(err)
				}
			}
			got := refused
			if u, err := messagesURL(base, tc.reference, o.messages); err == nil {
				got = u.String()
			} else if !errors.Is(err, ErrNoEndpoint) {
				t.Errorf("error %v", err)
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	for _, reference := range []string{"", "https://u:p@h/m", "http://[::1"} {
		if _, err := New("https://h", WithMessageURL(reference)); err == nil {
			t.Errorf("WithMessageURL(%q) was taken", reference)
		}
	}
}

// O-SSE-03: every message goes to where the endpoint event points, and answers
// come on the stream.
func TestAnswersComeOnTheSharedStream(t *testing.T) {
	s := serveShared(t, endpointEvent)
	s.post = func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m, err := protocol.Decode(body)
		if err != nil {
			http.Error(w, err.Error(), 400)
			return
		}
		w.WriteHeader(http.StatusAccepted)
		if !m.ID.IsZero() {
			s.say <- message(`{"jsonrpc":"2.0","id":` + m.ID.String() + `,"result":{"ok":true}}`)
		}
	}
	tr := s.share(t, nobody, WithHeader("Authorization", "Bearer SECRET"))
	var calls sync.WaitGroup
	for id := range int64(20) {
		calls.Go(func() {
			req := legacyCall(id + 1)
			o, err := exchange(t.Context(), tr, req)
			if err != nil || !req.ID.Matches(o.Message.ID) || o.Attempts != 1 {
				t.Errorf("call %d: %+v, %v", id, o.Message, err)
			}
		})
	}
	calls.Wait()
	if err := tr.Send(t.Context(), &transport.Request{
		Method: "notifications/initialized", Era: negotiation.EraLegacy, Body: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`),
	}); err != nil {
		t.Errorf("Send: %v", err)
	}
	seen := s.seen()
	if len(seen) != 22 {
		t.Errorf("%d requests, want the stream's, 20 calls and a notification", len(seen))
	}
	for i, r := range seen {
		if got := r.Header.Get("Authorization"); got != "Bearer SECRET" {
			t.Errorf("%s has Authorization %q", r.Method, got)
		}
		want := "/gw/sse"
		if i > 0 {
			want = "/gw/messages?session_id=SECRET"
		}
		if r.URI != want {
			t.Errorf("request %d went to %s, want %s", i, r.URI, want)
		}
	}
	if got := seen[0].Header.Get("Accept"); got != "text/event-stream" {
		t.Errorf("the stream was asked for with Accept %q", got)
	}
}

func TestWhatTheServerSaysArrivesInOrder(t *testing.T) {
	s := serveShared(t, endpointEvent)
	type arrival struct{ Method, On string }
	got := make(chan arrival, 10)
	tr := s.share(t, receiverFunc(func(m *protocol.Message, on *transport.Request) {
		got <- arrival{m.Method, fmt.Sprint(on != nil)}
	}))
	for _, text := range []string{
		": a comment\n\n",
		message(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`),
		message(`{"jsonrpc":"2.0","id":7,"result":{}}`), // nobody waits for it
		message(`not JSON`),
		"event: other\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/not-ours\"}\n\n",
		"event: endpoint\ndata: https://evil.example.com/\n\n", // too late to count
		"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n",
		message(`{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{}}`),
	} {
		s.say <- text
	}
	want := []arrival{{"notifications/tools/list_changed", "false"}, {"ping", "false"}, {"sampling/createMessage", "false"}}
	for _, w := range want {
		if diff := cmp.Diff(w, <-got); diff != "" {
			t.Errorf("arrived (-want +got):\n%s", diff)
		}
	}
	if u := tr.shared.Load().messages; u.Host != strings.TrimPrefix(s.URL, "http://") {
		t.Errorf("messages now go to %s", u.Host)
	}
}

// O-SSE-03, B139: what the first event may be, and what becomes of a server
// that is no HTTP+SSE server: nothing is ever posted.
func TestShareFailsAndLeavesTheTransportAsItWas(t *testing.T) {
	evil := serve(t, answer(200, "application/json", result))
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		want    error
		says    string
	}{
		"405":                     {answer(405, "", ""), transport.ErrNoStream, "HTTP 405"},
		"404":                     {answer(404, "text/html", "<html>"), transport.ErrNoStream, "HTTP 404"},
		"a page":                  {answer(200, "text/html", "<html>"), transport.ErrNoStream, "HTTP 200"},
		"a message first":         {stream(true, message(`{"jsonrpc":"2.0","method":"x"}`)), ErrNoEndpoint, ""},
		"an event without a name": {stream(true, "data: /gw/messages\n\n"), ErrNoEndpoint, ""},
		"an empty endpoint":       {stream(true, "event: endpoint\ndata: \n\n"), ErrNoEndpoint, ""},
		"another origin":          {stream(true, "event: endpoint\ndata: "+evil.URL+"/m\n\n"), ErrNoEndpoint, "messages would go to"},
		"an origin without end":   {stream(true, "event: endpoint\ndata: https://"+strings.Repeat("x", 5000)+"/m\n\n"), ErrNoEndpoint, "…"},
		"it ends before it":       {stream(false), ErrNoEndpoint, ""},
		"it ends within it":       {stream(false, "event: endpoint\n"), ErrNoEndpoint, ""},
		"it breaks before it": {func(w http.ResponseWriter, _ *http.Request) {
			stream(false)(w, nil)
			flush(w)
			panic(http.ErrAbortHandler)
		}, io.ErrUnexpectedEOF, ""},
		"a redirect elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, evil.URL, http.StatusTemporaryRedirect)
		}, transport.ErrNoStream, "HTTP 307"},
		"an event above the limit":  {stream(true, "event: endpoint\ndata: /"+strings.Repeat("x", 5000)+"\n\n"), new(transport.LimitError), "event is larger"},
		"a head that never comes":   {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, context.DeadlineExceeded, ""},
		"an event that never comes": {stream(true, ": only a comment\n\n"), context.DeadlineExceeded, ""},
	} {
		t.Run(name, func(t *testing.T) {
			asked := make(chan struct{}, 1)
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					answer(200, "application/json", result)(w, r)
					return
				}
				asked <- struct{}{}
				tc.handler(w, r)
			})
			opts := []Option{WithHeader("Authorization", "Bearer SECRET")}
			if errors.As(tc.want, new(*transport.LimitError)) {
				opts = append(opts, WithMaxMessage(1000))
			}
			tr := open(t, s.URL, opts...)
			ctx, cancel := t.Context(), func() {}
			if errors.Is(tc.want, context.DeadlineExceeded) {
				ctx, cancel = expiring(t.Context())
				go func() { <-asked; cancel() }()
			}
			defer cancel()
			err := tr.Share(ctx)
			var limit *transport.LimitError
			if !errors.Is(err, tc.want) && !(errors.As(tc.want, &limit) && errors.As(err, &limit)) {
				t.Fatalf("Share: %v, want %v", err, tc.want)
			}
			if !strings.Contains(err.Error(), tc.says) || len(err.Error()) > 1000 {
				t.Errorf("Share: %v, want %q in it", err, tc.says)
			}
			// It still is a transport of Streamable HTTP.
			if _, err := exchange(t.Context(), tr, legacyCall(1)); err != nil {
				t.Errorf("Exchange: %v", err)
			}
		})
	}
	if n := len(evil.seen()); n != 0 {
		t.Errorf("the other origin got %d requests", n)
	}
}

// What came of a call when its POST is refused, or the stream ends.
func TestSharedCallsEnd(t *testing.T) {
	t.Run("with the refusal of their POST", func(t *testing.T) {
		for status, want := range map[int]any{
			400: new(*transport.StatusError), 401: new(*transport.AuthError),
			404: new(*transport.StatusError), 503: new(*transport.UnavailableError),
		} {
			s := serveShared(t, endpointEvent)
			s.post = answer(status, "text/plain", "no")
			o, err := exchange(t.Context(), s.share(t, nobody), legacyCall(1))
			if o.Status != status || !errors.As(err, want) {
				t.Errorf("HTTP %d: %v", status, err)
			}
		}
	})
	t.Run("with the response, though the POST failed", func(t *testing.T) {
		s := serveShared(t, endpointEvent)
		received := make(chan struct{})
		s.post = func(http.ResponseWriter, *http.Request) {
			s.say <- message(result)
			s.say <- message(`{"jsonrpc":"2.0","method":"notifications/x"}`)
			<-received // so the response has been read
			panic(http.ErrAbortHandler)
		}
		tr := s.share(t, receiverFunc(func(*protocol.Message, *transport.Request) { close(received) }))
		if _, err := exchange(t.Context(), tr, legacyCall(1)); err != nil {
			t.Error(err)
		}
	})
	t.Run("when the stream ends, and later ones too", func(t *testing.T) {
		s := serveShared(t, endpointEvent)
		posted := make(chan struct{})
		s.post = func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
			flush(w)
			posted <- struct{}{}
		}
		tr := s.share(t, nobody)
		ended := make(chan error, 5)
		for id := range int64(5) {
			go func() {
				_, err := exchange(t.Context(), tr, legacyCall(id+1))
				ended <- err
			}()
		}
		for range 5 {
			<-posted
		}
		close(s.say)
		for range 5 {
			if err := <-ended; !errors.Is(err, transport.ErrClosed) || !strings.Contains(err.Error(), "HTTP+SSE ended") {
				t.Errorf("a waiting call: %v", err)
			}
		}
		before := len(s.seen())
		o, err := exchange(t.Context(), tr, legacyCall(9))
		if !errors.Is(err, transport.ErrClosed) || o.Attempts != 0 {
			t.Errorf("a later call: %v, after %d attempts", err, o.Attempts)
		}
		if err := tr.Send(t.Context(), &transport.Request{Era: negotiation.EraLegacy}); !errors.Is(err, transport.ErrClosed) {
			t.Errorf("a later notification: %v", err)
		}
		if n := len(s.seen()) - before; n != 0 {
			t.Errorf("%d requests were sent although nobody can hear the answer", n)
		}
	})
	t.Run("when the stream ends while their POST is not answered", func(t *testing.T) {
		s := serveShared(t, endpointEvent)
		s.post = func(_ http.ResponseWriter, r *http.Request) {
			close(s.say)
			<-r.Context().Done()
		}
		o, err := exchange(t.Context(), s.share(t, nobody), legacyCall(1))
		if !errors.Is(err, transport.ErrClosed) || o.Attempts != 1 {
			t.Errorf("%v, after %d attempts", err, o.Attempts)
		}
	})
	t.Run("when a message is above the limit", func(t *testing.T) {
		s := serveShared(t, endpointEvent)
		s.post = func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
			flush(w)
			s.say <- message(strings.Repeat("x", 2000))
		}
		_, err := exchange(t.Context(), s.share(t, nobody, WithMaxMessage(1000)), legacyCall(1))
		if !errors.As(err, new(*transport.LimitError)) || !errors.Is(err, transport.ErrClosed) {
			t.Error(err)
		}
	})
	t.Run("with the caller", func(t *testing.T) {
		s := serveShared(t, endpointEvent)
		ctx, cancel := context.WithCancel(t.Context())
		s.post = func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
			flush(w)
			cancel()
		}
		tr := s.share(t, nobody)
		if o := tr.Exchange(ctx, legacyCall(1)); o.Failure != negotiation.Canceled {
			t.Errorf("%v: %v", o.Failure, o.Err)
		}
	})
	t.Run("with Close, which leaves the stream", func(t *testing.T) {
		s := serveShared(t, endpointEvent)
		s.post = func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
			flush(w)
			s.say <- message(`{"jsonrpc":"2.0","method":"notifications/x"}`)
		}
		posted := make(chan struct{})
		tr := s.share(t, receiverFunc(func(*protocol.Message, *transport.Request) { close(posted) }))
		ended := make(chan error)
		go func() {
			_, err := exchange(t.Context(), tr, legacyCall(1))
			ended <- err
		}()
		<-posted
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, transport.ErrClosed) {
			t.Error(err)
		}
		<-s.gone
	})
}

// All that such a server says comes on its one stream.
func TestASharedTransportListensToNoOtherStream(t *testing.T) {
	s := serveShared(t, endpointEvent)
	tr := s.share(t, nobody)
	err := tr.Listen(t.Context(), &transport.Request{}, func() {})
	if !errors.Is(err, transport.ErrNoStream) || len(s.seen()) != 1 {
		t.Errorf("Listen: %v, %d requests", err, len(s.seen()))
	}
}

// B137: the endpoint is relative to where the stream came from after a
// redirect.
func TestEndpointIsResolvedAgainstTheURLOfTheStream(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/sse":
			http.Redirect(w, r, "/v2/sse/", http.StatusTemporaryRedirect)
		case r.Method == http.MethodGet:
			stream(true, "event: endpoint\ndata: messages\n\n")(w, r)
		default:
			w.WriteHeader(404)
		}
	})
	tr := open(t, s.URL+"/sse")
	if err := tr.Share(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := tr.shared.Load().messages.Path; got != "/v2/sse/messages" {
		t.Errorf("messages go to %s", got)
	}
}
