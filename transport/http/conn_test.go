package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

func TestConnectionsAreUsedAgain(t *testing.T) {
	accepted := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) }
	for name, handler := range map[string]http.HandlerFunc{
		"JSON":             answer(200, "application/json", result),
		"an event stream":  stream(false, ": hello\n\n", okEvent, ": bye\n\n"),
		"a refusal":        answer(401, "text/plain", "no"),
		"no answer":        accepted,
		"an odd long page": answer(200, "text/html", strings.Repeat("x", 40<<10)),
	} {
		t.Run(name+", one call after the other", func(t *testing.T) {
			s := serve(t, handler)
			tr := open(t, s.URL)
			for range 100 {
				tr.Exchange(t.Context(), toolCall())
				_ = tr.Send(t.Context(), note())
			}
			// A stream may still be on its way to its end when the next call begins.
			if n := s.conns.Load(); n > 20 {
				t.Errorf("200 calls made %d connections", n)
			}
		})
		t.Run(name+", 64 at a time", func(t *testing.T) {
			s := serve(t, handler)
			tr := open(t, s.URL)
			const workers, calls = 64, 20
			var wg sync.WaitGroup
			for range workers {
				wg.Go(func() {
					for range calls {
						tr.Exchange(t.Context(), toolCall())
					}
				})
			}
			wg.Wait()
			if n := s.conns.Load(); n > 4*workers {
				t.Errorf("%d calls made %d connections", workers*calls, n)
			}
		})
	}
}

func TestAFailureKeepsTheConnectionsOfOthers(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") == "tools/list" {
			panic(http.ErrAbortHandler)
		}
		answer(200, "application/json", result)(w, r)
	})
	tr := open(t, s.URL, WithRetries(1))
	for range 10 {
		tr.Exchange(t.Context(), toolCall())
		tr.Exchange(t.Context(), toolList())
	}
	if n := s.conns.Load(); n > 2*10+1 { // each failed attempt costs its own
		t.Errorf("%d connections", n)
	}
}

// B055: a Timeout of the caller's client would cut streams, so it is not
// applied.
func TestTheCallersClientIsRespectedAndNotChanged(t *testing.T) {
	s := serve(t, stream(false, okEvent))
	var trips atomic.Int64
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	c := &http.Client{
		Timeout:       1, // nothing would come in time
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("not asked") },
		Transport: roundTripFunc(func(r *http.Request) (*http.Response, error) {
			trips.Add(1)
			return base.RoundTrip(r)
		}),
	}
	before := *c
	tr := open(t, s.URL, WithClient(c))
	if _, err := exchange(t.Context(), tr, toolCall()); err != nil {
		t.Errorf("Exchange: %v", err)
	}
	if trips.Load() != 1 {
		t.Errorf("its transport was used %d times", trips.Load())
	}
	if err := tr.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if c.Timeout != before.Timeout || c.Jar != nil ||
		reflect.ValueOf(c.CheckRedirect).Pointer() != reflect.ValueOf(before.CheckRedirect).Pointer() ||
		reflect.ValueOf(c.Transport).Pointer() != reflect.ValueOf(before.Transport).Pointer() {
		t.Errorf("the client was %+v, is %+v", before, c)
	}
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestHTTP2(t *testing.T) {
	s := newServer(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("came by %s", r.Proto)
		}
		stream(true, okEvent)(w, r)
	})
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	tr := open(t, s.URL, WithClient(s.Client()))
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if _, err := exchange(t.Context(), tr, toolCall()); err != nil {
				t.Errorf("Exchange: %v", err)
			}
		})
	}
	wg.Wait()
}

