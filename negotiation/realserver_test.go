package negotiation_test

import (
	"fmt"

	"github.com/mcpera/mcpera/negotiation"
)

// realServerClaims has the answers that published servers were seen to give to
// a probe, and those that users of other clients reported.
func realServerClaims() []claim {
	legacy := negotiation.Legacy{}
	claims := []claim{
		{says: "code 0 before initialize is legacy over stdio",
			on: stdio, o: line(`{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"method \"server/discover\" is invalid during session initialization"}}`),
			want: legacy, row: negotiation.RowStdioError},
		{says: "-32000 that says method not found is legacy over stdio",
			on: stdio, o: line(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"method not found"}}`),
			want: legacy, row: negotiation.RowStdioError},
		{says: "an error with a null id is legacy over stdio",
			on: stdio, o: line(rpcError("null", -32700)),
			want: legacy, row: negotiation.RowStdioError},
		{says: "400 for want of a session id, with a null id, is legacy",
			on: http, o: answered(400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"session header required"}}`),
			want: legacy, row: negotiation.RowNotModern},
		{says: "400 with -32000 and an empty id is legacy",
			on: http, o: answered(400, `{"jsonrpc":"2.0","id":"","error":{"code":-32000,"message":"Bad Request"}}`),
			want: legacy, row: negotiation.RowNotModern},
		{says: "404 that says invalid session is legacy",
			on: http, o: typed(404, "text/plain; charset=utf-8", "Invalid session ID\n"),
			want: legacy, row: negotiation.RowNotModern},
		{says: "500 with -32603 and a null id is an outage",
			on: http, o: answered(500, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal server error"}}`),
			want: negotiation.Retry{Reason: negotiation.Unavailable}, row: negotiation.RowUnavailable},
		{says: "401 with text asks for authorization",
			on: http, o: typed(401, "text/plain", "Unauthorized"),
			want: negotiation.Authorize{Status: 401}, row: negotiation.RowAuthorize},
		{says: "403 of a host check asks for authorization",
			on: http, o: typed(403, "text/plain", "only allowed at localhost"),
			want: negotiation.Authorize{Status: 403}, row: negotiation.RowAuthorize},
		{says: "503 for a session that this node does not know is an outage",
			on: http, o: answered(503, `{"error":{"code":-32001,"message":"unknown session on this node"}}`),
			want: negotiation.Retry{Reason: negotiation.Unavailable}, row: negotiation.RowUnavailable},
		{says: "415 and 422 are inconclusive: 415",
			on: http, o: typed(415, "text/plain", "Unsupported Media Type"),
			want: undecided(negotiation.Inconclusive, 415), row: negotiation.RowOther},
		{says: "415 and 422 are inconclusive: 422",
			on: http, o: answered(422, `{"detail":"field required"}`),
			want: undecided(negotiation.Inconclusive, 422), row: negotiation.RowOther},
		{says: "an initialize result of an unknown version is legacy, not modern",
			on: http, o: answered(200, rpcResult("1", `{"protocolVersion":"1900-01-01","capabilities":{},"serverInfo":{"name":"a","version":"1"}}`)),
			want: legacy, row: negotiation.RowOtherResult},
		{says: "a second spelling of error does not override the result",
			on: http, o: answered(200, `{"jsonrpc":"2.0","id":1,"result":`+discover(discoverModern)+`,"Error":{"code":-32601,"message":"evil"}}`),
			want: negotiation.Modern{Version: modern}, row: negotiation.RowDiscover},
		{says: "a second spelling of result does not override the first",
			on: http, o: answered(200, `{"jsonrpc":"2.0","id":1,"result":{},"Result":`+discover(discoverModern)+`}`),
			want: legacy, row: negotiation.RowOtherResult},
		{says: "a result in another case alone is no answer",
			on: http, o: answered(200, `{"jsonrpc":"2.0","id":1,"Result":`+discover(discoverModern)+`}`),
			want: undecided(negotiation.Inconclusive, 200), row: negotiation.RowOther},
		{says: "a repeated member is no answer",
			on: http, o: answered(200, `{"jsonrpc":"2.0","id":1,"result":{},"result":`+discover(discoverModern)+`}`),
			want: undecided(negotiation.Inconclusive, 200), row: negotiation.RowOther},
		{says: "a repeated member is no answer at 503 either",
			on: http, o: answered(503, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"code":-32601,"message":""}}`),
			want: negotiation.Retry{Reason: negotiation.Unavailable}, row: negotiation.RowUnavailable},
		{says: "a message of JSON-RPC 1.0 is no answer",
			on: http, o: answered(200, `{"jsonrpc":"1.0","id":1,"result":`+discover(discoverModern)+`}`),
			want: undecided(negotiation.Inconclusive, 200), row: negotiation.RowOther},
		{says: "a batch is no answer",
			on: http, o: answered(200, `[`+rpcResult("1", discover(discoverModern))+`]`),
			want: undecided(negotiation.Inconclusive, 200), row: negotiation.RowOther},
		{says: "a batch at 400 is a non-modern body",
			on: http, o: answered(400, `[`+rpcError("1", -32022)+`]`),
			want: legacy, row: negotiation.RowNotModern},
	}
	for _, status := range []int{400, 404, 405} {
		claims = append(claims, claim{
			says: fmt.Sprintf("%d to a POST at the URL of a 2024-11-05 stream is legacy", status),
			on:   http, o: typed(status, "text/plain", "stream only"),
			want: legacy, row: negotiation.RowNotModern,
		})
	}
	// The fallback is keyed to no one code.
	for _, code := range []int{-32600, -32602, -32603, -32700, -32000, -32001, -32002, -32019, -32023, -32042, 0, 1, 404} {
		claims = append(claims,
			claim{says: fmt.Sprintf("400 with %d is legacy", code),
				on: http, o: answered(400, rpcError("1", code)),
				want: legacy, row: negotiation.RowNotModern},
			claim{says: fmt.Sprintf("%d is legacy over stdio", code),
				on: stdio, o: line(rpcError("1", code)),
				want: legacy, row: negotiation.RowStdioError},
			claim{says: fmt.Sprintf("500 with %d is an outage", code),
				on: http, o: answered(500, rpcError("1", code)),
				want: negotiation.Retry{Reason: negotiation.Unavailable}, row: negotiation.RowUnavailable},
		)
	}
	return claims
}
