package conformance

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/protocol"
)

// listen sends a subscriptions/listen request with a filter.
func (e *endpoint) listen(filter string, headers ...string) *http.Response {
	e.t.Helper()
	return e.do("POST", modernBody(methodListen, `"notifications":`+filter, emptyCaps), modernHeaders(methodListen, "", headers...)...)
}

// subscriptionID is the id that a message on a subscription carries.
func subscriptionID(t *testing.T, m *protocol.Message) string {
	t.Helper()
	params := m.Params
	if m.IsResponse() {
		params = m.Result
	}
	return string(metaOf(params).Get(protocol.MetaSubscriptionID))
}

func TestListenIsAcknowledgedFirst(t *testing.T) {
	e := serve(t)
	for name, tc := range map[string]struct{ asked, acknowledged string }{
		"nothing":                              {`{}`, `{}`},
		"every kind":                           {`{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`, `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`},
		"what is false is left out":            {`{"toolsListChanged":false,"promptsListChanged":true}`, `{"promptsListChanged":true}`},
		"resources that exist":                 {`{"resourceSubscriptions":["test://static-text","test://template/7/data"]}`, `{"resourceSubscriptions":["test://static-text","test://template/7/data"]}`},
		"a resource that does not is left out": {`{"resourceSubscriptions":["test://none","test://static-text"]}`, `{"resourceSubscriptions":["test://static-text"]}`},
		"an unknown kind is left out":          {`{"moonPhaseChanged":true}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			es := openEvents(t, e.listen(tc.asked))
			m := es.message()
			if m.Method != "notifications/subscriptions/acknowledged" || subscriptionID(t, m) != "1" {
				t.Errorf("first message: %s %s", m.Method, m.Params)
			}
			if got := string(mustObject(m.Params).get("notifications")); got != tc.acknowledged {
				t.Errorf("acknowledged %s, want %s", got, tc.acknowledged)
			}
			es.resp.Body.Close()
		})
	}
}

func TestListenDeliversWhatWasAskedForAndNothingElse(t *testing.T) {
	e := serve(t)
	all := openEvents(t, e.listen(`{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["test://watched-resource"]}`))
	some := openEvents(t, e.listen(`{"promptsListChanged":true}`))
	all.message()
	some.message()
	e.srv.SetTool(tool("new_tool", showArguments))
	e.srv.NotifyResourceUpdated("test://static-text") // nobody subscribed
	e.srv.SetResource(Resource{URI: "test://watched-resource", Name: "watched", Read: TextResource("text/plain", "new")})
	e.srv.RemoveResource("test://static-binary")
	e.srv.SetPrompt(Prompt{Name: "new_prompt"})
	var got []string
	for range 4 {
		m := all.message()
		if subscriptionID(t, m) != "1" {
			t.Errorf("%s has subscription id %s", m.Method, subscriptionID(t, m))
		}
		got = append(got, m.Method)
		if m.Method == "notifications/resources/updated" && string(mustObject(m.Params).get("uri")) != `"test://watched-resource"` {
			t.Errorf("updated: %s", m.Params)
		}
	}
	want := []string{"notifications/tools/list_changed", "notifications/resources/updated", "notifications/resources/list_changed", "notifications/prompts/list_changed"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if m := some.message(); m.Method != "notifications/prompts/list_changed" {
		t.Errorf("the other listener got %s", m.Method)
	}
}

func TestListenEndsInAnOrderlyWay(t *testing.T) {
	for name, tc := range map[string]struct {
		opts []Option
		end  func(*endpoint)
	}{
		"when the server closes":    {nil, func(e *endpoint) { e.srv.Close() }},
		"when its lifetime is over": {[]Option{WithStreamLifetime(5 * time.Millisecond)}, func(*endpoint) {}},
	} {
		t.Run(name, func(t *testing.T) {
			e := serve(t, tc.opts...)
			es := openEvents(t, e.listen(`{}`))
			es.message()
			tc.end(e)
			m := es.message()
			if !m.IsResponse() || m.Error != nil || m.ID.String() != "1" || subscriptionID(t, m) != "1" {
				t.Errorf("last message: %s %v", m.Result, m.Error)
			}
			if got := string(mustObject(m.Result).get("resultType")); got != `"complete"` {
				t.Errorf("resultType = %s", got)
			}
			if _, ok := es.next(); ok {
				t.Error("the stream goes on after the result")
			}
		})
	}
}

func TestListenRefusals(t *testing.T) {
	e := serve(t)
	t.Run("without text/event-stream in Accept it is 406", func(t *testing.T) {
		if a := e.read(e.listen(`{}`, "Accept", "application/json")); a.Status != 406 || a.code() != -32600 {
			t.Errorf("status %d, body %s", a.Status, a.Body)
		}
	})
	t.Run("without a filter it is -32602", func(t *testing.T) {
		if a := e.modern(methodListen, "", ""); a.Status != 200 || a.code() != -32602 {
			t.Errorf("status %d, body %s", a.Status, a.Body)
		}
	})
	t.Run("a filter of the wrong shape is -32602", func(t *testing.T) {
		if a := e.read(e.listen(`{"toolsListChanged":"yes"}`)); a.Status != 200 || a.code() != -32602 {
			t.Errorf("status %d, body %s", a.Status, a.Body)
		}
	})
	t.Run("task ids without the tasks extension are -32021", func(t *testing.T) {
		if a := e.read(e.listen(`{"taskIds":["x"]}`)); a.Status != 400 || a.code() != -32021 {
			t.Errorf("status %d, body %s", a.Status, a.Body)
		}
	})
	t.Run("a refusal gives its place back", func(t *testing.T) {
		e := serve(t, WithMaxStreams(1))
		e.read(e.listen(`{"toolsListChanged":"yes"}`))
		openEvents(t, e.listen(`{}`)).message()
	})
}

func TestListenKeepsTheConnectionAlive(t *testing.T) {
	e := serve(t, WithKeepAlive(time.Millisecond))
	es := openEvents(t, e.listen(`{}`))
	es.message()
	if ev, ok := es.next(); !ok || !ev.Comment {
		t.Errorf("event %+v, %v; want a comment", ev, ok)
	}
}

func TestEndSubscriptionsEndsThemAndNothingElse(t *testing.T) {
	e := serve(t)
	es := openEvents(t, e.listen(`{}`))
	es.message()
	e.srv.EndSubscriptions()
	if m := es.message(); !m.IsResponse() || m.Error != nil {
		t.Errorf("last message %+v", m)
	}
	again := openEvents(t, e.listen(`{"toolsListChanged":true}`))
	again.message()
	e.srv.NotifyToolsChanged()
	if m := again.message(); m.Method != "notifications/tools/list_changed" {
		t.Errorf("message %s", m.Method)
	}
}
