package http

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

// What a server repeats of a request's secrets is concealed, whatever else it says
// stays, and so does what is too short to be told from other words.
func TestWhatAServerRepeatsIsConcealed(t *testing.T) {
	all := "token-1234 password-1 cookie-123 session-1 value-123 query-123 app short {}"
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer error_description="`+all+`"`)
		switch r.URL.Path {
		case "/page":
			answer(400, "text/plain", all)(w, r)
		case "/error":
			answer(400, "application/json", `{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"`+all+`","data":{"said":"`+all+`"}}}`)(w, r)
		case "/stream":
			answer(200, "text/event-stream", `data: {"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"`+all+`","data":12345678}}`+"\n\n")(w, r)
		}
	})
	const left = "[concealed] password-1 [concealed] [concealed] [concealed] [concealed] app short {}"
	for path, want := range map[string]negotiation.Outcome{
		"/page": {Body: []byte(left)},
		"/error": {Message: &protocol.Message{Error: &protocol.Error{
			Code: -32000, Message: left, Data: []byte(`{"said":"` + left + `"}`),
		}}},
		"/stream": {Message: &protocol.Message{Error: &protocol.Error{Code: -32000, Message: left}}},
	} {
		tr := open(t, s.URL+path+"?q=query-123", WithHeader("Authorization", "Bearer token-1234"),
			WithHeader("Cookie", "c=cookie-123"), WithHeader("X-Key", "value-123"), WithHeader("X-App", "app"), WithHeader("X-Number", "12345678"))
		req := withSession()
		req.Session = "session-1"
		o := tr.Exchange(t.Context(), req)
		if diff := cmp.Diff(string(want.Body), string(o.Body)); diff != "" {
			t.Errorf("%s: the body (-want +got):\n%s", path, diff)
		}
		if want.Message != nil {
			if o.Message == nil {
				t.Fatalf("%s: %+v", path, o)
			}
			if diff := cmp.Diff(want.Message.Error, o.Message.Error); diff != "" {
				t.Errorf("%s: the error (-want +got):\n%s", path, diff)
			}
		}
		if !strings.Contains(o.Challenge, left) {
			t.Errorf("%s: the challenge is %s", path, o.Challenge)
		}
	}
	tr := open(t, strings.Replace(s.URL, "http://", "http://user:password-1@", 1)+"/page")
	if o := tr.Exchange(t.Context(), withSession()); !strings.Contains(string(o.Body), "token-1234 [concealed]") {
		t.Errorf("a password: %s", o.Body)
	}
}

// Results are what the program asked for.
func TestResultsAreNotConcealed(t *testing.T) {
	s := serve(t, answer(200, "application/json", `{"jsonrpc":"2.0","id":7,"result":{"key":"value-123"}}`))
	o := open(t, s.URL, WithHeader("X-Key", "value-123")).Exchange(t.Context(), withSession())
	if o.Message == nil || string(o.Message.Result) != `{"key":"value-123"}` {
		t.Errorf("%+v", o)
	}
}
