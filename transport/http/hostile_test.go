package http

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// bomb is a body of a few KB that unpacks to 64 MiB, under a header.
func bomb(contentType, begin string) http.HandlerFunc {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, begin)
	for range 64 {
		_, _ = z.Write(bytes.Repeat([]byte("x"), 1<<20))
	}
	_ = z.Close()
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	}
}

func headed(h http.Header, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for name, values := range h {
			w.Header()[name] = values
		}
		next(w, r)
	}
}

// What a server does to the client by legal means: it costs the call that meets
// it, is met once, and neither memory nor the log pays for it. Over HTTP/2, too.
func TestHostileAnswersCostTheirCall(t *testing.T) {
	const limit = 1 << 20
	large := strings.Repeat("x", 500<<10)
	many := make(http.Header)
	for i := range 2000 {
		many.Set(fmt.Sprintf("X-Field-%d", i), "x")
	}
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		want    func(negotiation.Outcome, error) bool
	}{
		"a cut before the header":    {aborts0, isNetwork},
		"a cut in the body":          {cutShort("application/json", result[:10]), isNetwork},
		"a cut between events":       {cutShort("text/event-stream", news), isNetwork},
		"packed JSON without end":    {bomb("application/json", `{"jsonrpc":"2.0","id":1,"result":"`), isLimit},
		"a packed event without end": {bomb("text/event-stream", "data: "), isLimit},
		"what is not packed as said": {headed(http.Header{"Content-Encoding": {"gzip"}}, answer(200, "application/json", result)), isNetwork},
		"byte by byte":               {byteByByte, isOK},
		"a challenge of half a MB":   {headed(http.Header{"Www-Authenticate": {"Bearer realm=" + large}}, answer(401, "", "")), isBriefly(new(*transport.AuthError))},
		"a session of half a MB":     {headed(http.Header{headerSession: {large}}, answer(200, "application/json", result)), isOK},
		"a Retry-After of half a MB": {headed(http.Header{"Retry-After": {large}}, answer(503, "", "")), isBriefly(new(*transport.UnavailableError))},
		"a type of half a MB":        {headed(http.Header{"Content-Type": {"text/" + large}}, answer(400, "", "no")), isBriefly(new(*transport.StatusError))},
		"a Location of half a MB":    {headed(http.Header{"Location": {"http://other.example/" + large}}, answer(307, "", "")), isBriefly(new(*transport.StatusError))},
		"thousands of fields":        {headed(many, answer(200, "application/json", result)), isOK},
		"trailers of megabytes": {trailing(strings.Repeat("x", 4<<20)), func(_ negotiation.Outcome, err error) bool {
			return err == nil || isNetwork(negotiation.Outcome{}, err)
		}},
		"hints before the answer": {hints(3), isOK},
	} {
		for _, h2 := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, HTTP/2 %v", name, h2), func(t *testing.T) {
				s := newServer(tc.handler)
				s.EnableHTTP2 = h2
				s.StartTLS()
				t.Cleanup(s.Close)
				tr := open(t, s.URL, WithMaxMessage(limit), WithClient(s.Client()))
				o, err := exchange(t.Context(), tr, toolCall())
				if !tc.want(o, err) {
					t.Errorf("%v: %.2000v", o.Failure, err)
				}
				if n := len(s.seen()); n != 1 {
					t.Errorf("the call was sent %d times", n)
				}
			})
		}
	}
}

func isOK(_ negotiation.Outcome, err error) bool { return err == nil }

func isNetwork(_ negotiation.Outcome, err error) bool {
	return errors.Is(err, transport.ErrUnavailable)
}

func isLimit(_ negotiation.Outcome, err error) bool {
	return errors.As(err, new(*transport.LimitError))
}

// isBriefly wants an error of the type that target points to, fit for a log.
func isBriefly(target any) func(negotiation.Outcome, error) bool {
	return func(_ negotiation.Outcome, err error) bool {
		return errors.As(err, target) && len(err.Error()) < 4000
	}
}

func aborts0(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func cutShort(contentType, begin string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		flushed(contentType, begin)(w, r)
		flush(w)
		panic(http.ErrAbortHandler)
	}
}

func byteByByte(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	for i := range len(result) {
		_, _ = io.WriteString(w, result[i:i+1])
		flush(w)
	}
}

func trailing(value string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Large")
		flushed("application/json", result)(w, r)
		w.Header().Set("X-Large", value)
	}
}

