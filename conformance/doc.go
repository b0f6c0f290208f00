// Package conformance is a Model Context Protocol server for tests: both eras
// on one endpoint, every rule that a client can see, and nothing to configure
// before the first request.
//
//	srv := conformance.New()
//	defer srv.Close()
//	ts := httptest.NewServer(srv)
//	defer ts.Close()
//
// A [Server] is an [http.Handler] for Streamable HTTP and serves stdio with
// [Server.ServeStdio]. It is a test double, not a server SDK: it comes with a
// fixed set of tools, resources and prompts, those that the official
// conformance suite asks for among them, and takes more through options.
//
// # Which era a request belongs to
//
// The body decides, request by request. "Both keys" are
// io.modelcontextprotocol/protocolVersion and
// io.modelcontextprotocol/clientCapabilities in params._meta.
//
//	both keys                  modern, whatever the method
//	one of the two             -32602, HTTP 400
//	neither, server/discover   modern, without a version
//	neither, anything else     legacy
//
// One case is stricter than the table: a server/discover without either key
// whose MCP-Protocol-Version header names a modern version is a modern request
// that forgot its metadata, and is refused with -32602.
//
// # What a modern response's HTTP status is
//
//	result, or an error of the method itself     200
//	notification                                 202
//	any refusal before the method runs           400
//	-32020, -32021, -32022                       400
//	-32601                                       404
//	insufficient scope                           403
//	listen without text/event-stream in Accept   406
//	listen when the stream limit is reached      503
//
// A legacy response is sent at 200, a notification at 202; the checks of
// version header and session that run before it have their own 400 and 404.
//
// # What comes with it
//
// Tools that answer: add_numbers, echo, greet, whoami (what the server sees of
// the request), sleep, test_error_handling, test_panic. Tools that stream:
// test_tool_with_progress, test_tool_with_logging, test_logging_tool, and
// test_reconnection, which breaks off its stream. Tools that ask, in either
// era: test_sampling, test_elicitation, test_elicitation_url, test_list_roots,
// test_input_required_result_*. Tools that become tasks: slow_compute,
// failing_job, protocol_error_job, confirm_delete, multi_input,
// test_tool_with_task. Tools that change something: test_trigger_*. One with
// Mcp-Param-* headers: test_header_params. Resources, a template and prompts
// under test://.
//
// Left out: the experimental tasks of 2025-11-25, the HTTP+SSE transport of
// 2024-11-05, and validation of arguments against schemas.
//
// # Determinism
//
// [WithSeed] fixes session ids, task ids and the key that signs requestState,
// so that transcripts can be compared and two servers accept each other's
// state. Time is the process's: tests may run it in a testing/synctest bubble.
package conformance
