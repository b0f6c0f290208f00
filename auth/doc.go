// Package auth logs in to MCP servers by OAuth 2.1, as the specification of
// authorization asks. An Authorizer belongs to a transport over HTTP:
//
//	login, err := auth.New(auth.WithUserAgent(auth.Loopback{}))
//	if err != nil {
//		return err
//	}
//	defer login.Close()
//	t, err := mcphttp.New(url, mcphttp.WithAuthorizer(login))
//	if err != nil {
//		return err
//	}
//	c, err := client.Connect(ctx, t)
//
// Nothing is asked before the server refuses a request. Then the Authorizer
// finds the authorization server by the metadata that the refusal names,
// registers there if need be, has the user log in with a browser, and the same
// request goes out again. Tokens are renewed before they expire.
//
// One Authorizer serves any number of transports, concurrently: calls that wait for
// the same login share it. Why a login failed stands behind the call's
// *transport.AuthError: an IssuerError, a ResourceError, a DiscoveryError, a
// ServerError, or one of the sentinels below. An outage of an authorization server
// costs no login.
//
// What servers say is not trusted: URLs must be https, but for servers on this
// machine; metadata must be of the issuer and the resource that it is asked for;
// answers are bounded. Secrets stand in no error, log or String.
//
// Source: MCP 2026-07-28, basic/authorization; 2025-11-25, basic/authorization;
// 2025-03-26, basic/authorization, for servers without resource metadata.
package auth