func hints(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for range n {
			w.WriteHeader(http.StatusEarlyHints)
		}
		answer(200, "application/json", result)(w, r)
	}
}

// What a server does to the client by breaking HTTP ends without a deadline: of
// what it repeats for ever, only so much is read.
func TestBrokenHTTPEndsByItself(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	chunked := ok + "Transfer-Encoding: chunked\r\n\r\n"
	for name, tc := range map[string]struct{ begin, forever string }{
		"interim answers without end":       {"", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"},
		"interim answers without fields":    {"", "HTTP/1.1 100 Continue\r\n\r\n"},
		"header fields without end":         {ok, "X-Field: x\r\n"},
		"a status line without end":         {"HTTP/1.1 200 ", "x"},
		"a chunk extension without end":     {chunked + "1;", "x"},
		"chunks that are extensions mostly": {chunked, "1;" + strings.Repeat("x", 2000) + "\r\n{\r\n"},
		"a chunk of a length that is none":  {chunked + "fffffffffffffffff\r\n", ""},
		"trailers without end":              {chunked + "0\r\n", "X-Field: x\r\n"},
		"a negative length":                 {ok + "Content-Length: -1\r\n\r\n", ""},
		"two lengths":                       {ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			url := serveWire(t, tc.begin, tc.forever)
			o, err := exchange(t.Context(), open(t, url, WithMaxMessage(1<<20)), toolCall())
			if err == nil || o.Failure == negotiation.TimedOut || len(err.Error()) > 4000 {
				t.Errorf("%v: %.2000v", o.Failure, err)
			}
			if !isNetwork(o, err) && !isLimit(o, err) && !errors.As(err, new(*transport.MessageError)) {
				t.Errorf("%v is a %T", err, err)
			}
		})
	}
}

// serveWire answers each connection's request with bytes, and then with others
// until the client leaves.
func serveWire(t *testing.T, begin, forever string) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan struct{})
	t.Cleanup(func() {
		cancel()
		_ = listener.Close()
		<-served
	})
	go func() {
		defer close(served)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
			_, _ = conn.Read(make([]byte, 64<<10))
			_, err = io.WriteString(conn, begin)
			for block := strings.Repeat(forever, 100); err == nil && forever != ""; {
				_, err = io.WriteString(conn, block)
			}
			_, _ = io.Copy(io.Discard, conn) // until the client leaves
			stop()
			_ = conn.Close()
		}
	}()
	return "http://" + listener.Addr().String() + "/mcp"
}

// A server that does not read a large request costs the call its time, whoever ends
// that, and keeps nobody waiting. One that refuses early is heard, or the connection
// is lost; the call is not sent twice.
func TestALargeRequestThatNobodyReads(t *testing.T) {
	large := toolCall()
	large.Body = []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","x":"` + strings.Repeat("x", 10<<20) + `"}}`)
	deaf := func(t *testing.T) (url string, reached <-chan struct{}) {
		got, over := make(chan struct{}), make(chan struct{})
		var handling sync.WaitGroup
		handling.Add(1)
		s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			defer handling.Done()
			close(got)
			<-over // not the end of the request, which only who reads it hears of
		}))
		t.Cleanup(func() {
			close(over)
			handling.Wait()
			s.Close()
		})
		return s.URL, got
	}
	for name, tc := range map[string]struct {
		end  func(*Transport, context.CancelFunc)
		want negotiation.Failure
	}{
		"the caller leaves": {func(_ *Transport, cancel context.CancelFunc) { cancel() }, negotiation.Canceled},
		"Close":             {func(tr *Transport, _ context.CancelFunc) { _ = tr.Close() }, negotiation.Closed},
	} {
		t.Run(name, func(t *testing.T) {
			url, reached := deaf(t)
			tr := open(t, url)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan negotiation.Outcome)
			go func() { done <- tr.Exchange(ctx, large) }()
			<-reached
			tc.end(tr, cancel)
			if o := <-done; o.Failure != tc.want {
				t.Errorf("%v: %v", o.Failure, o.Err)
			}
		})
	}
	t.Run("a refusal", func(t *testing.T) {
		refused := make(chan struct{}, 10)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			refused <- struct{}{}
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		}))
		defer s.Close()
		_, err := exchange(t.Context(), open(t, s.URL), large)
		if !errors.As(err, new(*transport.StatusError)) && !errors.Is(err, transport.ErrUnavailable) || len(refused) != 1 {
			t.Errorf("%v, after %d requests", err, len(refused))
		}
	})
}
