package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// elicit runs one elicitation in either era, and returns the answer that the
// server got, or the call's error.
func elicit(t *testing.T, era string, handler any, params string) (answer string, err error) {
	t.Helper()
	if era == "legacy" {
		s := overHTTP(t, legacyAsks(protocol.MethodElicit, params))
		if _, err := s.connected(t, client.WithHandler(handler)).CallTool(t.Context(), "echo", nil); err != nil {
			t.Fatal(err)
		}
		body := s.await(t, fault.Response, 1).Body
		if failed := member(t, body, "error"); failed != "" {
			return "", errors.New(failed)
		}
		return member(t, body, "result"), nil
	}
	s := overHTTP(t, modernCalls(
		inputRequired("", "k", `{"method":"elicitation/create","params":`+params+`}`),
		fault.Answer{fault.Content("done")},
	))
	if _, err := s.connected(t, client.WithHandler(handler)).CallTool(t.Context(), "echo", nil); err != nil {
		return "", err
	}
	return member(t, s.await(t, protocol.MethodCallTool, 2).Body, "params", "inputResponses", "k"), nil
}

// bothEras runs f for each era.
func bothEras(t *testing.T, f func(t *testing.T, era string)) {
	t.Helper()
	for _, era := range []string{"modern", "legacy"} {
		t.Run(era, func(t *testing.T) { f(t, era) })
	}
}

// A form of every kind of field, required and not, with and without default.
const wideForm = `{"mode":"form","message":"m","requestedSchema":{"type":"object","required":["name","plan","agree"],"properties":{
	"name":{"type":"string","minLength":2},
	"plan":{"type":"string","enum":["free","paid"],"default":"free"},
	"agree":{"type":"boolean","default":false},
	"age":{"type":"integer","minimum":18,"default":9007199254740993},
	"pick":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]},
	"tags":{"type":"array","items":{"type":"string","enum":["x","y"]},"maxItems":1}}}}`

