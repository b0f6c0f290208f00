package http

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/internal/memhttp"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A streamServer answers POSTs by post and the n-th GET by the n-th of gets, the
// last of which stays. It is reached in memory, in the time of a bubble.
type streamServer struct {
	post http.HandlerFunc
	gets []http.HandlerFunc

	start  time.Time
	mu     sync.Mutex
	opened []opened
}

// An opened is a GET that came in.
type opened struct {
	At     time.Duration // since the start
	LastID string
}

func (s *streamServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		s.post(w, r)
		return
	}
	s.mu.Lock()
	s.opened = append(s.opened, opened{time.Since(s.start), r.Header.Get("Last-Event-ID")})
	n := len(s.opened)
	s.mu.Unlock()
	for name, want := range map[string]string{
		"Accept": "text/event-stream", "Mcp-Session-Id": "s1", "Mcp-Protocol-Version": "2025-11-25", "Authorization": "Bearer SECRET",
	} {
		if got := r.Header.Get(name); got != want {
			http.Error(w, fmt.Sprintf("header %s is %q", name, got), http.StatusTeapot)
			return
		}
	}
	s.gets[min(n, len(s.gets))-1](w, r)
}

func (s *streamServer) streams() []opened {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.opened)
}

// exactly is a backoff whose waits can be told: a nanosecond each, for which
// streams have a least time of their own.
var exactly = transport.Backoff{Max: time.Nanosecond, MaxAfter: time.Minute}

// open returns a transport to the server, and what it received.
func (s *streamServer) open(t *testing.T, opts ...Option) (*Transport, *received) {
	t.Helper()
	s.start = time.Now()
	client := &http.Client{Transport: memhttp.Serve(t, s)}
	got := new(received)
	opts = append([]Option{WithBackoff(exactly), WithHeader("Authorization", "Bearer SECRET"), WithClient(client)}, opts...)
	return openTo(t, got, "http://api.example.com/mcp", opts...), got
}

// received are the methods of what came.
type received struct {
	mu      sync.Mutex
	methods []string
}

func (r *received) Receive(m *protocol.Message, _ *transport.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.methods = append(r.methods, m.Method)
}

func (r *received) all() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.methods, " ")
}

// resumable is a legacy request whose stream may be taken up again.
func resumable() *transport.Request {
	req := toolCall()
	req.Era, req.Version, req.Session = negotiation.EraLegacy, "2025-11-25", "s1"
	return req
}

const (
	second = time.Second
	primed = "id: 1\ndata:\n\n"
	news   = `data: {"jsonrpc":"2.0","method":"notifications/message"}` + "\n\n"
	ending = "id: 9\ndata: " + result + "\n\n"
)

// aborts is a handler that breaks the connection after parts.
func aborts(parts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		stream(false, parts...)(w, r)
		flush(w)
		panic(http.ErrAbortHandler)
	}
}

// later is a handler that waits, in the bubble's time, before it answers.
func later(d time.Duration, then http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		flush(w)
		select {
		case <-time.After(d):
			then(w, r)
		case <-r.Context().Done():
		}
	}
}

func refusedWith(status int, retryAfter string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(status)
	}
}

