package migration_test

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

func goSDKLogin(ctx context.Context, url string) (string, error) {
	login, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{
				ClientName: "agent", RedirectURIs: []string{redirectURL}, TokenEndpointAuthMethod: "none",
			},
		},
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			answer, err := browse(ctx, args.URL)
			if err != nil {
				return nil, err
			}
			return &auth.AuthorizationResult{Code: answer.Get("code"), State: answer.Get("state"), Iss: answer.Get("iss")}, nil
		},
	})
	if err != nil {
		return "", err
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1.0"}, nil)
	session, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url, OAuthHandler: login}, nil)
	if err != nil {
		return "", err
	}
	defer session.Close()
	return goSDKText(ctx, session, "echo")
}