// B-ELI-04, B-ELI-05, B101.
func TestAFormIsCompletedAndChecked(t *testing.T) {
	for name, tc := range map[string]struct {
		content map[string]any
		want    string // the content that is sent; "" when the form is refused
	}{
		"defaults fill what is missing, required or not, digit by digit": {map[string]any{"name": "Ada"},
			`{"age":9007199254740993,"agree":false,"name":"Ada","plan":"free"}`},
		"what the user gave stays": {map[string]any{"name": "Ada", "plan": "paid", "agree": true, "age": 20, "pick": "b", "tags": []string{"y"}},
			`{"age":20,"agree":true,"name":"Ada","pick":"b","plan":"paid","tags":["y"]}`},
		"large integers stay":              {map[string]any{"name": "Ada", "age": int64(9007199254740995)}, `{"age":9007199254740995,"agree":false,"name":"Ada","plan":"free"}`},
		"a required field without default": {map[string]any{}, ""},
		"a value outside an enum":          {map[string]any{"name": "Ada", "plan": "gold"}, ""},
		"a value outside a titled choice":  {map[string]any{"name": "Ada", "pick": "c"}, ""},
		"a number below the minimum":       {map[string]any{"name": "Ada", "age": 17}, ""},
		"a text that is too short":         {map[string]any{"name": "A"}, ""},
		"too many choices":                 {map[string]any{"name": "Ada", "tags": []string{"x", "y"}}, ""},
		"a wrong type":                     {map[string]any{"name": 7}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bothEras(t, func(t *testing.T, era string) {
				given := map[string]any{}
				for k, v := range tc.content {
					given[k] = v
				}
				answer, err := elicit(t, era, accepts(tc.content), wideForm)
				if tc.want == "" {
					if err == nil {
						t.Errorf("answered %s", answer)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.want, member(t, answer, "content")); diff != "" {
					t.Errorf("content (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(given, tc.content); diff != "" {
					t.Errorf("the handler's own map was changed:\n%s", diff)
				}
			})
		})
	}
}

// B101: the schema reaches the handler as it came, and no mode means form.
func TestTheHandlerSeesTheRequestAsItCame(t *testing.T) {
	const schema = `{"type":"object","properties":{"b":{"type":"boolean","default":false},"a":{"type":"string","enum":["x"],"enumNames":["X"]}}}`
	bothEras(t, func(t *testing.T, era string) {
		var got protocol.ElicitRequest
		_, err := elicit(t, era, elicitor(func(_ context.Context, req *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
			got = *req
			return &protocol.ElicitResult{Action: protocol.ElicitCancel}, nil
		}), `{"message":"m","requestedSchema":`+schema+`,"vendor":1}`)
		if err != nil || string(got.RequestedSchema) != schema || got.Mode != "" || got.Message != "m" || string(got.Extra) != `{"vendor":1}` {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

// A user who did not accept gave no content, whatever the handler returned.
func TestDeclinedAndCanceledFormsCarryNoContent(t *testing.T) {
	for _, action := range []string{protocol.ElicitDecline, protocol.ElicitCancel} {
		bothEras(t, func(t *testing.T, era string) {
			half := &protocol.ElicitResult{Action: action, Content: map[string]any{"name": "half typed"}}
			answer, err := elicit(t, era, elicitor(func(context.Context, *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
				return half, nil
			}), wideForm)
			if err != nil || answer != `{"action":"`+action+`"}` {
				t.Errorf("answered %s, %v", answer, err)
			}
		})
	}
}

// B-SCH-02, B-ELI-04.
func TestAFormThatCannotBeCheckedIsRefused(t *testing.T) {
	for name, schema := range map[string]string{
		"an unknown dialect": `{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"object"}`,
		"a remote $ref":      `{"$ref":"https://schemas.example/form"}`,
		"a list":             `[]`,
	} {
		t.Run(name, func(t *testing.T) {
			bothEras(t, func(t *testing.T, era string) {
				if answer, err := elicit(t, era, accepts(nil), `{"message":"m","requestedSchema":`+schema+`}`); err == nil {
					t.Errorf("answered %s", answer)
				}
			})
		})
	}
}

// B-ELI-07, B-ELI-11, S-SEC-07: a user is sent to https alone, and to this
// machine.
func TestUnsafeURLsAreRefusedBeforeTheHandlerSeesThem(t *testing.T) {
	for url, safe := range map[string]bool{
		"https://example.com/a?b=c#d":   true,
		"HTTPS://example.com":           true,
		"https://[2001:db8::1]:8443/":   true,
		"https://xn--bcher-kva.example": true,
		"http://localhost:3000/cb":      true,
		"http://127.0.0.9/":             true,
		"http://[::1]/":                 true,
		"http://example.com/":           false,
		"http://localhost.evil.example": false,
		"http://10.0.0.1/":              false,
		"https://user@example.com/":     false,
		"https://a:b@example.com/":      false,
		"https:///nohost":               false,
		"javascript:alert(1)":           false,
		"data:text/html,x":              false,
		"file:///etc/passwd":            false,
		"ftp://example.com/":            false,
		"//example.com/":                false,
		"/relative":                     false,
		"":                              false,
		"https://exa mple.com/":         false,
		`https://example.com/\n`:        false, // a line feed, once decoded
		"vscode://extension/run":        false,
	} {
		t.Run(url, func(t *testing.T) {
			bothEras(t, func(t *testing.T, era string) {
				seen := ""
				answer, err := elicit(t, era, visitor(func(_ context.Context, req *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
					seen = req.URL
					return &protocol.ElicitResult{Action: protocol.ElicitAccept, Content: map[string]any{"leaks": true}}, nil
				}), `{"mode":"url","message":"m","elicitationId":"e","url":"`+url+`"}`)
				switch {
				case !safe && (err == nil || seen != ""):
					t.Errorf("answered %s; the handler saw %q", answer, seen)
				case safe && (err != nil || seen != url || answer != `{"action":"accept"}`):
					t.Errorf("answered %s, %v; the handler saw %q", answer, err, seen)
				}
			})
		})
	}
}

// B-ELI-07, B-ELI-10: nothing is fetched ahead of the user's consent, nor
// after it: the page is seen where the user opens it, and nowhere else.
func TestAVisitsURLIsNeverFetched(t *testing.T) {
	var hits atomic.Int64
	spy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer spy.Close()
	bothEras(t, func(t *testing.T, era string) {
		if _, err := elicit(t, era, visitor(accepts(nil)), `{"mode":"url","message":"m","url":"`+spy.URL+`/page"}`); err != nil {
			t.Error(err)
		}
	})
	if n := hits.Load(); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestAVisitsActionIsChecked(t *testing.T) {
	bothEras(t, func(t *testing.T, era string) {
		answer, err := elicit(t, era, visitor(func(context.Context, *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
			return &protocol.ElicitResult{}, nil
		}), `{"mode":"url","message":"m","url":"https://example.com/"}`)
		if err == nil {
			t.Errorf("answered %s", answer)
		}
	})
}

// B-ROT-02, B-ROT-03: roots are file:// URIs, and lead where they seem to.
func TestRootsThatAreNoFilesAreNotSent(t *testing.T) {
	for uri, ok := range map[string]bool{
		"file:///home/ada":     true,
		"file://server/share":  true,
		"file:///C:/Users/ada": true,
		"file:///a..b/..c/":    true,
		"https://example.com":  false,
		"file:relative":        false,
		"file:/one/slash":      false,
		"/home/ada":            false,
		"":                     false,
		"file://%zz":           false,
		"file:///home/../etc":  false,
		"file:///home/%2e%2E":  false,
		`file:///C:/a/..\b`:    false,
	} {
		t.Run(uri, func(t *testing.T) {
			lists := rooter(func(context.Context) ([]protocol.Root, error) {
				return []protocol.Root{{URI: "file:///fine"}, {URI: uri}}, nil
			})
			s := overHTTP(t, modernCalls(inputRequired("", "k", asksRoots), fault.Answer{fault.Content("done")}))
			_, err := s.connected(t, client.WithHandler(lists)).CallTool(t.Context(), "echo", nil)
			if failed := errors.As(err, new(*client.HandlerError)); failed == ok {
				t.Errorf("modern: %v", err)
			}
			s = overHTTP(t, legacyAsks(protocol.MethodListRoots, `{}`))
			if _, err := s.connected(t, client.WithHandler(lists)).CallTool(t.Context(), "echo", nil); err != nil {
				t.Error(err)
			}
			if got := s.await(t, fault.Response, 1).Body; strings.Contains(got, `"result"`) != ok {
				t.Errorf("legacy: answered %s", got)
			}
		})
	}
}

// B-SAM-05, B-SAM-06: which conversations with tools are sound. Of results that
// nothing asked for the specification says nothing.
func TestToolResultsInSamplingAreChecked(t *testing.T) {
	const (
		use1  = `{"type":"tool_use","id":"1","name":"a","input":{}}`
		use2  = `{"type":"tool_use","id":"2","name":"a","input":{}}`
		done1 = `{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"x"}]}`
		done2 = `{"type":"tool_result","toolUseId":"2","content":[]}`
		text  = `{"type":"text","text":"x"}`
	)
	says2 := func(role, content string) string { return `{"role":"` + role + `","content":[` + content + `]}` }
	for name, tc := range map[string]struct {
		messages []string
		sound    bool
	}{
		"no tools":                          {[]string{says2("user", text)}, true},
		"a use and its result":              {[]string{says2("assistant", use1), says2("user", done1)}, true},
		"two uses, two results, any order":  {[]string{says2("assistant", use1+","+use2), says2("user", done2+","+done1)}, true},
		"a use after text":                  {[]string{says2("assistant", text+","+use1), says2("user", done1), says2("user", text)}, true},
		"results beside text":               {[]string{says2("assistant", use1), says2("user", done1+","+text)}, false},
		"a use without result":              {[]string{says2("assistant", use1), says2("user", text)}, false},
		"one of two uses without result":    {[]string{says2("assistant", use1+","+use2), says2("user", done1)}, false},
		"a result that comes too late":      {[]string{says2("assistant", use1), says2("assistant", text), says2("user", done1)}, false},
		"a last message with an open use":   {[]string{says2("user", text), says2("assistant", use1)}, false},
		"a result of nothing that was used": {[]string{says2("user", done1)}, true},
		"a result too many":                 {[]string{says2("assistant", use1), says2("user", done1+","+done2)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			request := `{"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[` + strings.Join(tc.messages, ",") + `]}}`
			s := overHTTP(t, modernCalls(inputRequired("", "k", request), fault.Answer{fault.Content("done")}))
			_, err := s.connected(t, client.WithHandler(says("ok")), client.WithSamplingTools()).CallTool(t.Context(), "echo", nil)
			if bad := errors.As(err, new(*client.RequestError)); bad == tc.sound {
				t.Errorf("CallTool: %v", err)
			}
		})
	}
}

// B093, B-SAM-13: blocks, metadata and a provider's own words survive.
func TestSamplingKeepsWhatItDoesNotKnow(t *testing.T) {
	bothEras(t, func(t *testing.T, era string) {
		const params = `{"messages":[{"role":"user","content":[{"type":"text","text":"a","_meta":{"k":1}},{"type":"smell","strength":2}]}],"maxTokens":5,"includeContext":"none","vendor":true}`
		var got *protocol.CreateMessageRequest
		h := sampler(func(_ context.Context, req *protocol.CreateMessageRequest) (*protocol.CreateMessageResult, error) {
			got = req
			return &protocol.CreateMessageResult{Role: "assistant", Model: "m", StopReason: "vendor_x", Content: req.Messages[0].Content}, nil
		})
		var answer string
		if era == "legacy" {
			s := overHTTP(t, legacyAsks(protocol.MethodCreateMessage, params))
			if _, err := s.connected(t, client.WithHandler(h)).CallTool(t.Context(), "echo", nil); err != nil {
				t.Fatal(err)
			}
			answer = member(t, s.await(t, fault.Response, 1).Body, "result")
		} else {
			s := overHTTP(t, modernCalls(inputRequired("", "k", `{"method":"sampling/createMessage","params":`+params+`}`), fault.Answer{fault.Content("done")}))
			if _, err := s.connected(t, client.WithHandler(h)).CallTool(t.Context(), "echo", nil); err != nil {
				t.Fatal(err)
			}
			answer = member(t, s.await(t, protocol.MethodCallTool, 2).Body, "params", "inputResponses", "k")
		}
		want := `{"role":"assistant","content":[{"type":"text","text":"a","_meta":{"k":1}},{"type":"smell","strength":2}],"model":"m","stopReason":"vendor_x"}`
		if answer != want {
			t.Errorf("answered %s, want %s", answer, want)
		}
		if string(got.Extra) != `{"vendor":true}` || got.MaxTokens != 5 {
			t.Errorf("the handler got %+v", got)
		}
	})
}