// L-HTTP-04, L-HTTP-05, L-HTTP-06, B037: how the stream of a call goes on
// after it broke: when it is asked for again, after which event, and what
// comes of the call.
func TestStreamOfACallIsTakenUpAgain(t *testing.T) {
	const tick = streamPause // exactly asks for less
	for name, tc := range map[string]struct {
		post  http.HandlerFunc
		gets  []http.HandlerFunc
		want  []opened
		got   string // what the receiver got
		fails string // part of the error; "" for a result
	}{
		"after the last event, and what was missed comes again": {
			stream(false, primed), []http.HandlerFunc{stream(true, news, ending)},
			[]opened{{tick, "1"}}, "notifications/message", "",
		},
		"after the time that retry says": {
			stream(false, "retry: 3000\n"+primed), []http.HandlerFunc{stream(true, ending)},
			[]opened{{3 * second, "1"}}, "", "",
		},
		"a retry of its own event counts": {
			stream(false, primed, "retry: 3000\n\n"), []http.HandlerFunc{stream(true, ending)},
			[]opened{{3 * second, "1"}}, "", "",
		},
		"a retry that is no number does not": {
			stream(false, "retry: 3s\n"+primed), []http.HandlerFunc{stream(true, ending)},
			[]opened{{tick, "1"}}, "", "",
		},
		"a retry of hours is half a minute": {
			stream(false, "retry: 9999999\n"+primed), []http.HandlerFunc{stream(true, ending)},
			[]opened{{30 * second, "1"}}, "", "",
		},
		"when the connection broke": {
			aborts(primed, news, "id: 2\n"+news, "id: 3\ndata: {\"json"), []http.HandlerFunc{stream(true, ending)},
			[]opened{{tick, "2"}}, "notifications/message notifications/message", "",
		},
		"again and again while events come": {
			stream(false, "retry: 1000\n"+primed),
			[]http.HandlerFunc{
				stream(false, "id: 2\ndata:\n\n"), stream(false, "id: 3\n"+news), stream(false, "id: 4\ndata:\n\n"),
				stream(false, "id: 5\ndata:\n\n"), stream(false, "id: 6\ndata:\n\n"), stream(false, "id: 7\ndata:\n\n"), stream(true, ending),
			},
			[]opened{{second, "1"}, {2 * second, "2"}, {3 * second, "3"}, {4 * second, "4"}, {5 * second, "5"}, {6 * second, "6"}, {7 * second, "7"}},
			"notifications/message", "",
		},
		"an outage passes": {
			stream(false, primed), []http.HandlerFunc{refusedWith(503, ""), refusedWith(429, ""), refusedWith(408, ""), aborts(), stream(true, ending)},
			[]opened{{tick, "1"}, {2 * tick, "1"}, {3 * tick, "1"}, {4 * tick, "1"}, {5 * tick, "1"}}, "", "",
		},
		"an outage that says how long": {
			stream(false, primed), []http.HandlerFunc{refusedWith(503, "7"), stream(true, ending)},
			[]opened{{tick, "1"}, {7*second + tick, "1"}}, "", "",
		},
		"an outage that does not pass": {
			stream(false, primed), []http.HandlerFunc{refusedWith(503, "")},
			[]opened{{tick, "1"}, {2 * tick, "1"}, {3 * tick, "1"}, {4 * tick, "1"}, {5 * tick, "1"}}, "", "5 times in a row",
		},
		"a stream that brings nothing again and again": {
			stream(false, primed), []http.HandlerFunc{stream(false, ": hello\n\n")},
			[]opened{{tick, "1"}, {2 * tick, "1"}, {3 * tick, "1"}, {4 * tick, "1"}, {5 * tick, "1"}}, "", "nothing came on it",
		},
		"not after a 404":                          {stream(false, primed), []http.HandlerFunc{refusedWith(404, "")}, []opened{{tick, "1"}}, "", "HTTP 404"},
		"not after a 400":                          {stream(false, primed), []http.HandlerFunc{refusedWith(400, "")}, []opened{{tick, "1"}}, "", "HTTP 400"},
		"not after a 401":                          {stream(false, primed), []http.HandlerFunc{refusedWith(401, "")}, []opened{{tick, "1"}}, "", "HTTP 401"},
		"not after a 405":                          {stream(false, primed), []http.HandlerFunc{refusedWith(405, "")}, []opened{{tick, "1"}}, "", "HTTP 405"},
		"not after a page":                         {stream(false, primed), []http.HandlerFunc{answer(200, "text/html", "<html>")}, []opened{{tick, "1"}}, "", "HTTP 200"},
		"not after an id that no header can carry": {stream(false, primed, "id: a\x01b\n"+news), nil, nil, "notifications/message", "ended without a response"},
		"not after an id that is too long": {
			stream(false, primed, "id: "+strings.Repeat("x", maxEventID+1)+"\n"+news), nil, nil, "notifications/message", "ended without a response",
		},
		"not without an id":       {stream(false, "data:\n\n", news), nil, nil, "notifications/message", "ended without a response"},
		"not when it never began": {aborts(), nil, nil, "", "ended without a response"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &streamServer{post: tc.post, gets: tc.gets}
				tr, got := s.open(t)
				_, err := exchange(t.Context(), tr, resumable())
				if diff := cmp.Diff(tc.want, s.streams()); diff != "" {
					t.Errorf("streams (-want +got):\n%s", diff)
				}
				if got.all() != tc.got {
					t.Errorf("received %q, want %q", got.all(), tc.got)
				}
				switch {
				case tc.fails == "" && err != nil:
					t.Error(err)
				case tc.fails != "" && (!errors.Is(err, transport.ErrStreamEnded) || !strings.Contains(err.Error(), tc.fails)):
					t.Errorf("error %v, want %q in it", err, tc.fails)
				}
			})
		})
	}
}

