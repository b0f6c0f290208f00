package http

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// B141: both forms of Retry-After, and what is none.
func TestRetryAfter(t *testing.T) {
	const date = "Tue, 28 Jul 2026 12:00:00 GMT"
	for name, tc := range map[string]struct {
		value, date string
		want        time.Duration
	}{
		"none":                          {"", date, 0},
		"seconds":                       {"7", date, 7 * time.Second},
		"seconds without a date":        {"7", "", 7 * time.Second},
		"zero":                          {"0", date, 0},
		"999999 is reported up to 24 h": {"999999", date, 24 * time.Hour},
		"24 h exactly":                  {"86400", date, 24 * time.Hour},
		"a second less":                 {"86399", date, 24*time.Hour - time.Second},
		"more than fits":                {"99999999999999999999999", date, 24 * time.Hour},
		"a word":                        {"abc", date, 0},
		"below zero":                    {"-1", date, 0},
		"a fraction":                    {"1.5", date, 0},
		"a unit":                        {"1s", date, 0},
		"a date":                        {"Tue, 28 Jul 2026 12:01:30 GMT", date, 90 * time.Second},
		"a date of the old kind":        {"Tuesday, 28-Jul-26 12:01:30 GMT", date, 90 * time.Second},
		"a date that has passed":        {"Tue, 28 Jul 2026 11:00:00 GMT", date, 0},
		"a date far ahead":              {"Tue, 28 Jul 2126 11:00:00 GMT", date, 24 * time.Hour},
		"a date by the server's clock":  {"Thu, 01 Jan 1970 00:00:05 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", 5 * time.Second},
		"a date far ahead, none of its": {"Tue, 28 Jul 2126 11:00:00 GMT", "", 24 * time.Hour},
		"a past date, none of its":      {"Thu, 01 Jan 1970 00:00:05 GMT", "yesterday", 0},
	} {
		t.Run(name, func(t *testing.T) {
			resp := &http.Response{Header: http.Header{"Retry-After": {tc.value}, "Date": {tc.date}}}
			if got := retryAfter(resp); got != tc.want {
				t.Errorf("Retry-After %q at %q: %v, want %v", tc.value, tc.date, got, tc.want)
			}
		})
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"7", "abc", "999999", "Tue, 28 Jul 2026 12:01:30 GMT", "-9223372036854775808"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, value, date string) {
		resp := &http.Response{Header: http.Header{"Retry-After": {value}, "Date": {date}}}
		if got := retryAfter(resp); got < 0 || got > maxRetryAfter {
			t.Errorf("Retry-After %q at %q: %v", value, date, got)
		}
	})
}

// B017.
func TestOnlyIdempotentRequestsAreSentAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		handler    http.HandlerFunc
		retries    int
		idempotent int // how often an idempotent request is sent; any other once
	}{
		"408":                     {answer(408, "", ""), 3, 4},
		"429":                     {answer(429, "", ""), 3, 4},
		"500":                     {answer(500, "", ""), 3, 4},
		"501":                     {answer(501, "", ""), 3, 1},
		"502":                     {answer(502, "", ""), 3, 4},
		"503":                     {answer(503, "", ""), 3, 4},
		"504":                     {answer(504, "", ""), 2, 3},
		"503 without retries":     {answer(503, "", ""), 0, 1},
		"200":                     {answer(200, "application/json", result), 3, 1},
		"200 that is no MCP":      {answer(200, "text/html", "<html>"), 3, 1},
		"400":                     {answer(400, "", ""), 3, 1},
		"401":                     {answer(401, "", ""), 3, 1},
		"403":                     {answer(403, "", ""), 3, 1},
		"404":                     {answer(404, "", ""), 3, 1},
		"a reset in mid-flight":   {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 3, 4},
		"a stream without an end": {stream(false), 3, 1}, // it may have been carried out
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, tc.handler)
			tr := open(t, s.URL, WithRetries(tc.retries))
			o := tr.Exchange(t.Context(), toolCall())
			if n := len(s.seen()); n != 1 || o.Attempts != 1 {
				t.Errorf("a tool call was sent %d times, told as %d", n, o.Attempts)
			}
			o = tr.Exchange(t.Context(), toolList())
			if n := len(s.seen()) - 1; n != tc.idempotent || o.Attempts != tc.idempotent {
				t.Errorf("an idempotent request was sent %d times, told as %d, want %d", n, o.Attempts, tc.idempotent)
			}
			for _, got := range s.seen()[1:] {
				if diff := cmp.Diff(string(toolList().Body), got.Body); diff != "" {
					t.Errorf("body (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestARetryThatSucceedsIsASuccess(t *testing.T) {
	var n atomic.Int64
	tr := open(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) < 3 {
			answer(503, "text/plain", "not yet")(w, r)
			return
		}
		answer(200, "application/json", result)(w, r)
	}).URL)
	o, err := exchange(t.Context(), tr, toolList())
	if err != nil || o.Attempts != 3 {
		t.Errorf("%d attempts, error %v", o.Attempts, err)
	}
}

