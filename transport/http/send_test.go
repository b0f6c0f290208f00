package http

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// note is a legacy notification.
func note() *transport.Request {
	return &transport.Request{
		Method: "notifications/initialized", Body: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`),
		Era: negotiation.EraLegacy, Version: "2025-11-25", Session: "s1",
	}
}

// B028, B029, B030, B031, M-HTTP-26: any 2xx is success of a notification;
// what comes with it does not count.
func TestSendTakesAny2xx(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"202":                                     answer(202, "", ""),
		"200 without body and type":               answer(200, "", ""),
		"200 with the type of a body":             answer(200, "application/json", ""),
		"200 with an empty object":                answer(200, "application/json", "{}"),
		"204":                                     answer(204, "", ""),
		"202 with words":                          answer(202, "text/plain; charset=utf-8", "Accepted"),
		"200 with an error, which nobody asked":   answer(200, "application/json", failure),
		"a stream that ends":                      stream(false, ": ping\n\n"),
		"a stream that stays open":                stream(true),
		"a stream that says things without end":   stream(true, ": ping\n\n"),
		"a body that never ends":                  endless("text/plain", "x"),
		"a body cut off":                          flushedThenAborted,
		"a type that can't be read, and no body":  answer(200, ";;;", ""),
		"a web page":                              answer(200, "text/html", "<html>"),
		"299":                                     answer(299, "", ""),
		"201 with a place that is not for us too": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Location", "/x"); w.WriteHeader(201) },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, handler)
			if err := open(t, s.URL).Send(t.Context(), note()); err != nil {
				t.Errorf("Send: %v", err)
			}
			if n := len(s.seen()); n != 1 {
				t.Errorf("sent %d times", n)
			}
		})
	}
}

func flushedThenAborted(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "10")
	_, _ = io.WriteString(w, "x")
	flush(w)
	panic(http.ErrAbortHandler)
}

// M-HTTP-26: anything else is a failure, with or without a JSON-RPC error.
func TestSendReportsWhatIsNo2xx(t *testing.T) {
	const idless = `{"jsonrpc":"2.0","error":{"code":-32602,"message":"bad params"}}`
	bad := &protocol.Error{Code: -32602, Message: "bad params"}
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		want    error // but for its Origin and Method
	}{
		"400 with an error":             {answer(400, "application/json", idless), &transport.ServerError{Status: 400, Err: bad}},
		"400 with an id of its own":     {answer(400, "application/json", strings.Replace(idless, `"error"`, `"id":9,"error"`, 1)), &transport.ServerError{Status: 400, Err: bad}},
		"400 with a result is no 2xx":   {answer(400, "application/json", `{"jsonrpc":"2.0","result":{}}`), &transport.StatusError{Status: 400, ContentType: "application/json"}},
		"404 with words":                {answer(404, "text/plain", "gone"), &transport.StatusError{Status: 404, ContentType: "text/plain", Said: `"gone"`}},
		"405 with nothing":              {answer(405, "", ""), &transport.StatusError{Status: 405}},
		"401":                           {answer(401, "", ""), &transport.AuthError{Status: 401}},
		"403 with an error":             {answer(403, "application/json", idless), &transport.AuthError{Status: 403, Err: bad}},
		"503 is not tried again":        {answer(503, "", ""), &transport.UnavailableError{Status: 503, Attempts: 1}},
		"500 with an error":             {answer(500, "application/json", idless), &transport.ServerError{Status: 500, Err: bad}},
		"a redirect that would not fit": {redirect(301, "/x"), &transport.StatusError{Status: 301, Location: "{origin}/x"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, tc.handler)
			err := open(t, s.URL).Send(t.Context(), note())
			switch want := tc.want.(type) {
			case *transport.ServerError:
				want.Origin, want.Method = s.URL, note().Method
			case *transport.AuthError:
				want.Origin, want.Method = s.URL, note().Method
			case *transport.UnavailableError:
				want.Origin, want.Method = s.URL, note().Method
			case *transport.StatusError:
				want.Origin, want.Method = s.URL, note().Method
				want.Location = strings.Replace(want.Location, "{origin}", s.URL, 1)
			}
			if diff := cmp.Diff(tc.want, err); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if n := len(s.seen()); n != 1 {
				t.Errorf("sent %d times", n)
			}
		})
	}
}

func TestSendTellsWhoEndedIt(t *testing.T) {
	reached := make(chan struct{}, 1)
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		reached <- struct{}{}
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-reached; cancel() }()
	if err := open(t, s.URL).Send(ctx, note()); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	ctx, expire := expiring(t.Context())
	go func() { <-reached; expire() }()
	if err := open(t, s.URL).Send(ctx, note()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("its time passed: %v", err)
	}
	tr := open(t, s.URL)
	go func() { <-reached; _ = tr.Close() }()
	if err := tr.Send(t.Context(), note()); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// L-SES-04, B-AUT-50, B009, B026, B027: any answer to DELETE is the end of the
// session, 405 and 404 too.
func TestEndSession(t *testing.T) {
	for _, status := range []int{200, 202, 204, 301, 307, 400, 401, 404, 405, 500, 501, 503} {
		s := serve(t, answer(status, "", ""))
		tr := open(t, s.URL+"/mcp?k=v", WithHeader("Authorization", "x"))
		if err := tr.EndSession(t.Context(), "2025-11-25", "s1"); err != nil {
			t.Errorf("HTTP %d: %v", status, err)
		}
		seen := s.seen()
		if len(seen) != 1 {
			t.Fatalf("HTTP %d: %d requests", status, len(seen))
		}
		seen[0].Header.Del("User-Agent")
		seen[0].Header.Del("Accept-Encoding")
		want := recorded{"DELETE", "/mcp?k=v", http.Header{
			"Authorization": {"x"}, "Mcp-Protocol-Version": {"2025-11-25"}, "Mcp-Session-Id": {"s1"},
		}, ""}
		if diff := cmp.Diff(want, seen[0]); diff != "" {
			t.Errorf("request (-want +got):\n%s", diff)
		}
	}
}

func TestEndSessionEndsWithItsContextAndWithClose(t *testing.T) {
	reached := make(chan struct{}, 1)
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		reached <- struct{}{}
		<-r.Context().Done()
	})
	tr := open(t, s.URL)
	ctx, expire := expiring(t.Context())
	go func() { <-reached; expire() }()
	if err := tr.EndSession(ctx, "2025-11-25", "s1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("its time passed: %v", err)
	}
	go func() { <-reached; _ = tr.Close() }()
	if err := tr.EndSession(t.Context(), "2025-11-25", "s1"); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("closed meanwhile: %v", err)
	}
	if err := tr.EndSession(t.Context(), "2025-11-25", "s1"); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("closed before: %v", err)
	}
}

func TestEndSessionReportsTheNetwork(t *testing.T) {
	s := newServer(answer(200, "", ""))
	s.Start()
	s.Close()
	err := open(t, s.URL).EndSession(t.Context(), "2025-11-25", "SECRET")
	if !errors.Is(err, transport.ErrUnavailable) || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("error %v", err)
	}
}