// M-HTTP-22, M-HTTP-23.
func TestModernStreamsAreNotTakenUpAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &streamServer{post: stream(false, primed), gets: []http.HandlerFunc{stream(true, ending)}}
		tr, _ := s.open(t)
		if _, err := exchange(t.Context(), tr, toolCall()); !errors.Is(err, transport.ErrStreamEnded) || len(s.streams()) != 0 {
			t.Errorf("%v, after %d GETs", err, len(s.streams()))
		}
	})
}

// A call that waits to take its stream up again ends with its caller, its time
// and the transport, and not a moment later.
func TestWaitingForAStreamEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(tr *Transport, cancel context.CancelFunc)
		want negotiation.Failure
	}{
		"with the caller":    {func(_ *Transport, cancel context.CancelFunc) { cancel() }, negotiation.Canceled},
		"with the transport": {func(tr *Transport, _ context.CancelFunc) { _ = tr.Close() }, negotiation.Closed},
		"with its time":      {func(*Transport, context.CancelFunc) {}, negotiation.TimedOut},
	} {
		for where, get := range map[string]http.HandlerFunc{
			"between streams": nil,
			"within a stream": stream(true, "id: 2\n"+news),
			"in a GET":        func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		} {
			t.Run(name+" "+where, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					retry := "retry: 1000\n"
					if get == nil {
						retry = "retry: 20000\n"
					}
					s := &streamServer{post: stream(false, retry+primed), gets: []http.HandlerFunc{get}}
					tr, _ := s.open(t)
					ctx, cancel := context.WithTimeout(t.Context(), 10*second)
					defer cancel()
					time.AfterFunc(5*second, func() { tc.end(tr, cancel) })
					start := time.Now()
					o := tr.Exchange(ctx, resumable())
					want := 5 * second
					if tc.want == negotiation.TimedOut {
						want = 10 * second
					}
					if took := time.Since(start); o.Failure != tc.want || took != want {
						t.Errorf("%v after %v: %v; want %v after %v", o.Failure, took, o.Err, tc.want, want)
					}
				})
			})
		}
	}
}

// L-HTTP-07, B021, B022: the first answer says whether there is a stream.
// There is one attempt.
func TestWhatIsNoStreamOfTheServer(t *testing.T) {
	for name, get := range map[string]http.HandlerFunc{
		"400": answer(400, "text/plain", "session missing"), "401": answer(401, "", ""), "403": answer(403, "", ""),
		"404": answer(404, "", ""), "405": answer(405, "", ""), "406": answer(406, "", ""), "500": answer(500, "", ""),
		"501": answer(501, "", ""), "200 and JSON": answer(200, "application/json", "{}"), "202 and nothing": answer(202, "", ""),
		"a redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &streamServer{gets: []http.HandlerFunc{get}}
				tr, _ := s.open(t)
				err := tr.Listen(t.Context(), resumable(), func() { t.Error("called opened") })
				if !errors.Is(err, transport.ErrNoStream) || len(s.streams()) != 1 {
					t.Errorf("%v, after %d GETs", err, len(s.streams()))
				}
			})
		})
	}
}