func TestTheLastRefusalIsPassedOnWhole(t *testing.T) {
	tr := open(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "17")
		answer(503, "application/json", failure)(w, r)
	}).URL, WithBackoff(transport.Backoff{}))
	o, err := exchange(t.Context(), tr, toolList())
	down := new(transport.UnavailableError)
	if !errors.As(err, &down) || down.Status != 503 || down.Attempts != 4 || down.RetryAfter != 17*time.Second {
		t.Errorf("error %#v", err)
	}
	if o.Message == nil || o.Message.Error.Message != "limit must be > 0" {
		t.Errorf("the body is lost: %+v", o)
	}
}

func TestWhatWasNeverSentIsSentAgain(t *testing.T) {
	refused := errors.New("connection refused")
	var dials atomic.Int64
	s := serve(t, answer(200, "application/json", result))
	c := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if dials.Add(1) < 3 {
				return nil, &net.OpError{Op: "dial", Net: network, Err: refused}
			}
			return new(net.Dialer).DialContext(ctx, network, addr)
		},
	}}
	defer c.CloseIdleConnections()
	tr := open(t, s.URL, WithClient(c))
	o, err := exchange(t.Context(), tr, toolCall())
	if err != nil || o.Attempts != 1 || len(s.seen()) != 1 || dials.Load() != 3 {
		t.Errorf("%d dials, %d attempts, %d requests, error %v", dials.Load(), o.Attempts, len(s.seen()), err)
	}
	t.Run("within the retries", func(t *testing.T) {
		dials.Store(-1 << 40)
		c.CloseIdleConnections()
		o, err := exchange(t.Context(), tr, toolCall())
		if o.Failure != negotiation.NetworkError || o.Attempts != 0 || !errors.Is(err, refused) || dials.Load() != 4-1<<40 {
			t.Errorf("%v after %d attempts: %v", o.Failure, o.Attempts, err)
		}
	})
}

func TestRetriesDoNotPileUpCookies(t *testing.T) {
	var n atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "node", Value: "n" + string('0'+rune(n.Add(1)))})
		answer(503, "", "")(w, r)
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	tr := open(t, s.URL, WithClient(&http.Client{Jar: jar}), WithHeader("Cookie", "mine=1"), WithRetries(2))
	defer http.DefaultClient.CloseIdleConnections()
	tr.Exchange(t.Context(), toolList())
	var got []string
	for _, r := range s.seen() {
		got = append(got, strings.Join(r.Header["Cookie"], "|"))
	}
	if diff := cmp.Diff([]string{"mine=1", "mine=1; node=n1", "mine=1; node=n2"}, got); diff != "" {
		t.Errorf("cookies (-want +got):\n%s", diff)
	}
}

