package migration_test

import (
	"strings"
	"testing"
)

// What a program can tell by when the server wants a login and there is none.
func TestARefusalIsToldApart(t *testing.T) {
	for _, era := range eras {
		t.Run(era.String(), func(t *testing.T) {
			t.Parallel()
			url := serveLogin(t, era)
			same(t, url, "refused, Bearer", []side{{"mcpera", oursRefused}})
			same(t, url, "refused", []side{{"mcp-go", mcpGoRefused}})
			_, err := withGoSDK(goSDKTools)(t.Context(), url)
			if err == nil || !strings.HasSuffix(err.Error(), "Unauthorized") {
				t.Errorf("go-sdk: %v, want a text that says Unauthorized", err)
			}
		})
	}
}

// What a client says that it can do, when the program plugs nothing in.
func TestWhatIsDeclaredByDefault(t *testing.T) {
	_, url := serve(t)
	for name, tc := range map[string]struct {
		visit visit
		want  string
	}{
		"mcpera": {withOurs(on("whoami", oursText)), `"capabilities":{}`},
		"go-sdk": {withGoSDK(on("whoami", goSDKText)), `"capabilities":{"roots":{`},
		"mcp-go": {withMCPGo(on("whoami", mcpGoText)), `"capabilities":{}`},
	} {
		if got, err := tc.visit(t.Context(), url); err != nil || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %s, %v; want %s in it", name, got, err, tc.want)
		}
	}
}
