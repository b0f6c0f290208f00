package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/conformance/fault"
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	goleak.VerifyTestMain(m)
}

// start serves a gateway to server.
func start(t *testing.T, server string) *httptest.Server {
	t.Helper()
	g := newGateway(server, map[string]caller{"key-a": {"ada", "tokenA"}, "key-b": {"bob", "tokenB"}, "key-c": {"eve", "stale"}})
	web := httptest.NewServer(g)
	t.Cleanup(func() {
		web.Close()
		g.web.CloseIdleConnections()
	})
	return web
}

// post calls a tool through the gateway, and returns the status and the body.
func post(t *testing.T, web *httptest.Server, key, tool, arguments string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", web.URL+"/tools/"+tool, strings.NewReader(arguments))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := web.Client().Do(req)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, string(body)
}

// Each caller is itself, and all of them cost the server one probe, one more
// server/discover for each caller but the first, and their calls.
func TestManyCallersShareWhatIsKnown(t *testing.T) {
	for _, era := range []conformance.Era{conformance.Modern, conformance.Legacy} {
		t.Run(era.String(), func(t *testing.T) {
			srv := conformance.New(conformance.WithEra(era), conformance.WithBearerTokens(map[string]conformance.Principal{
				"tokenA": {Name: "ada"}, "tokenB": {Name: "bob"},
			}))
			defer srv.Close()
			var mu sync.Mutex
			counts := make(map[string]int)
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				mu.Lock()
				for _, method := range []string{"server/discover", "initialize", "tools/call"} {
					if strings.Contains(string(body), `"method":"`+method+`"`) {
						counts[method]++
					}
				}
				mu.Unlock()
				r.Body = io.NopCloser(strings.NewReader(string(body)))
				srv.ServeHTTP(w, r)
			}))
			defer web.Close()
			gate := start(t, web.URL)
			for _, key := range []string{"key-a", "key-b"} { // so that both are known
				post(t, gate, key, "whoami", "{}")
			}
			var callers sync.WaitGroup
			for i := range 20 {
				callers.Go(func() {
					key, name := "key-a", "ada"
					if i%2 == 1 {
						key, name = "key-b", "bob"
					}
					status, body := post(t, gate, key, "whoami", "{}")
					if status != 200 || !strings.Contains(body, `"principal":"`+name+`"`) {
						t.Errorf("%s got %d %s", name, status, body)
					}
				})
			}
			callers.Wait()
			want := map[conformance.Era]string{
				conformance.Modern: "map[server/discover:2 tools/call:22]",
				conformance.Legacy: "map[initialize:22 server/discover:1 tools/call:22]",
			}
			if got := fmt.Sprint(counts); got != want[era] {
				t.Errorf("the server was asked %s, want %s", got, want[era])
			}
		})
	}
}

func TestWhatTheCallerIsTold(t *testing.T) {
	srv := conformance.New(conformance.WithBearerTokens(map[string]conformance.Principal{"tokenA": {Name: "ada"}}))
	defer srv.Close()
	web := httptest.NewServer(srv)
	defer web.Close()
	gate := start(t, web.URL)
	for name, tc := range map[string]struct {
		key, tool, arguments string
		status               int
		body                 string
	}{
		"a result":          {"key-a", "add_numbers", `{"a":2,"b":3}`, 200, `{"content":[{"type":"text","text":"5"}],"structuredContent":{"sum":5},`},
		"an unknown caller": {"key-x", "echo", `{}`, 401, "who is calling?\n"},
		"a refused token":   {"key-c", "echo", `{}`, 403, "the server refuses the caller\n"},
		"no arguments":      {"key-a", "echo", ``, 400, "the body is no JSON object of up to 1 MiB\n"},
		"too many":          {"key-a", "echo", `{"message":"` + strings.Repeat("x", 1<<20) + `"}`, 400, "the body is no JSON object of up to 1 MiB\n"},
		"no such tool":      {"key-a", "nothing", `{}`, 502, ""},
	} {
		status, body := post(t, gate, tc.key, tc.tool, tc.arguments)
		if status != tc.status || !strings.HasPrefix(body, tc.body) {
			t.Errorf("%s: %d %s, want %d %s", name, status, body, tc.status, tc.body)
		}
	}
}

// A server that is down stays what it was: nobody sends it initialize.
func TestAnOutageIsNoEra(t *testing.T) {
	srv := fault.NewHTTP(fault.Dual().With(fault.Script{
		"tools/call": {{fault.Content("up")}, {fault.Status(503)}, {fault.Content("up again")}},
	}))
	defer srv.Close()
	gate := start(t, srv.URL)
	for i, want := range []int{200, 503, 200} {
		if status, body := post(t, gate, "key-a", "echo", `{}`); status != want {
			t.Errorf("call %d: %d %s, want %d", i+1, status, body, want)
		}
	}
	if n := srv.Count("initialize"); n != 0 {
		t.Errorf("the server got initialize %d times", n)
	}
}
