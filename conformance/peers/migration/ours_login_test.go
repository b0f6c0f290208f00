package migration_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpera/mcpera"
	"github.com/mcpera/mcpera/auth"
	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

func oursLogin(ctx context.Context, url string) (string, error) {
	login, err := auth.New(
		auth.WithClientName("agent"),
		auth.WithUserAgent(auth.Browser(browse).At(redirectURL))) // auth.Loopback{} on a desktop
	if err != nil {
		return "", err
	}
	defer login.Close()
	t, err := mcphttp.New(url, mcphttp.WithAuthorizer(login))
	if err != nil {
		return "", err
	}
	c, err := client.Connect(ctx, t)
	if err != nil {
		return "", err
	}
	defer c.Close()
	return oursText(ctx, c, "echo")
}

func oursRefused(ctx context.Context, url string) (string, error) {
	_, err := mcpera.Dial(ctx, url)
	var refused *transport.AuthError
	if errors.As(err, &refused) {
		return fmt.Sprint("refused, ", refused.Challenges()[0].Scheme), nil
	}
	return "", err
}
