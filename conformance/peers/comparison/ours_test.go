package comparison_test

import (
	"context"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/stdio"
)

type ours struct {
	*client.Client
	opts []client.CallOption
}

func dialOurs(ctx context.Context, s server) (session, error) {
	t, err := s.ours()
	if err != nil {
		return nil, err
	}
	// Every test has a server of its own, perhaps on a port that another one had.
	opts := []client.Option{client.WithEraCache(nil)}
	if s.elicit != nil {
		opts = append(opts, client.WithHandler(elicitor(s.elicit)))
	}
	c, err := client.Connect(ctx, t, opts...)
	if err != nil {
		return nil, err
	}
	o := ours{Client: c}
	if s.progress != nil {
		o.opts = append(o.opts, client.OnProgress(func(protocol.Progress) { s.progress() }))
	}
	return o, nil
}

func (s server) ours() (transport.Transport, error) {
	if s.command != nil {
		return stdio.New(s.command)
	}
	if s.token != "" {
		return mcphttp.New(s.url, mcphttp.WithHeader("Authorization", "Bearer "+s.token))
	}
	return mcphttp.New(s.url)
}

type elicitor func(string)

func (e elicitor) Elicit(_ context.Context, req *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
	e(req.Message)
	return &protocol.ElicitResult{Action: protocol.ElicitDecline}, nil
}

func (o ours) list(ctx context.Context) error {
	for _, err := range o.Tools(ctx) {
		if err != nil {
			return err
		}
	}
	return nil
}

func (o ours) call(ctx context.Context, tool string, args map[string]any) (answer, error) {
	r, err := o.CallTool(ctx, tool, args, o.opts...)
	if r == nil {
		return answer{}, err
	}
	return answer{r.Text(), string(r.StructuredContent)}, err
}

func (o ours) close() error { return o.Close() }
