package migration_test

import (
	"context"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

func mcpGoLogin(ctx context.Context, url string) (string, error) {
	c, err := client.NewOAuthStreamableHttpClient(url, client.OAuthConfig{
		RedirectURI: redirectURL,
		PKCEEnabled: true,
		TokenStore:  client.NewMemoryTokenStore(),
	})
	if err != nil {
		return "", err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return "", err
	}
	_, err = c.Initialize(ctx, mcp.InitializeRequest{})
	if client.IsOAuthAuthorizationRequiredError(err) {
		if err = mcpGoAuthorize(ctx, err); err != nil {
			return "", err
		}
		_, err = c.Initialize(ctx, mcp.InitializeRequest{})
	}
	if err != nil {
		return "", err
	}
	return mcpGoText(ctx, c, "echo")
}

// mcpGoAuthorize is what a program does each time a call is refused.
func mcpGoAuthorize(ctx context.Context, refused error) error {
	handler := client.GetOAuthHandler(refused)
	if handler.GetClientID() == "" {
		if err := handler.RegisterClient(ctx, "agent"); err != nil {
			return err
		}
	}
	verifier, err := client.GenerateCodeVerifier()
	if err != nil {
		return err
	}
	state, err := client.GenerateState()
	if err != nil {
		return err
	}
	address, err := handler.GetAuthorizationURL(ctx, state, client.GenerateCodeChallenge(verifier))
	if err != nil {
		return err
	}
	answer, err := browse(ctx, address)
	if err != nil {
		return err
	}
	return handler.ProcessAuthorizationResponse(ctx, answer.Get("code"), answer.Get("state"), verifier)
}

func mcpGoRefused(ctx context.Context, url string) (string, error) {
	c, err := client.NewStreamableHttpClient(url)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return "", err
	}
	_, err = c.Initialize(ctx, mcp.InitializeRequest{})
	if client.IsAuthorizationRequiredError(err) {
		return "refused", nil
	}
	return "", err
}
