package client_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/inmemory"
	"github.com/mcpera/mcpera/transport/stdio"
)

// referenceVariable makes the process of a test the reference server, over its
// standard streams, for the era that the variable names.
const referenceVariable = "MCPERA_TEST_REFERENCE"

func init() {
	name := os.Getenv(referenceVariable)
	if name == "" {
		return
	}
	srv := newReference(eraNamed(name))
	err := srv.ServeStdio(context.Background(), os.Stdin, os.Stdout)
	srv.Close()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func eraNamed(name string) conformance.Era {
	if name == conformance.Legacy.String() {
		return conformance.Legacy
	}
	return conformance.Modern
}

// newReference returns the reference server of one era, with a few tools more.
func newReference(era conformance.Era, more ...conformance.Option) *conformance.Server {
	return conformance.New(append([]conformance.Option{
		conformance.WithEra(era),
		conformance.WithPageSize(7),
		conformance.WithInstructions("Be kind."),
		conformance.WithCacheHint(conformance.CacheHint{}),
		conformance.WithTools(moreTools()...),
	}, more...)...)
}

// moreTools are what the reference server lacks for these tests.
func moreTools() []conformance.Tool {
	var canceled sync.WaitGroup
	canceled.Add(1)
	tool := func(name string, run conformance.Run) conformance.Tool {
		return conformance.Tool{Definition: protocol.Tool{Name: name, InputSchema: jsontext.Value(`{"type":"object"}`)}, Run: run}
	}
	return []conformance.Tool{
		tool("arguments", func(_ context.Context, c *conformance.Call) (*protocol.CallToolResult, error) {
			r := conformance.Text(string(c.Arguments))
			r.StructuredContent = c.Arguments
			return r, nil
		}),
		tool("unknown_content", func(context.Context, *conformance.Call) (*protocol.CallToolResult, error) {
			return &protocol.CallToolResult{Content: protocol.Contents{
				&protocol.UnknownContent{Type: "hologram", Raw: jsontext.Value(`{"type":"hologram","depth":9007199254740993}`)},
				&protocol.TextContent{Text: "beside it"},
			}}, nil
		}),
		// wait says that it has begun, and ends when it is canceled.
		tool("wait", func(ctx context.Context, c *conformance.Call) (*protocol.CallToolResult, error) {
			c.Progress(1, 0, "waiting")
			<-ctx.Done()
			canceled.Done()
			return nil, context.Cause(ctx)
		}),
		// until_canceled ends after wait has.
		tool("until_canceled", func(context.Context, *conformance.Call) (*protocol.CallToolResult, error) {
			canceled.Wait()
			return conformance.Text("wait was canceled"), nil
		}),
	}
}

// A place is a way to reach the reference server: a transport, the form of its
// answers, an era.
type place struct {
	name string
	era  conformance.Era
	open func(*testing.T, conformance.Era) transport.Transport
}

// places are all eight ways.
func places() []place {
	var all []place
	for _, era := range []conformance.Era{conformance.Modern, conformance.Legacy} {
		all = append(all,
			place{"stdio, " + era.String(), era, referenceStdio},
			place{"in memory, " + era.String(), era, referenceInMemory},
			place{"HTTP JSON, " + era.String(), era, referenceJSON},
			place{"HTTP SSE, " + era.String(), era, referenceSSE},
		)
	}
	return all
}

func (p place) connect(t *testing.T, opts ...client.Option) *client.Client {
	t.Helper()
	return connectTo(t, p.open(t, p.era), opts...)
}

// connectTo connects with caches that are not shared, and closes with the test.
func connectTo(t *testing.T, tr transport.Transport, opts ...client.Option) *client.Client {
	t.Helper()
	c, err := client.Connect(t.Context(), tr, append([]client.Option{
		client.WithEraCache(erecache.New(time.Now)), client.WithResponseCache(nil),
		client.WithProbeTimeout(never), client.WithRetries(2, soon),
	}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// referenceStdio runs the reference server in a process of its own.
func referenceStdio(t *testing.T, era conformance.Era) transport.Transport {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), referenceVariable+"="+era.String(), "GORACE=atexit_sleep_ms=0")
	tr, err := stdio.New(cmd)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// referenceInMemory runs the reference server in this process.
func referenceInMemory(t *testing.T, era conformance.Era) transport.Transport {
	t.Helper()
	srv := newReference(era)
	t.Cleanup(srv.Close)
	tr, err := inmemory.New(srv.ServeStdio)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// referenceJSON serves over HTTP and answers with JSON, unless there is more to
// say than the answer.
func referenceJSON(t *testing.T, era conformance.Era) transport.Transport {
	t.Helper()
	return httpTransport(t, serveReference(t, newReference(era), func(h http.Handler) http.Handler { return h }))
}

// referenceSSE serves over HTTP and answers with event streams alone.
func referenceSSE(t *testing.T, era conformance.Era) transport.Transport {
	t.Helper()
	return httpTransport(t, serveReference(t, newReference(era), alwaysStreams))
}

// serveReference serves srv over HTTP and returns its URL.
func serveReference(t *testing.T, srv *conformance.Server, wrap func(http.Handler) http.Handler) string {
	t.Helper()
	ts := httptest.NewServer(wrap(srv))
	t.Cleanup(func() {
		srv.Close()
		ts.Close()
	})
	return ts.URL + "/mcp"
}

// alwaysStreams makes JSON answers of h event streams.
func alwaysStreams(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := &streamer{ResponseWriter: w}
		h.ServeHTTP(s, r)
		if s.body.Len() > 0 {
			fmt.Fprintf(w, "data: %s\n\n", s.body.Bytes())
		}
	})
}

// A streamer holds back what is JSON, to be sent as one event.
type streamer struct {
	http.ResponseWriter
	holds bool
	body  bytes.Buffer
}

func (s *streamer) WriteHeader(status int) {
	if s.holds = status == http.StatusOK && s.Header().Get("Content-Type") == "application/json"; s.holds {
		s.Header().Set("Content-Type", "text/event-stream")
	}
	s.ResponseWriter.WriteHeader(status)
}

func (s *streamer) Write(p []byte) (int, error) {
	if s.holds {
		return s.body.Write(p)
	}
	return s.ResponseWriter.Write(p)
}

func (s *streamer) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// A user is a handler that answers everything, and notes what it was asked.
type user struct {
	mu    sync.Mutex
	asked []string
}

func (u *user) note(what string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.asked = append(u.asked, what)
}

// questions returns what was asked since the last time, sorted by nothing: in
// order.
func (u *user) questions() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	asked := u.asked
	u.asked = nil
	return asked
}

func (u *user) CreateMessage(_ context.Context, req *protocol.CreateMessageRequest) (*protocol.CreateMessageResult, error) {
	text := req.Messages[len(req.Messages)-1].Content.Text()
	u.note("sampling: " + text)
	return &protocol.CreateMessageResult{
		Role: "assistant", Model: "tester", StopReason: "vendor_x",
		Content: protocol.Contents{&protocol.TextContent{Text: "re: " + text}},
	}, nil
}

func (u *user) Elicit(_ context.Context, req *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
	u.note("elicitation: " + req.Message)
	content := map[string]any{}
	schema := string(req.RequestedSchema)
	for field, value := range map[string]any{
		"name": "Ada", "username": "ada", "email": "ada@example.com", "color": "blue", "context": "tea", "ok": true, "confirm": true,
	} {
		if strings.Contains(schema, `"`+field+`"`) && !strings.Contains(schema, `"default"`) {
			content[field] = value
		}
	}
	return &protocol.ElicitResult{Action: protocol.ElicitAccept, Content: content}, nil
}

func (u *user) ElicitURL(_ context.Context, req *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
	u.note("visit: " + req.URL)
	return &protocol.ElicitResult{Action: protocol.ElicitAccept}, nil
}

func (u *user) ListRoots(context.Context) ([]protocol.Root, error) {
	u.note("roots")
	return []protocol.Root{{URI: "file:///home/ada/project", Name: "project"}}, nil
}

// peek returns the body of a request and leaves it to be read.
func peek(r *http.Request) string {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return ""
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return string(body)
}
