package mcpera

import (
	"context"
	"os/exec"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/stdio"
)

// Dial connects to the server at url, an http or https URL. The context bounds
// the connecting, for which there is a minute at most; the client lives until
// Close. For headers, such as a token, for logins, and for URLs that others gave,
// use client.Connect with a transport of package transport/http.
//
// A URL or an option that can't be used is told at once; any other failure is a
// *client.ConnectError, with what happened behind it.
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
// no secrets as a rule; see stdio.WithEnv. A process that leaves is started again
// by the next call; see client.WithRestarts.
//
// The context bounds the connecting, for which there is a minute at most: a
// server that has to be downloaded first may need longer, by
// client.WithConnectTimeout. A failure is a *client.ConnectError, with a
// *stdio.StartError behind it where the command could not be started.
func Command(ctx context.Context, cmd *exec.Cmd, opts ...client.Option) (*client.Client, error) {
	t, err := stdio.New(cmd)
	if err != nil {
		return nil, err
	}
	return client.Connect(ctx, t, opts...)
}
