package migration_test

import (
	"context"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/conformance"
)

// token is what the server wants where it wants one.
const token = "s3cret"

// A visit connects to the server at url, does one thing, and tells what came of
// it.
type visit func(ctx context.Context, url string) (string, error)

// A side is the code of one client on a page.
type side struct {
	name  string
	visit visit
}

var eras = []conformance.Era{conformance.Modern, conformance.Legacy}

// limit bounds what a visit may take.
const limit = time.Minute

func serve(t *testing.T, opts ...conformance.Option) (*conformance.Server, string) {
	t.Helper()
	srv := conformance.New(append(opts, conformance.WithPageSize(10), conformance.WithTools(environment, silent))...)
	web := httptest.NewServer(srv)
	t.Cleanup(func() {
		srv.Close()
		web.CloseClientConnections()
		web.Close()
	})
	return srv, web.URL
}

func TestBothSidesOfAPageComeToTheSame(t *testing.T) {
	for name, tc := range map[string]struct {
		sides []side
		want  string // "" for what the first side says
	}{
		"tools, all": {[]side{
			{"mcpera", withOurs(oursTools)}, {"go-sdk", withGoSDK(goSDKTools)}, {"mcp-go", withMCPGo(mcpGoTools)},
		}, ""},
		"tools, page by page": {[]side{
			{"mcpera", withOurs(oursPage)}, {"go-sdk", withGoSDK(goSDKPage)}, {"mcp-go", withMCPGo(mcpGoPage)},
		}, ""},
		"call": {[]side{
			{"mcpera", withOurs(on("echo", oursText))}, {"go-sdk", withGoSDK(on("echo", goSDKText))},
			{"mcp-go", withMCPGo(on("echo", mcpGoText))},
		}, "hi"},
		"call of a tool that fails": {[]side{
			{"mcpera", withOurs(on("test_error_handling", oursText))}, {"go-sdk", withGoSDK(on("test_error_handling", goSDKText))},
			{"mcp-go", withMCPGo(on("test_error_handling", mcpGoText))},
		}, "the tool failed: this tool always fails"},
		"typed call": {[]side{
			{"mcpera", withOurs(oursTyped)}, {"go-sdk", withGoSDK(goSDKTyped)}, {"mcp-go", withMCPGo(mcpGoTyped)},
		}, "5"},
		"resources": {[]side{
			{"mcpera", withOurs(oursResources)}, {"go-sdk", withGoSDK(goSDKResources)}, {"mcp-go", withMCPGo(mcpGoResources)},
		}, "This is the content of the static text resource. test://template/7/data"},
		"prompts and completion": {[]side{
			{"mcpera", withOurs(oursPrompts)}, {"go-sdk", withGoSDK(goSDKPrompts)}, {"mcp-go", withMCPGo(mcpGoPrompts)},
		}, "Prompt with arguments: arg1='paris', arg2='b'"},
		"a resource that does not exist": {[]side{
			{"mcpera", withOurs(oursMissing)}, {"go-sdk", withGoSDK(goSDKMissing)}, {"mcp-go", withMCPGo(mcpGoMissing)},
		}, "no such resource"},
		"a timeout": {[]side{
			{"mcpera", withOurs(oursTimeout)}, {"go-sdk", withGoSDK(goSDKTimeout)}, {"mcp-go", withMCPGo(mcpGoTimeout)},
		}, "too late"},
		"progress": {[]side{
			{"mcpera", withOurs(oursProgress)}, {"go-sdk", goSDKProgress}, {"mcp-go", withMCPGo(mcpGoProgress)},
		}, "0 50 100 Reported progress."},
		"logs": {[]side{
			{"mcpera", withOurs(oursLogs)}, {"go-sdk", goSDKLogs}, {"mcp-go", withMCPGo(mcpGoLogs)},
		}, "info info info"},
		"handlers": {[]side{
			{"mcpera", oursHandlers}, {"go-sdk", goSDKHandlers}, {"mcp-go", mcpGoHandlers},
		}, ""},
	} {
		for _, era := range eras {
			t.Run(name+"/"+era.String(), func(t *testing.T) {
				t.Parallel()
				_, url := serve(t, conformance.WithEra(era))
				same(t, url, tc.want, tc.sides)
			})
		}
	}
}

// on calls one tool.
func on[C any](tool string, call func(context.Context, C, string) (string, error)) func(context.Context, C) (string, error) {
	return func(ctx context.Context, c C) (string, error) { return call(ctx, c, tool) }
}

// same checks that all sides come to want, or to what the first one does.
func same(t *testing.T, url, want string, sides []side) {
	t.Helper()
	for _, s := range sides {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		got, err := s.visit(ctx, url)
		cancel()
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		if want == "" {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.name, diff)
		}
	}
	if want == "" {
		t.Error("nobody said anything")
	}
}

func TestHeadersAndAClientOfOnesOwn(t *testing.T) {
	for _, era := range eras {
		t.Run(era.String(), func(t *testing.T) {
			t.Parallel()
			_, url := serve(t, conformance.WithEra(era),
				conformance.WithBearerTokens(map[string]conformance.Principal{token: {Name: "ada"}}))
			for _, s := range []side{{"mcpera", oursConnect}, {"go-sdk", goSDKConnect}, {"mcp-go", mcpGoConnect}} {
				got, err := s.visit(t.Context(), url)
				if err != nil {
					t.Errorf("%s: %v", s.name, err)
				}
				for _, want := range []string{`"principal":"ada"`, `"name":"agent"`} {
					if !strings.Contains(got, want) {
						t.Errorf("%s: the server sees %s, want %s in it", s.name, got, want)
					}
				}
			}
		})
	}
}

// What the program keeps in its environment reaches only the peers' servers.
func TestACommand(t *testing.T) {
	t.Setenv(secretVariable, token)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name  string
		visit func(ctx context.Context, program string, args ...string) (string, error)
		want  string
	}{
		{"mcpera", oursCommand, "the secret is: "},
		{"go-sdk", goSDKCommand, "the secret is: " + token},
		{"mcp-go", mcpGoCommand, "the secret is: " + token},
	} {
		if got, err := tc.visit(t.Context(), self, serveArg); err != nil || got != tc.want {
			t.Errorf("%s: %q, %v; want %q", tc.name, got, err, tc.want)
		}
	}
}
