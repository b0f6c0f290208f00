package http

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// B033: case and parameters of a media type mean nothing.
func TestMediaTypesAreReadInAnySpelling(t *testing.T) {
	const event = "data: " + result + "\n\n"
	for contentType, body := range map[string]string{
		"application/json":                              result,
		`Application/JSON; charset="UTF-8"`:             result,
		"application/json;charset=iso-8859-1":           result,
		"application/json; charset=utf-8; charset=utf8": result,
		"application/json; charset":                     result,
		"":                                              result,
		"text/event-stream":                             event,
		"TEXT/Event-Stream;charset=utf-8":               event,
		"text/event-stream; charset":                    event,
		"text/event-stream ; a=1; a=2":                  event,
		" text/event-stream;;":                          event,
	} {
		t.Run(contentType, func(t *testing.T) {
			tr := open(t, serve(t, answer(200, contentType, body)).URL)
			o, err := exchange(t.Context(), tr, toolCall())
			if err != nil {
				t.Fatalf("Exchange: %v", err)
			}
			if got := string(o.Message.Result); got != `{"ok":true}` {
				t.Errorf("result %s", got)
			}
		})
	}
}

// B034, B-MSG-01: messages are UTF-8, whatever the server calls them.
func TestTextIsUTF8WhateverTheCharset(t *testing.T) {
	const text = `"Привет, 世界 🙂"`
	for _, contentType := range []string{"application/json", "application/json; charset=iso-8859-1", "text/event-stream"} {
		body := `{"jsonrpc":"2.0","id":1,"result":` + text + `}`
		if contentType == "text/event-stream" {
			body = "data:" + body + "\n\n"
		}
		tr := open(t, serve(t, answer(200, contentType, body)).URL)
		o, err := exchange(t.Context(), tr, toolCall())
		if err != nil {
			t.Fatalf("%s: %v", contentType, err)
		}
		if got := string(o.Message.Result); got != text {
			t.Errorf("%s: result %s, want %s", contentType, got, text)
		}
	}
}

func TestOutcomeTellsWhatCame(t *testing.T) {
	decoded := &protocol.Message{ID: protocol.NumberID(1), Result: []byte(`{"ok":true}`)}
	refused := &protocol.Message{
		ID:    protocol.NumberID(1),
		Error: &protocol.Error{Code: -32602, Message: "limit must be > 0", Data: []byte(`{"field":"limit"}`)},
	}
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		want    negotiation.Outcome
	}{
		"a JSON answer with a session": {
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Mcp-Session-Id", "s1")
				answer(200, "application/json", result)(w, r)
			},
			negotiation.Outcome{Status: 200, ContentType: "application/json", Message: decoded, Session: "s1"},
		},
		"a header's name in any case, its value as it is (M-HTTP-20)": {
			func(w http.ResponseWriter, r *http.Request) {
				w.Header()["mcp-SESSION-id"] = []string{"S1"}
				answer(200, "application/json", result)(w, r)
			},
			negotiation.Outcome{Status: 200, ContentType: "application/json", Message: decoded, Session: "S1"},
		},
		"a byte-order mark": {
			answer(200, "application/json", "\uFEFF"+result),
			negotiation.Outcome{Status: 200, ContentType: "application/json", Message: decoded},
		},
		"JSON-RPC in a 400": {
			answer(400, "application/json", failure),
			negotiation.Outcome{Status: 400, ContentType: "application/json", Message: refused},
		},
		"a web page": {
			answer(200, "text/html", "<html>"),
			negotiation.Outcome{Status: 200, ContentType: "text/html", Body: []byte("<html>"), Err: errors.New("any")},
		},
		"a batch": {
			answer(200, "application/json", "["+result+"]"),
			negotiation.Outcome{Status: 200, ContentType: "application/json", Body: []byte("[" + result + "]"), Err: errors.New("any")},
		},
		"nothing": {
			answer(202, "", ""),
			negotiation.Outcome{Status: 202},
		},
		"a challenge in two fields": {
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Add("WWW-Authenticate", `Bearer realm="a"`)
				w.Header().Add("WWW-Authenticate", `Basic`)
				answer(401, "", "")(w, r)
			},
			negotiation.Outcome{Status: 401, Challenge: `Bearer realm="a", Basic`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := open(t, serve(t, tc.handler).URL)
			got := tr.Exchange(t.Context(), toolCall())
			tc.want.RequestID, tc.want.Attempts = protocol.NumberID(1), 1
			if (tc.want.Err == nil) != (got.Err == nil) {
				t.Errorf("Err = %v, want like %v", got.Err, tc.want.Err)
			}
			tc.want.Err, got.Err = nil, nil
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(protocol.ID{})); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
		})
	}
}

