package http

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpera/mcpera/transport"
)

// A stream that goes on after the response, and says nothing, is cut by itself.
func TestASilentStreamAfterTheResponseIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var left time.Time
		s := &streamServer{post: func(w http.ResponseWriter, r *http.Request) {
			stream(false, ending)(w, r)
			flush(w)
			<-r.Context().Done()
			left = time.Now()
		}}
		tr, _ := s.open(t)
		if _, err := exchange(t.Context(), tr, resumable()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(drainTime) // of the bubble
		synctest.Wait()
		if took := left.Sub(s.start); left.IsZero() || took > drainTime {
			t.Errorf("it was cut after %v", took)
		}
	})
}

// A server that says how often it wants to be asked is asked so often, however
// little it says.
func TestAServerIsAskedAsOftenAsItWants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &streamServer{gets: []http.HandlerFunc{stream(false, "retry: 1000\n"+primed)}}
		tr, _ := s.open(t, WithBackoff(transport.DefaultBackoff()))
		_ = listens(t, tr, time.Minute-time.Second/2)
		if n := len(s.streams()); n != 60 {
			t.Errorf("%d streams in a minute, want one a second", n)
		}
	})
}

// A request that its caller repeats is sent a single time, though it may be sent
// again and even though nothing reached the server.
func TestWhatTheCallerRepeatsIsSentOnce(t *testing.T) {
	trips := 0
	refused := roundTripFunc(func(*http.Request) (*http.Response, error) {
		trips++
		return nil, errors.New("connection refused")
	})
	req := toolList()
	req.Once = true
	_, err := exchange(t.Context(), open(t, "http://api.example.com/mcp", WithClient(&http.Client{Transport: refused})), req)
	if !errors.Is(err, transport.ErrUnavailable) || trips != 1 {
		t.Errorf("%v, after %d trips", err, trips)
	}
}
