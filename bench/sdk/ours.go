package sdk

import (
	"context"
	"net/http"

	"github.com/mcpera/mcpera"
	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

type ours struct{ *client.Client }

func openOurs(ctx context.Context, s Server) (Session, error) {
	return dial(ctx, s)
}

// OpenCold opens our client as if no server had ever been met.
func OpenCold(ctx context.Context, s Server) (Session, error) {
	return dial(ctx, s, client.WithEraCache(nil))
}

// OpenSharing is OpenCold of a program whose clients share an http.Client, and so
// its connections.
func OpenSharing(ctx context.Context, s Server) (Session, error) {
	t, err := mcphttp.New(s.URL, mcphttp.WithClient(sharedClient))
	if err != nil {
		return nil, err
	}
	c, err := client.Connect(ctx, t, client.WithEraCache(nil))
	return ours{c}, err
}

var sharedClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512}}

func dial(ctx context.Context, s Server, opts ...client.Option) (Session, error) {
	var c *client.Client
	var err error
	if s.URL != "" {
		c, err = mcpera.Dial(ctx, s.URL, opts...)
	} else {
		c, err = mcpera.Command(ctx, command(s.Command), opts...)
	}
	if err != nil {
		return nil, err
	}
	return ours{c}, nil
}

func (o ours) Call(ctx context.Context, tool string) (string, error) {
	r, err := o.CallTool(ctx, tool, arguments)
	if err != nil {
		return "", err
	}
	return r.Text(), nil
}

func (o ours) CallWithProgress(ctx context.Context, tool string, _ int) (int, error) {
	n := 0
	_, err := o.CallTool(ctx, tool, arguments, client.OnProgress(func(protocol.Progress) { n++ }))
	return n, err
}

func (o ours) List(ctx context.Context) (int, error) {
	r, err := o.ListTools(ctx)
	if err != nil {
		return 0, err
	}
	return len(r.Tools.Items), nil
}