// A memoryTransport answers each request by the next of its answers, in the
// bubble of a synctest.
type memoryTransport struct {
	answers []memoryAnswer
	at      []time.Duration // of each request, since the start
	start   time.Time
}

type memoryAnswer struct {
	status     int
	retryAfter string
}

func (m *memoryTransport) RoundTrip(hreq *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, hreq.Body)
	a := m.answers[min(len(m.at), len(m.answers)-1)]
	m.at = append(m.at, time.Since(m.start))
	h := http.Header{"Content-Type": {"application/json"}, "Date": {time.Now().UTC().Format(http.TimeFormat)}}
	if a.retryAfter != "" {
		h.Set("Retry-After", a.retryAfter)
	}
	return &http.Response{
		StatusCode: a.status, Header: h, Request: hreq, ContentLength: int64(len(result)),
		Body: io.NopCloser(bytes.NewReader([]byte(result))),
	}, nil
}

// B140, B141: the wait is the server's within a bound, and the backoff's where
// it names none.
func TestRetriesWaitAsLongAsTheServerAsks(t *testing.T) {
	ok := memoryAnswer{status: 200}
	for name, tc := range map[string]struct {
		answers []memoryAnswer
		want    []time.Duration
	}{
		"seconds":                {[]memoryAnswer{{429, "1"}, {503, "2"}, ok}, []time.Duration{0, 1 * time.Second, 3 * time.Second}},
		"a date":                 {[]memoryAnswer{{503, "Sat, 01 Jan 2000 00:00:09 GMT"}, ok}, []time.Duration{0, 9 * time.Second}},
		"no longer than allowed": {[]memoryAnswer{{429, "999999"}, ok}, []time.Duration{0, 30 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &memoryTransport{answers: tc.answers, start: time.Now()}
				tr := open(t, "http://h/mcp", WithClient(&http.Client{Transport: m}), WithBackoff(transport.DefaultBackoff()))
				if _, err := exchange(t.Context(), tr, toolList()); err != nil {
					t.Fatalf("Exchange: %v", err)
				}
				if diff := cmp.Diff(tc.want, m.at); diff != "" {
					t.Errorf("times (-want +got):\n%s", diff)
				}
			})
		})
	}
	t.Run("otherwise the backoff decides", func(t *testing.T) {
		for _, odd := range []string{"", "abc", "0", "Sat, 01 Jan 1990 00:00:00 GMT"} {
			synctest.Test(t, func(t *testing.T) {
				m := &memoryTransport{answers: []memoryAnswer{{503, odd}}, start: time.Now()}
				tr := open(t, "http://h/mcp", WithClient(&http.Client{Transport: m}), WithBackoff(transport.DefaultBackoff()))
				tr.Exchange(t.Context(), toolList())
				longest, shortest := 200*time.Millisecond, 100*time.Millisecond
				for i := 1; i < len(m.at); i++ {
					if wait := m.at[i] - m.at[i-1]; wait < shortest || wait > longest {
						t.Errorf("Retry-After %q: wait %d was %v, want %v to %v", odd, i, wait, shortest, longest)
					}
					longest, shortest = 2*longest, 2*shortest
				}
				if len(m.at) != 4 {
					t.Errorf("Retry-After %q: sent %d times", odd, len(m.at))
				}
			})
		}
	})
}

// B140.
func TestAContextEndsTheWaitForARetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memoryTransport{answers: []memoryAnswer{{503, "20"}}, start: time.Now()}
		tr := open(t, "http://h/mcp", WithClient(&http.Client{Transport: m}), WithBackoff(transport.DefaultBackoff()))
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		o, err := exchange(ctx, tr, toolList())
		if o.Failure != negotiation.TimedOut || o.Attempts != 1 || time.Since(m.start) != 3*time.Second {
			t.Errorf("%v after %v and %d attempts: %v", o.Failure, time.Since(m.start), o.Attempts, err)
		}
	})
}