// A fault of the network says nothing about whether there is one.
func TestTheServersStreamCannotBeReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &streamServer{gets: []http.HandlerFunc{func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }}}
		tr, _ := s.open(t)
		err := tr.Listen(t.Context(), resumable(), func() { t.Error("called opened") })
		if down, ok := errors.AsType[*transport.UnavailableError](err); !ok || down.Method != http.MethodGet || down.Origin == "" {
			t.Errorf("%T: %v", err, err)
		}
	})
}

// listens runs Listen until it ends by itself or d is over.
func listens(t *testing.T, tr *Transport, d time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	return tr.Listen(ctx, resumable(), func() {})
}

// L-HTTP-05, L-HTTP-06, L-HTTP-07, B023, B-AUT-50: when the server's own
// stream is asked for again, after which event, and when no more.
func TestServersStreamIsTakenUpAgain(t *testing.T) {
	const tick = streamPause
	hang := stream(true)
	for name, tc := range map[string]struct {
		gets []http.HandlerFunc
		want []opened
		got  string
		ends string // part of the error; "" when it is still open after a minute
	}{
		"what comes is delivered, but responses and noise": {
			[]http.HandlerFunc{stream(true, primed, news, "data: "+result+"\n\n", "data: not JSON\n\n", "event: x\n"+news, ": ping\n\n", news)},
			[]opened{{0, ""}}, "notifications/message notifications/message", "",
		},
		"after the last event": {
			[]http.HandlerFunc{stream(false, "id: 7\n"+news), hang},
			[]opened{{0, ""}, {tick, "7"}}, "notifications/message", "",
		},
		"anew where events have no id": {
			[]http.HandlerFunc{stream(false, news), stream(true, news)},
			[]opened{{0, ""}, {tick, ""}}, "notifications/message notifications/message", "",
		},
		"after the time that retry says": {
			[]http.HandlerFunc{stream(false, "retry: 5000\nid: 7\n"+news), stream(false, "id: 8\n"+news), hang},
			[]opened{{0, ""}, {5 * second, "7"}, {10 * second, "8"}}, "notifications/message notifications/message", "",
		},
		"a stream that brings nothing is given up": {
			[]http.HandlerFunc{stream(false)},
			[]opened{{0, ""}, {tick, ""}, {2 * tick, ""}, {3 * tick, ""}, {4 * tick, ""}, {5 * tick, ""}}, "", "nothing came on it",
		},
		"with the waits that it asked for": {
			[]http.HandlerFunc{stream(false, "retry: 2000\n\n")},
			[]opened{{0, ""}, {2 * second, ""}, {4 * second, ""}, {6 * second, ""}, {8 * second, ""}, {10 * second, ""}}, "", "nothing came on it",
		},
		"a 404 ends it": {[]http.HandlerFunc{stream(false, news), answer(404, "", "")}, []opened{{0, ""}, {tick, ""}}, "notifications/message", "HTTP 404"},
		"a 401 ends it": {[]http.HandlerFunc{stream(false, news), answer(401, "", "")}, []opened{{0, ""}, {tick, ""}}, "notifications/message", "HTTP 401"},
		"an outage passes": {
			[]http.HandlerFunc{stream(false, "id: 7\n"+news), refusedWith(503, "9"), aborts(), hang},
			[]opened{{0, ""}, {tick, "7"}, {9*second + tick, "7"}, {9*second + 2*tick, "7"}}, "notifications/message", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &streamServer{gets: tc.gets}
				tr, got := s.open(t)
				err := listens(t, tr, time.Minute)
				if diff := cmp.Diff(tc.want, s.streams()); diff != "" {
					t.Errorf("streams (-want +got):\n%s", diff)
				}
				if got.all() != tc.got {
					t.Errorf("received %q, want %q", got.all(), tc.got)
				}
				switch {
				case tc.ends == "" && !errors.Is(err, context.DeadlineExceeded):
					t.Errorf("ended: %v", err)
				case tc.ends != "" && (!errors.Is(err, transport.ErrStreamEnded) || !strings.Contains(err.Error(), tc.ends)):
					t.Errorf("error %v, want %q in it", err, tc.ends)
				}
			})
		})
	}
}

