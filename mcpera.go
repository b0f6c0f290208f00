package mcpera

import (
	"context"
	"os/exec"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/stdio"
)

// Dial connects to the server at url, an http or https URL. For headers, such
// as a token, use client.Connect with a transport of package transport/http.
func Dial(ctx context.Context, url string, opts ...client.Option) (*client.Client, error) {
	t, err := http.New(url)
	if err != nil {
		return nil, err
	}
	return client.Connect(ctx, t, opts...)
}

// Command runs cmd as a server and connects to it. cmd itself is not started:
// it serves as the description of the process, which Close of the client ends.
// Where cmd.Env is nil the process gets only those variables of this one that are
// no secrets as a rule; see stdio.WithEnv.
func Command(ctx context.Context, cmd *exec.Cmd, opts ...client.Option) (*client.Client, error) {
	t, err := stdio.New(cmd)
	if err != nil {
		return nil, err
	}
	return client.Connect(ctx, t, opts...)
}
