package client_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"
	"testing"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// secret stands wherever a program, or a server in a session id or a cookie, can
// put one.
const secret = "s3cr3tmarker"

// An output is all that a program may print.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// show prints v in every form.
func (o *output) show(v any) {
	fmt.Fprintf(o, "%v\n%+v\n%#v\n%s\n%q\n", v, v, v, v, v)
	slog.New(slog.NewTextHandler(o, nil)).Info("x", "v", v)
	slog.New(slog.NewJSONHandler(o, nil)).Info("x", "v", v)
}

// showError prints err and all that it wraps.
func (o *output) showError(err error) {
	if err == nil {
		return
	}
	o.show(err)
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		o.showError(err.Unwrap())
	case interface{ Unwrap() []error }:
		for _, cause := range err.Unwrap() {
			o.showError(cause)
		}
	}
}

// check fails for each line that holds the secret.
func (o *output) check(t *testing.T) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.text.Len() == 0 {
		t.Error("nothing was printed, and so nothing tested")
	}
	for line := range strings.Lines(o.text.String()) {
		if strings.Contains(line, secret) {
			t.Errorf("shows a secret: %s", line)
		}
	}
}

// L-SES-02, B-SAM-10: whatever a server does, what the client logs, traces,
// returns and is printed as holds no secret, nor what a model is asked or says.
func TestNothingThatAProgramMayPrintRevealsASecret(t *testing.T) {
	id := fault.Header("Mcp-Session-Id", secret)
	cookie := fault.Header("Set-Cookie", "c="+secret)
	refuse := func(status int) fault.Answer { return fault.Answer{id, cookie, fault.Status(status), fault.Raw("no")} }
	session := fault.Legacy("2025-11-25").With(fault.Script{
		protocol.MethodInitialize: {{id, cookie, fault.Initialize("2025-11-25")}},
	})
	html := fault.Answer{fault.Header("Content-Type", "text/html"), fault.Raw("<html>")}
	scripts := map[string]fault.Script{
		"modern":                     fault.Modern(),
		"legacy":                     session,
		"a stream that is lost":      session.With(fault.Script{fault.GET: {{fault.Stream()}}}),
		"a stream that is forgotten": session.With(fault.Script{fault.GET: {{fault.Stream(), fault.Raw("id: 1\ndata:\n\n")}, refuse(404)}}),
		"a session that is forgotten": session.With(fault.Script{
			protocol.MethodListTools: {refuse(404), {fault.Tools("echo")}},
		}),
		"a session that stays forgotten": session.With(fault.Script{
			protocol.MethodInitialize: {{id, fault.Initialize("2025-11-25")}, refuse(500)},
			protocol.MethodListTools:  {refuse(404)},
		}),
		"requests of the server": session.With(fault.Script{
			protocol.MethodCallTool: {{
				fault.Stream(), fault.Message(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`),
				fault.Message(`{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[` +
					`{"role":"user","content":{"type":"text","text":"` + secret + `"}}]}}`), fault.Content("done"),
			}},
			fault.Response: {refuse(500)},
		}),
		"an HTTP+SSE server of another origin": {
			fault.Any: {refuse(405)},
			fault.GET: {{fault.Stream(), fault.Raw("event: endpoint\ndata: http://u:" + secret + "@h/" + secret + "?" + secret + "\n\n")}},
		},
		"a redirect": {fault.Any: {{
			fault.Status(302), fault.Header("Location", "https://u:"+secret+"@h/?k="+secret),
		}}},
		"a server that repeats what it got": {fault.Any: {{fault.Status(401), fault.Header("WWW-Authenticate", "Bearer realm=\""+secret+"\""), fault.Raw("bad token " + secret)}}},
		"a session that is forgotten by name": session.With(fault.Script{
			protocol.MethodListTools: {{fault.Status(404), fault.Raw("no session " + secret)}},
			protocol.MethodCallTool:  {{fault.Error(-32000, "no session "+secret, `{"session":"`+secret+`"}`)}},
		}),
		"another version": {protocol.MethodDiscover: {{fault.Unsupported("2099-01-01")}}},
		"nothing at all":  {fault.Any: {{fault.Reset()}}},
		"a web page":      {fault.Any: {html}},
	}
	for _, status := range []int{400, 401, 403, 404, 406, 429, 500, 503} {
		scripts[fmt.Sprint("HTTP ", status)] = fault.Script{fault.Any: {refuse(status)}}
		scripts[fmt.Sprint("HTTP ", status, " later")] = session.With(fault.Script{
			protocol.MethodListTools: {refuse(status)}, protocol.MethodCallTool: {refuse(status)},
		})
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := new(output)
			visitPrinting(t, overHTTP(t, script), out)
			out.check(t)
		})
	}
}

// visitPrinting connects with secrets all over, calls, closes, and prints what
// there is to print.
func visitPrinting(t *testing.T, s *scripted, out *output) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	endpoint := strings.Replace(s.transport(t).Target().URL.String(), "http://", "http://"+secret+":"+secret+"@", 1)
	tr := httpTransport(t, endpoint+"/"+secret+"?key="+secret,
		mcphttp.WithHeader("Authorization", "Bearer "+secret), mcphttp.WithHeader("Cookie", secret),
		mcphttp.WithClient(&http.Client{Jar: jar}), mcphttp.WithPrincipal(secret), mcphttp.WithRetries(1))
	out.show(tr)
	c, err := client.Connect(t.Context(), tr, s.options([]client.Option{
		client.WithRetries(1, soon),
		client.WithHandler(struct {
			rooter
			sampler
		}{func(context.Context) ([]protocol.Root, error) { return nil, errors.New("none") }, says(secret)}),
		client.WithLogger(slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		client.WithTrace(func(e client.Event) { out.show(e) }),
		client.WithStreamLost(out.showError),
	})...)
	out.showError(err)
	if err != nil {
		if !errors.As(err, new(*client.ConnectError)) {
			t.Errorf("%T", err)
		}
		return
	}
	out.show(c)
	out.show(c.Negotiation())
	_, err = c.ListTools(t.Context())
	out.showError(err)
	_, err = c.CallTool(t.Context(), "echo", map[string]any{"password": secret})
	out.showError(err)
	if c.Era() == negotiation.EraLegacy {
		out.showError(c.Ping(t.Context()))
	}
	out.showError(c.Close())
	_, err = c.CallTool(t.Context(), "echo", map[string]any{"password": secret})
	if !errors.Is(err, transport.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	out.showError(err)
	out.show(c)
}
