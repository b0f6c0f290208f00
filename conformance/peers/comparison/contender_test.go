package comparison_test

import (
	"context"
	"net/http"
	"os/exec"
)

// A contender is one of the clients compared. All have their defaults.
type contender struct {
	name string // heads its column, without the version
	dial func(context.Context, server) (session, error)
	// dialShared connects to a server of HTTP+SSE when dial does not; nil when it
	// does.
	dialShared func(ctx context.Context, url string) (session, error)
}

var contenders = []contender{
	{"mcpera", dialOurs, nil},
	{"go-sdk", dialGoSDK, dialGoSDKShared},
	{"mcp-go", dialMCPGo, dialMCPGoShared},
}

// A server is what to connect to, and what the program brings along.
type server struct {
	url      string
	command  *exec.Cmd    // in place of a url
	token    string       // sent as a bearer token, unless empty
	progress func()       // hears of each progress notification, unless nil
	elicit   func(string) // is asked in place of the user, who accepts, unless nil
}

// A session is a connection of a contender.
type session interface {
	list(context.Context) error
	call(ctx context.Context, tool string, args map[string]any) (answer, error)
	close() error
}

// An answer is what a tool returned.
type answer struct {
	text       string
	structured string // JSON text, as exact as the client gives it
}

// bearer adds a token to every request. It is how a program gives go-sdk one
// without a login.
type bearer struct{ token string }

func (b bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(req)
}