func TestCloseEndsEverything(t *testing.T) {
	var reached sync.WaitGroup
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/stream") {
			w.Header().Set("Content-Type", "text/event-stream")
			flush(w)
		}
		reached.Done()
		<-r.Context().Done()
	})
	tr := open(t, s.URL)
	const calls = 32
	reached.Add(2 * calls)
	var wg sync.WaitGroup
	for range calls {
		wg.Go(func() {
			if o := tr.Exchange(t.Context(), toolCall()); o.Failure != negotiation.Closed || !errors.Is(o.Err, transport.ErrClosed) {
				t.Errorf("%v: %v", o.Failure, o.Err)
			}
		})
		wg.Go(func() {
			if err := tr.Send(t.Context(), note()); !errors.Is(err, transport.ErrClosed) {
				t.Errorf("Send: %v", err)
			}
		})
	}
	reached.Wait()
	for range 3 {
		wg.Go(func() {
			if err := tr.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
	wg.Wait()

	o, err := exchange(t.Context(), tr, toolCall())
	if o.Failure != negotiation.Closed || !errors.Is(err, transport.ErrClosed) || o.RequestID != toolCall().ID {
		t.Errorf("afterwards: %+v, %v", o, err)
	}
	if err := tr.Send(t.Context(), note()); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("Send afterwards: %v", err)
	}
	if n := len(s.seen()); n != 2*calls {
		t.Errorf("%d requests", n)
	}
}

func TestCloseCutsAStreamThatGoesOnAfterItsResponse(t *testing.T) {
	gone := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		stream(true, okEvent)(w, r)
		close(gone)
	})
	tr := open(t, s.URL)
	if _, err := exchange(t.Context(), tr, toolCall()); err != nil {
		t.Fatalf("Exchange: %v", err)
	}
	if err := tr.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	<-gone
}

func TestAFloodAfterTheResponseIsCut(t *testing.T) {
	gone := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, okEvent)
		endless("text/event-stream", ": flood\n\n")(w, r)
		close(gone)
	})
	tr := open(t, s.URL)
	if _, err := exchange(t.Context(), tr, toolCall()); err != nil {
		t.Fatalf("Exchange: %v", err)
	}
	<-gone // without Close
}

func TestFaultsThatNoRetryMendsAreMetOnce(t *testing.T) {
	tlsServer := newServer(answer(200, "application/json", result))
	tlsServer.StartTLS()
	t.Cleanup(tlsServer.Close)
	plain := serve(t, answer(200, "application/json", result))
	var lookups atomic.Int64
	noName := &http.Client{Transport: &http.Transport{
		DialContext: func(_ context.Context, network, _ string) (net.Conn, error) {
			lookups.Add(1)
			return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: "h", IsNotFound: true}}
		},
	}}
	for name, tc := range map[string]struct {
		endpoint string
		opts     []Option
		tries    func() int64
		says     string
	}{
		"a certificate that does not verify": {tlsServer.URL, nil, tlsServer.conns.Load, "certificate"},
		"no TLS where it is due":             {strings.Replace(plain.URL, "http:", "https:", 1), nil, plain.conns.Load, "HTTP response to HTTPS client"},
		"a name that does not exist":         {"http://h/mcp", []Option{WithClient(noName)}, lookups.Load, "no such host"},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := exchange(t.Context(), open(t, tc.endpoint, tc.opts...), toolList())
			if o.Failure != negotiation.NetworkError || o.Attempts != 0 {
				t.Errorf("%v after %d attempts", o.Failure, o.Attempts)
			}
			if !errors.Is(err, transport.ErrPermanent) || !errors.Is(err, transport.ErrUnavailable) ||
				!strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v", err)
			}
			if n := tc.tries(); n != 1 {
				t.Errorf("tried %d times", n)
			}
		})
	}
}

func TestADialThatTimesOutIsATimeoutAndNeverSent(t *testing.T) {
	c := &http.Client{Transport: &http.Transport{
		DialContext: func(_ context.Context, network, _ string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: network, Err: context.DeadlineExceeded}
		},
	}}
	o, err := exchange(t.Context(), open(t, "http://h", WithClient(c)), toolCall())
	if o.Failure != negotiation.TimedOut || o.Attempts != 0 {
		t.Errorf("%v after %d attempts", o.Failure, o.Attempts)
	}
	if slow := new(transport.TimeoutError); !errors.As(err, &slow) || !strings.Contains(err.Error(), "dial") {
		t.Errorf("error %v", err)
	}
}

func TestALimitOfTheirsIsATimeout(t *testing.T) {
	// A client of the caller's may have limits of its own.
	reached := make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(reached)
		<-r.Context().Done()
	})
	base := &http.Transport{ResponseHeaderTimeout: time.Nanosecond}
	defer base.CloseIdleConnections()
	o, err := exchange(t.Context(), open(t, s.URL, WithClient(&http.Client{Transport: base})), toolCall())
	if o.Failure != negotiation.TimedOut || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v: %v", o.Failure, err)
	}
	<-reached
	if text := fmt.Sprint(err); !strings.Contains(text, "header") {
		t.Errorf("error %q does not say which", text)
	}
}
