package fleet

import (
	"context"
	"os/exec"
	"slices"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/stdio"
)

// connect opens a connection to server.
func (c *config) connect(ctx context.Context, server Server) (*connection, error) {
	t, err := c.dial(server)
	if err != nil {
		return nil, err
	}
	opened, err := client.Connect(ctx, t, slices.Concat(c.clientOptions, c.optionsFor(server))...)
	if err != nil {
		return nil, err
	}
	_, restarts := t.(transport.Restarter)
	return &connection{Client: opened, mends: restarts}, nil
}

// transport reaches a server as its description says.
func (c *config) transport(server Server) (transport.Transport, error) {
	if server.URL != "" {
		opts := slices.Clone(c.httpOptions)
		for name, value := range server.Headers {
			opts = append(opts, http.WithHeader(name, value))
		}
		return http.New(server.URL, opts...)
	}
	cmd := exec.Command(server.Command, server.Args...)
	cmd.Dir = server.Dir
	opts := slices.Clone(c.stdioOptions)
	for name, value := range server.Env {
		opts = append(opts, stdio.WithEnv(name+"="+value))
	}
	return stdio.New(cmd, opts...)
}