// B051: what is above the limit fails with an error that names it.
func TestAnswersAboveTheLimitFailWithIt(t *testing.T) {
	long := `{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("x", 1000) + `"}`
	event := "data: " + long + "\n\n"
	framed := int64(len(event) - len("\n"))
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		limit   int64
		want    error
	}{
		"JSON on the limit":              {answer(200, "application/json", long), int64(len(long)), nil},
		"JSON a byte above":              {answer(200, "application/json", long), int64(len(long)) - 1, &transport.LimitError{What: "message", Limit: int64(len(long)) - 1}},
		"JSON of unknown length":         {flushed("application/json", long), 100, &transport.LimitError{What: "message", Limit: 100}},
		"JSON that never ends":           {endless("application/json", "x"), 100, &transport.LimitError{What: "message", Limit: 100}},
		"an event on the limit":          {answer(200, "text/event-stream", event), framed, nil},
		"an event a byte above":          {answer(200, "text/event-stream", event), framed - 1, &transport.LimitError{What: "event", Limit: framed - 1}},
		"an event without a line end":    {endless("text/event-stream", "x"), 5000, &transport.LimitError{What: "event", Limit: 5000}},
		"an event without a blank line":  {endless("text/event-stream", "data: x\n"), 5000, &transport.LimitError{What: "event", Limit: 5000}},
		"the largest limit is no limit":  {answer(200, "application/json", long), math.MaxInt64, nil},
		"nor is it for events":           {answer(200, "text/event-stream", event), math.MaxInt64, nil},
		"small events are not summed up": {answer(200, "text/event-stream", strings.Repeat(": ping\n\n", 1000)+event), framed, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, tc.handler)
			check := func(tr *Transport, req *transport.Request) {
				t.Helper()
				_, err := exchange(t.Context(), tr, req)
				var got error
				if limit := new(transport.LimitError); errors.As(err, &limit) {
					got = limit
				} else if err != nil {
					got = err
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("error (-want +got):\n%s", diff)
				}
			}
			check(open(t, s.URL, WithMaxMessage(tc.limit)), toolCall())
			req := toolCall()
			req.MaxAnswer = tc.limit
			check(open(t, s.URL, WithMaxMessage(math.MaxInt64)), req) // the smaller one counts
			req.MaxAnswer = math.MaxInt64
			check(open(t, s.URL, WithMaxMessage(tc.limit)), req)
		})
	}
}

// flushed answers without a Content-Length.
func flushed(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		flush(w)
		_, _ = io.WriteString(w, body)
	}
}

// endless repeats part until the client has gone.
func endless(contentType, part string) http.HandlerFunc {
	part = strings.Repeat(part, 1000)
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, part)
			flush(w)
		}
	}
}

func TestAnswersThatBreakOffAreNetworkErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		cause   error
	}{
		"in the body": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Length", "1000")
				_, _ = io.WriteString(w, result)
				flush(w)
				panic(http.ErrAbortHandler)
			}, io.ErrUnexpectedEOF,
		},
		"in an event": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, "data: "+result+"\n") // whole, but who knows
				flush(w)
				panic(http.ErrAbortHandler)
			}, transport.ErrStreamEnded,
		},
		"before the header": {
			func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, io.EOF,
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := open(t, serve(t, tc.handler).URL)
			o, err := exchange(t.Context(), tr, toolCall())
			if o.Failure != negotiation.NetworkError || o.Attempts != 1 {
				t.Errorf("failure %v after %d attempts", o.Failure, o.Attempts)
			}
			if !errors.Is(err, transport.ErrUnavailable) || !errors.Is(err, tc.cause) {
				t.Errorf("error %v, want ErrUnavailable and %v", err, tc.cause)
			}
		})
	}
}

func TestExchangeTellsWhoEndedIt(t *testing.T) {
	reached := make(chan struct{}, 1)
	never := func(w http.ResponseWriter, r *http.Request) {
		reached <- struct{}{}
		<-r.Context().Done()
	}
	started := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		flush(w)
		never(w, r)
	}
	for name, handler := range map[string]http.HandlerFunc{"before the header": never, "within the stream": started} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, handler)
			t.Run("the caller gave up", func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				go func() { <-reached; cancel() }()
				o, err := exchange(ctx, open(t, s.URL), toolCall())
				if o.Failure != negotiation.Canceled || !errors.Is(err, context.Canceled) {
					t.Errorf("%v: %v", o.Failure, err)
				}
			})
			t.Run("its time passed", func(t *testing.T) {
				ctx, expire := expiring(t.Context())
				go func() { <-reached; expire() }()
				o, err := exchange(ctx, open(t, s.URL), toolCall())
				if o.Failure != negotiation.TimedOut || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%v: %v", o.Failure, err)
				}
			})
			t.Run("the transport was closed", func(t *testing.T) {
				tr := open(t, s.URL)
				go func() { <-reached; _ = tr.Close() }()
				o, err := exchange(t.Context(), tr, toolCall())
				if o.Failure != negotiation.Closed || !errors.Is(err, transport.ErrClosed) {
					t.Errorf("%v: %v", o.Failure, err)
				}
			})
		})
	}
	t.Run("a context that has ended sends nothing", func(t *testing.T) {
		s := serve(t, answer(200, "application/json", result))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		o, err := exchange(ctx, open(t, s.URL), toolCall())
		if o.Failure != negotiation.Canceled || !errors.Is(err, context.Canceled) || o.Attempts != 0 || len(s.seen()) != 0 {
			t.Errorf("%v after %d attempts: %v; the server saw %d requests", o.Failure, o.Attempts, err, len(s.seen()))
		}
	})
}

// expiring returns a context whose deadline passes when the test says so.
func expiring(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	return expired{ctx}, cancel
}

type expired struct{ context.Context }

func (e expired) Err() error {
	if e.Context.Err() == nil {
		return nil
	}
	return context.DeadlineExceeded
}

// However much is promised: nothing, what comes, less than that, or more.
func TestBodiesOfAnySizeAreReadWhole(t *testing.T) {
	for _, size := range []int{0, 1, 511, 512, 513, 4096, maxPresized - 1, maxPresized, maxPresized + 1, 3*maxPresized + 7} {
		for _, promised := range []int64{-1, 0, int64(size), int64(size) / 2, 2*int64(size) + 1} {
			body := bytes.Repeat([]byte("x"), size)
			for name, r := range map[string]io.Reader{
				"at once": bytes.NewReader(body), "with the end": iotest.DataErrReader(bytes.NewReader(body)), "in halves": iotest.HalfReader(bytes.NewReader(body)),
			} {
				got, err := readAll(r, promised)
				if err != nil || !bytes.Equal(got, body) {
					t.Errorf("%d bytes, %d promised, %s: %d bytes, %v", size, promised, name, len(got), err)
				}
			}
		}
	}
	if _, err := readAll(iotest.ErrReader(io.ErrUnexpectedEOF), 10); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
}