// B054: a proxy that cuts idle connections is no reason to give up: there may
// be nothing to say for hours.
func TestQuietStreamsThatLastAreTakenUpForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &streamServer{gets: []http.HandlerFunc{later(time.Minute, stream(false))}}
		tr, _ := s.open(t)
		if err := listens(t, tr, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ended: %v", err)
		}
		if n := len(s.streams()); n != 60 {
			t.Errorf("%d streams in an hour, want 60", n)
		}
	})
}

// A server that ends each stream after its first empty event, and asks for no
// wait, is not asked ever faster.
func TestStreamsThatSayNothingAreAskedForMoreSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &streamServer{gets: []http.HandlerFunc{stream(false, primed)}}
		tr, _ := s.open(t, WithBackoff(transport.DefaultBackoff()))
		if err := listens(t, tr, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ended: %v", err)
		}
		if n := len(s.streams()); n > 3600/2 { // 2.5 s at the least, once the waits have grown
			t.Errorf("%d streams in an hour", n)
		}
	})
}

// Nor is one that asks to be asked at once, whatever it says and whatever the
// options.
func TestARetryFieldIsNoWayToBeHammered(t *testing.T) {
	for name, backoff := range map[string]transport.Backoff{"by default": transport.DefaultBackoff(), "without waits": {}} {
		for what, event := range map[string]string{"nothing": primed, "something": "id: 1\n" + news} {
			for _, retry := range []string{"", "retry: 0\n", "retry: 1\n"} {
				t.Run(fmt.Sprintf("%s, %s, %q", name, what, retry), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						s := &streamServer{gets: []http.HandlerFunc{stream(false, retry+event)}}
						tr, _ := s.open(t, WithBackoff(backoff))
						if err := listens(t, tr, 10*time.Second); !errors.Is(err, context.DeadlineExceeded) {
							t.Errorf("ended: %v", err)
						}
						most := int(10 * time.Second / streamPause)
						if backoff.Min > 0 {
							most = int(10 * time.Second / (backoff.Min / 2))
						}
						if n := len(s.streams()); n < 3 || n > most+1 {
							t.Errorf("%d streams in 10 s, want at most %d", n, most+1)
						}
					})
				})
			}
		}
	}
}

func TestListenEndsWithTheTransport(t *testing.T) {
	for name, get := range map[string]http.HandlerFunc{
		"within a stream":  stream(true, news),
		"between streams":  stream(false, "retry: 30000\n"+news),
		"before the first": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &streamServer{gets: []http.HandlerFunc{get}}
				tr, _ := s.open(t)
				ended := make(chan error)
				go func() { ended <- tr.Listen(t.Context(), resumable(), func() {}) }()
				synctest.Wait()
				start := time.Now()
				if err := tr.Close(); err != nil {
					t.Error(err)
				}
				if err := <-ended; !errors.Is(err, transport.ErrClosed) || time.Since(start) != 0 {
					t.Errorf("%v, %v after Close", err, time.Since(start))
				}
			})
		})
	}
}

// An open circuit is waited for, like a server that says how long it is down.
func TestAStreamWaitsForTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &streamServer{
			post: answer(503, "", ""),
			gets: []http.HandlerFunc{later(second, stream(false, "id: 7\n"+news)), stream(true)},
		}
		tr, _ := s.open(t, WithBreaker(NewBreaker(BreakerConfig{Failures: 1, Open: 20 * second})), WithRetries(0))
		time.AfterFunc(second/2, func() { tr.Exchange(t.Context(), toolCall()) })
		if err := listens(t, tr, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ended: %v", err)
		}
		if got := s.streams(); len(got) != 2 || got[1].At < 20*second {
			t.Errorf("streams %v, want the second when the circuit lets it through", got)
		}
	})
}
