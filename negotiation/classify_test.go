package negotiation_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

const (
	stdio = negotiation.Stdio
	http  = negotiation.HTTP

	modern = "2026-07-28"
)

var probeID = protocol.NumberID(1)

// A claim is one thing that ClassifyProbe promises.
type claim struct {
	says string
	on   negotiation.Transport
	o    negotiation.Outcome
	opts negotiation.Options
	want negotiation.Verdict
	row  negotiation.Row
}

// discover is a result that lists versions, in full as the specification has
// it.
func discover(versions string) string {
	return `{"resultType":"complete","supportedVersions":[` + versions + `],` +
		`"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`
}

const (
	discoverModern = `"2026-07-28","2025-11-25"`
	discoverLegacy = `"2025-11-25","2025-06-18","2025-03-26"`
)

func rpcResult(id, result string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
}

func rpcError(id string, code int) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + strconv.Itoa(code) + `,"message":"refused"}}`
}

func unsupported(id, supported string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32022,"message":"unsupported protocol version",` +
		`"data":{"supported":[` + supported + `],"requested":"2026-07-28"}}}`
}

// answered is an answer of JSON; over stdio there is no status.
func answered(status int, body string) negotiation.Outcome {
	return typed(status, "application/json", body)
}

func typed(status int, contentType, body string) negotiation.Outcome {
	return negotiation.Outcome{Status: status, ContentType: contentType, Body: []byte(body), RequestID: probeID}
}

func line(body string) negotiation.Outcome {
	return negotiation.Outcome{Body: []byte(body), RequestID: probeID}
}

func failed(f negotiation.Failure) negotiation.Outcome {
	return negotiation.Outcome{Failure: f, Err: fmt.Errorf("the cause"), RequestID: probeID}
}

func protocolError(r negotiation.Reason, status int, supported ...string) *negotiation.Error {
	return &negotiation.Error{Kind: negotiation.KindProtocol, Reason: r, Status: status, Supported: supported}
}

func undecided(r negotiation.Reason, status int) *negotiation.Error {
	return &negotiation.Error{Kind: negotiation.KindUndecided, Reason: r, Status: status}
}

// tableClaims has the rows of the table in its order.
var tableClaims = []claim{
	{says: "a valid DiscoverResult is modern",
		on: http, o: answered(200, rpcResult("1", discover(discoverModern))),
		want: negotiation.Modern{Version: modern}, row: negotiation.RowDiscover},
	{says: "a valid DiscoverResult is modern over stdio too",
		on: stdio, o: line(rpcResult("1", discover(discoverModern))),
		want: negotiation.Modern{Version: modern}, row: negotiation.RowDiscover},
	{says: "a DiscoverResult needs no resultType, it is complete without",
		on: http, o: answered(200, rpcResult("1", `{"supportedVersions":["2026-07-28"],"capabilities":{}}`)),
		want: negotiation.Modern{Version: modern}, row: negotiation.RowDiscover},
	{says: "the client's preference picks the version, not the server's",
		on: http, o: answered(200, rpcResult("1", discover(`"2027-01-01","2026-07-28","2026-09-09"`))),
		opts: negotiation.Options{Versions: []string{"2026-09-09", "2027-01-01", "2026-07-28"}},
		want: negotiation.Modern{Version: "2026-09-09"}, row: negotiation.RowDiscover},

	{says: "a DiscoverResult whose versions are no list is invalid",
		on: http, o: answered(200, rpcResult("1", `{"resultType":"complete","supportedVersions":"2026-07-28"}`)),
		want: protocolError(negotiation.InvalidDiscover, 200), row: negotiation.RowInvalidDiscover},
	{says: "a DiscoverResult whose versions are no strings is invalid",
		on: stdio, o: line(rpcResult("1", `{"supportedVersions":[20260728]}`)),
		want: protocolError(negotiation.InvalidDiscover, 0), row: negotiation.RowInvalidDiscover},
	{says: "a DiscoverResult that lists no version is invalid",
		on: stdio, o: line(rpcResult("1", discover(""))),
		want: protocolError(negotiation.InvalidDiscover, 0), row: negotiation.RowInvalidDiscover},
	{says: "a resultType alone is DiscoverResult-shaped, and invalid",
		on: http, o: answered(200, rpcResult("1", `{"resultType":"complete"}`)),
		want: protocolError(negotiation.InvalidDiscover, 200), row: negotiation.RowInvalidDiscover},
	{says: "a resultType of null is DiscoverResult-shaped, and invalid",
		on: http, o: answered(200, rpcResult("1", `{"resultType":null}`)),
		want: protocolError(negotiation.InvalidDiscover, 200), row: negotiation.RowInvalidDiscover},
	{says: "a DiscoverResult that is not complete is invalid",
		on: http, o: answered(200, rpcResult("1", `{"resultType":"input_required","supportedVersions":["2026-07-28"]}`)),
		want: protocolError(negotiation.InvalidDiscover, 200), row: negotiation.RowInvalidDiscover},

	{says: "a DiscoverResult of legacy versions alone is no mutual version",
		on: http, o: answered(200, rpcResult("1", discover(discoverLegacy))),
		want: protocolError(negotiation.NoCommonVersion, 200, "2025-11-25", "2025-06-18", "2025-03-26"),
		row:  negotiation.RowNoMutualVersion},
	{says: "a DiscoverResult of unknown modern versions is no mutual version",
		on: stdio, o: line(rpcResult("1", discover(`"2099-01-01"`))),
		want: protocolError(negotiation.NoCommonVersion, 0, "2099-01-01"), row: negotiation.RowNoMutualVersion},
	{says: "a mutual legacy version is not a mutual modern one",
		on: http, o: answered(200, rpcResult("1", discover(discoverModern))),
		opts: negotiation.Options{Versions: []string{"2025-11-25"}},
		want: protocolError(negotiation.NoCommonVersion, 200, "2026-07-28", "2025-11-25"),
		row:  negotiation.RowNoMutualVersion},
	{says: "a client without versions shares none",
		on: http, o: answered(200, rpcResult("1", discover(discoverModern))),
		opts: negotiation.Options{Versions: []string{}},
		want: protocolError(negotiation.NoCommonVersion, 200, "2026-07-28", "2025-11-25"),
		row:  negotiation.RowNoMutualVersion},

	{says: "an empty result is legacy",
		on: http, o: answered(200, rpcResult("1", `{}`)),
		want: negotiation.Legacy{}, row: negotiation.RowOtherResult},
	{says: "a result of another shape is legacy over stdio",
		on: stdio, o: line(rpcResult("1", `{"capabilities":{},"ok":true}`)),
		want: negotiation.Legacy{}, row: negotiation.RowOtherResult},
	{says: "a result that is no object is legacy",
		on: http, o: answered(200, rpcResult("1", `["2026-07-28"]`)),
		want: negotiation.Legacy{}, row: negotiation.RowOtherResult},
	{says: "a result of null is legacy",
		on: stdio, o: line(rpcResult("1", `null`)),
		want: negotiation.Legacy{}, row: negotiation.RowOtherResult},
	{says: "members of another case make no DiscoverResult",
		on: http, o: answered(200, rpcResult("1", `{"SupportedVersions":["2026-07-28"],"resulttype":"complete"}`)),
		want: negotiation.Legacy{}, row: negotiation.RowOtherResult},

	{says: "-32022 that names a mutual version asks for it",
		on: http, o: answered(400, unsupported("1", `"2025-11-25","2026-07-28"`)),
		want: negotiation.ModernRetry{Version: modern}, row: negotiation.RowUnsupportedMutual},
	{says: "-32022 that names a mutual version asks for it over stdio",
		on: stdio, o: line(unsupported("1", `"2026-07-28"`)),
		want: negotiation.ModernRetry{Version: modern}, row: negotiation.RowUnsupportedMutual},
	{says: "-32022 asks for the version that the client prefers",
		on: http, o: answered(400, unsupported("1", `"2026-07-28","2027-01-01"`)),
		opts: negotiation.Options{Versions: []string{"2027-01-01", "2026-07-28"}},
		want: negotiation.ModernRetry{Version: "2027-01-01"}, row: negotiation.RowUnsupportedMutual},

	{says: "-32022 that names legacy versions is no common version",
		on: http, o: answered(400, unsupported("1", discoverLegacy)),
		want: protocolError(negotiation.NoCommonVersion, 400, "2025-11-25", "2025-06-18", "2025-03-26"),
		row:  negotiation.RowUnsupported},
	{says: "-32022 that names no version is no common version",
		on: stdio, o: line(rpcError("1", -32022)),
		want: protocolError(negotiation.NoCommonVersion, 0), row: negotiation.RowUnsupported},
	{says: "-32022 whose list can't be read is no common version",
		on: http, o: answered(400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"","data":{"supported":[1]}}}`),
		want: protocolError(negotiation.NoCommonVersion, 400), row: negotiation.RowUnsupported},

	{says: "-32021 is modern, never legacy",
		on: http, o: answered(400, rpcError("1", -32021)),
		want: protocolError(negotiation.MissingCapability, 400), row: negotiation.RowModernError},
	{says: "-32021 is modern over stdio",
		on: stdio, o: line(rpcError("1", -32021)),
		want: protocolError(negotiation.MissingCapability, 0), row: negotiation.RowModernError},
	{says: "-32020 is modern, never legacy",
		on: http, o: answered(400, rpcError("1", -32020)),
		want: protocolError(negotiation.HeaderMismatch, 400), row: negotiation.RowModernError},
	{says: "-32020 is modern over stdio",
		on: stdio, o: line(rpcError("1", -32020)),
		want: protocolError(negotiation.HeaderMismatch, 0), row: negotiation.RowModernError},

	{says: "an error of any other code is legacy over stdio",
		on: stdio, o: line(rpcError("1", -32602)),
		want: negotiation.Legacy{}, row: negotiation.RowStdioError},
	{says: "a timeout over stdio is legacy",
		on: stdio, o: failed(negotiation.TimedOut),
		want: negotiation.Legacy{}, row: negotiation.RowStdioTimeout},
	{says: "a process that exits on the probe is started again",
		on: stdio, o: failed(negotiation.Closed),
		want: negotiation.Reconnect{}, row: negotiation.RowStdioClosed},
	{says: "a byte stream that breaks is opened again",
		on: stdio, o: failed(negotiation.NetworkError),
		want: negotiation.Reconnect{}, row: negotiation.RowStdioClosed},

	{says: "401 asks for authorization",
		on: http, o: typed(401, "", ""),
		want: negotiation.Authorize{Status: 401}, row: negotiation.RowAuthorize},
	{says: "403 asks for authorization",
		on: http, o: typed(403, "text/plain", "host not allowed"),
		want: negotiation.Authorize{Status: 403}, row: negotiation.RowAuthorize},
	{says: "408 says nothing about the era",
		on: http, o: typed(408, "", ""),
		want: negotiation.Retry{Reason: negotiation.Unavailable}, row: negotiation.RowUnavailable},
	{says: "429 says nothing about the era",
		on: http, o: typed(429, "", ""),
		want: negotiation.Retry{Reason: negotiation.RateLimited}, row: negotiation.RowUnavailable},
	{says: "500 says nothing about the era",
		on: http, o: typed(500, "text/html", "<h1>Oops</h1>"),
		want: negotiation.Retry{Reason: negotiation.Unavailable}, row: negotiation.RowUnavailable},
	{says: "501 says nothing about the era",
		on: http, o: typed(501, "", ""),
		want: negotiation.Retry{Reason: negotiation.Unavailable}, row: negotiation.RowUnavailable},
	{says: "503 says nothing about the era",
		on: http, o: typed(503, "", ""),
		want: negotiation.Retry{Reason: negotiation.Unavailable}, row: negotiation.RowUnavailable},
	{says: "599 says nothing about the era",
		on: http, o: typed(599, "", ""),
		want: negotiation.Retry{Reason: negotiation.Unavailable}, row: negotiation.RowUnavailable},
	{says: "503 keeps the delay that the server asked for",
		on: http, o: negotiation.Outcome{Status: 503, RetryAfter: 7 * time.Second},
		want: negotiation.Retry{Reason: negotiation.Unavailable, After: 7 * time.Second}, row: negotiation.RowUnavailable},
	{says: "429 keeps the delay that the server asked for",
		on: http, o: negotiation.Outcome{Status: 429, RetryAfter: time.Second},
		want: negotiation.Retry{Reason: negotiation.RateLimited, After: time.Second}, row: negotiation.RowUnavailable},
	{says: "a network error says nothing about the era",
		on: http, o: failed(negotiation.NetworkError),
		want: negotiation.Retry{Reason: negotiation.NetworkFailure}, row: negotiation.RowUnreached},
	{says: "a timeout over HTTP says nothing about the era",
		on: http, o: failed(negotiation.TimedOut),
		want: negotiation.Retry{Reason: negotiation.Timeout}, row: negotiation.RowUnreached},
	{says: "a closed connection over HTTP says nothing about the era",
		on: http, o: failed(negotiation.Closed),
		want: negotiation.Retry{Reason: negotiation.NetworkFailure}, row: negotiation.RowUnreached},

	{says: "400 without a body is legacy",
		on: http, o: typed(400, "", ""),
		want: negotiation.Legacy{}, row: negotiation.RowNotModern},
	{says: "404 without a body is legacy",
		on: http, o: typed(404, "", ""),
		want: negotiation.Legacy{}, row: negotiation.RowNotModern},
	{says: "405 without a body is legacy",
		on: http, o: typed(405, "", ""),
		want: negotiation.Legacy{}, row: negotiation.RowNotModern},
	{says: "400 with text is legacy",
		on: http, o: typed(400, "text/plain", "Bad Request: no session"),
		want: negotiation.Legacy{}, row: negotiation.RowNotModern},
	{says: "405 with HTML is legacy",
		on: http, o: typed(405, "text/html", "<html></html>"),
		want: negotiation.Legacy{}, row: negotiation.RowNotModern},
	{says: "400 with JSON that is no JSON-RPC is legacy",
		on: http, o: answered(400, `{"error":"no session"}`),
		want: negotiation.Legacy{}, row: negotiation.RowNotModern},
	{says: "404 with a request for a body is legacy",
		on: http, o: answered(404, `{"jsonrpc":"2.0","id":1,"method":"ping"}`),
		want: negotiation.Legacy{}, row: negotiation.RowNotModern},
	{says: "404 with an event stream of no response is legacy",
		on: http, o: typed(404, "text/event-stream", ": nothing\n\ndata: gone\n\n"),
		want: negotiation.Legacy{}, row: negotiation.RowNotModern},

	{says: "-32601 at 200 is legacy",
		on: http, o: answered(200, rpcError("1", -32601)),
		want: negotiation.Legacy{}, row: negotiation.RowMethodNotFound},

	{says: "406 is inconclusive",
		on: http, o: typed(406, "", ""),
		want: undecided(negotiation.Inconclusive, 406), row: negotiation.RowOther},
	{says: "200 with HTML is inconclusive",
		on: http, o: typed(200, "text/html", "<html></html>"),
		want: undecided(negotiation.Inconclusive, 200), row: negotiation.RowOther},
	{says: "202 without a body is inconclusive",
		on: http, o: typed(202, "", ""),
		want: undecided(negotiation.Inconclusive, 202), row: negotiation.RowOther},
	{says: "200 with -32602 is inconclusive",
		on: http, o: answered(200, rpcError("1", -32602)),
		want: undecided(negotiation.Inconclusive, 200), row: negotiation.RowOther},
	{says: "a redirect is inconclusive",
		on: http, o: typed(307, "", ""),
		want: undecided(negotiation.Inconclusive, 307), row: negotiation.RowOther},
	{says: "499 is no server error but inconclusive",
		on: http, o: typed(499, "", ""),
		want: undecided(negotiation.Inconclusive, 499), row: negotiation.RowOther},
	{says: "600 is no server error but inconclusive",
		on: http, o: typed(600, "", ""),
		want: undecided(negotiation.Inconclusive, 600), row: negotiation.RowOther},
	{says: "no status at all is inconclusive",
		on: http, o: negotiation.Outcome{},
		want: undecided(negotiation.Inconclusive, 0), row: negotiation.RowOther},
	{says: "a line that is no response is inconclusive over stdio",
		on: stdio, o: line("Server version 1.2"),
		want: undecided(negotiation.Inconclusive, 0), row: negotiation.RowOther},
	{says: "an HTTP status means nothing over stdio",
		on: stdio, o: negotiation.Outcome{Status: 404},
		want: undecided(negotiation.Inconclusive, 404), row: negotiation.RowOther},

	{says: "a probe that the caller ended says nothing over HTTP",
		on: http, o: failed(negotiation.Canceled),
		want: undecided(negotiation.GaveUp, 0), row: negotiation.RowCanceled},
	{says: "a probe that the caller ended is no timeout over stdio",
		on: stdio, o: failed(negotiation.Canceled),
		want: undecided(negotiation.GaveUp, 0), row: negotiation.RowCanceled},
}

// precedenceClaims say which row wins where two apply.
var precedenceClaims = []claim{
	{says: "a failure comes before whatever was read until then",
		on: http, o: negotiation.Outcome{Failure: negotiation.NetworkError, Status: 404, Body: []byte(rpcError("1", -32601))},
		want: negotiation.Retry{Reason: negotiation.NetworkFailure}, row: negotiation.RowUnreached},
	{says: "a timeout comes before the status that had come",
		on: http, o: negotiation.Outcome{Failure: negotiation.TimedOut, Status: 400},
		want: negotiation.Retry{Reason: negotiation.Timeout}, row: negotiation.RowUnreached},
	{says: "a DiscoverResult at 400 is modern",
		on: http, o: answered(400, rpcResult("1", discover(discoverModern))),
		want: negotiation.Modern{Version: modern}, row: negotiation.RowDiscover},
	{says: "a DiscoverResult at 503 is modern",
		on: http, o: answered(503, rpcResult("1", discover(discoverModern))),
		want: negotiation.Modern{Version: modern}, row: negotiation.RowDiscover},
	{says: "a DiscoverResult at 401 is modern",
		on: http, o: answered(401, rpcResult("1", discover(discoverModern))),
		want: negotiation.Modern{Version: modern}, row: negotiation.RowDiscover},
	{says: "a result of another shape at 500 is an answer all the same",
		on: http, o: answered(500, rpcResult("1", `{}`)),
		want: negotiation.Legacy{}, row: negotiation.RowOtherResult},
	{says: "-32022 at 200 asks for its version",
		on: http, o: answered(200, unsupported("1", `"2026-07-28"`)),
		want: negotiation.ModernRetry{Version: modern}, row: negotiation.RowUnsupportedMutual},
	{says: "-32022 at 503 asks for its version",
		on: http, o: answered(503, unsupported("1", `"2026-07-28"`)),
		want: negotiation.ModernRetry{Version: modern}, row: negotiation.RowUnsupportedMutual},
	{says: "-32021 at 403 is no request for authorization",
		on: http, o: answered(403, rpcError("1", -32021)),
		want: protocolError(negotiation.MissingCapability, 403), row: negotiation.RowModernError},
	{says: "-32020 at 404 is no legacy answer",
		on: http, o: answered(404, rpcError("1", -32020)),
		want: protocolError(negotiation.HeaderMismatch, 404), row: negotiation.RowModernError},
	{says: "-32601 at 404 is read before the status",
		on: http, o: answered(404, rpcError("1", -32601)),
		want: negotiation.Legacy{}, row: negotiation.RowMethodNotFound},
	{says: "-32601 at 503 is an answer, not an outage",
		on: http, o: answered(503, rpcError("1", -32601)),
		want: negotiation.Legacy{}, row: negotiation.RowMethodNotFound},
	{says: "-32601 at 401 is an answer, not a refusal",
		on: http, o: answered(401, rpcError("null", -32601)),
		want: negotiation.Legacy{}, row: negotiation.RowMethodNotFound},
	{says: "-32601 over stdio is the row of every other error",
		on: stdio, o: line(rpcError("1", -32601)),
		want: negotiation.Legacy{}, row: negotiation.RowStdioError},
	{says: "-32603 at 500 is an outage",
		on: http, o: answered(500, rpcError("1", -32603)),
		want: negotiation.Retry{Reason: negotiation.Unavailable}, row: negotiation.RowUnavailable},
	{says: "-32600 at 429 is a refusal",
		on: http, o: answered(429, rpcError("1", -32600)),
		want: negotiation.Retry{Reason: negotiation.RateLimited}, row: negotiation.RowUnavailable},
	{says: "-32001 at 401 asks for authorization",
		on: http, o: answered(401, rpcError("1", -32001)),
		want: negotiation.Authorize{Status: 401}, row: negotiation.RowAuthorize},
	{says: "-32001 at 403 asks for authorization",
		on: http, o: answered(403, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"forbidden origin"}}`),
		want: negotiation.Authorize{Status: 403}, row: negotiation.RowAuthorize},
}

// idClaims say when an answer belongs to the probe, whose id is 1.
var idClaims = []claim{
	{says: "an id of null belongs to the probe when it is an error",
		on: http, o: answered(400, unsupported("null", `"2026-07-28"`)),
		want: negotiation.ModernRetry{Version: modern}, row: negotiation.RowUnsupportedMutual},
	{says: "an error without an id belongs to the probe",
		on: http, o: answered(400, `{"jsonrpc":"2.0","error":{"code":-32022,"message":"","data":{"supported":["2026-07-28"]}}}`),
		want: negotiation.ModernRetry{Version: modern}, row: negotiation.RowUnsupportedMutual},
	{says: `the id "1" belongs to the probe 1`,
		on: http, o: answered(400, unsupported(`"1"`, `"2026-07-28"`)),
		want: negotiation.ModernRetry{Version: modern}, row: negotiation.RowUnsupportedMutual},
	{says: "the id 1.0 belongs to the probe 1",
		on: http, o: answered(200, rpcResult("1.0", discover(discoverModern))),
		want: negotiation.Modern{Version: modern}, row: negotiation.RowDiscover},
	{says: "a result without the probe's id is no answer to it",
		on: http, o: answered(200, rpcResult("null", discover(discoverModern))),
		want: undecided(negotiation.Inconclusive, 200), row: negotiation.RowOther},
	{says: "a DiscoverResult for another request is no answer to the probe",
		on: http, o: answered(200, rpcResult("2", discover(discoverModern))),
		want: undecided(negotiation.Inconclusive, 200), row: negotiation.RowOther},
	{says: "-32601 for another request is no answer to the probe",
		on: http, o: answered(200, rpcError("2", -32601)),
		want: undecided(negotiation.Inconclusive, 200), row: negotiation.RowOther},
	{says: "-32601 for another request does not turn 503 into an era",
		on: http, o: answered(503, rpcError("2", -32601)),
		want: negotiation.Retry{Reason: negotiation.Unavailable}, row: negotiation.RowUnavailable},
	{says: "an error for another request leaves 400 to its status",
		on: http, o: answered(400, rpcError("2", -32000)),
		want: negotiation.Legacy{}, row: negotiation.RowNotModern},
	{says: "an error for another request is no legacy answer over stdio",
		on: stdio, o: line(rpcError("2", -32602)),
		want: undecided(negotiation.Inconclusive, 0), row: negotiation.RowOther},
	{says: "-32022 for another request does not pass for legacy at 400",
		on: http, o: answered(400, unsupported("2", `"2026-07-28"`)),
		want: undecided(negotiation.ForeignID, 400), row: negotiation.RowForeignModernError},
	{says: "-32020 for another request does not pass for legacy at 404",
		on: http, o: answered(404, rpcError(`""`, -32020)),
		want: undecided(negotiation.ForeignID, 404), row: negotiation.RowForeignModernError},
	{says: "-32021 for another request is undecided at 200",
		on: http, o: answered(200, rpcError("2", -32021)),
		want: undecided(negotiation.ForeignID, 200), row: negotiation.RowForeignModernError},
	{says: "-32022 for another request is undecided over stdio",
		on: stdio, o: line(unsupported("2", `"2026-07-28"`)),
		want: undecided(negotiation.ForeignID, 0), row: negotiation.RowForeignModernError},
	{says: "-32022 for another request leaves 503 an outage",
		on: http, o: answered(503, unsupported("2", `"2026-07-28"`)),
		want: negotiation.Retry{Reason: negotiation.Unavailable}, row: negotiation.RowUnavailable},
	{says: "-32022 for another request leaves 401 a request for authorization",
		on: http, o: answered(401, unsupported("2", `"2026-07-28"`)),
		want: negotiation.Authorize{Status: 401}, row: negotiation.RowAuthorize},
	{says: "a probe of unknown id takes any answer",
		on: http, o: negotiation.Outcome{Status: 200, Body: []byte(rpcResult("77", discover(discoverModern)))},
		want: negotiation.Modern{Version: modern}, row: negotiation.RowDiscover},
}

// narrowClaims hold under RuleNarrow.
var narrowClaims = []claim{
	{says: "a DiscoverResult is modern under the narrow rule",
		on: http, o: answered(200, rpcResult("1", discover(discoverModern))),
		want: negotiation.Modern{Version: modern}, row: negotiation.RowDiscover},
	{says: "-32021 at 404 is modern under the narrow rule",
		on: http, o: answered(404, rpcError("1", -32021)),
		want: protocolError(negotiation.MissingCapability, 404), row: negotiation.RowModernError},
	{says: "404 demotes",
		on: http, o: typed(404, "", ""),
		want: negotiation.Legacy{}, row: negotiation.RowNarrowDemote},
	{says: "405 demotes",
		on: http, o: typed(405, "", ""),
		want: negotiation.Legacy{}, row: negotiation.RowNarrowDemote},
	{says: "501 demotes",
		on: http, o: typed(501, "", ""),
		want: negotiation.Legacy{}, row: negotiation.RowNarrowDemote},
	{says: "-32601 demotes, whatever it is carried in",
		on: http, o: answered(400, rpcError("1", -32601)),
		want: negotiation.Legacy{}, row: negotiation.RowNarrowDemote},
	{says: "-32601 demotes over stdio",
		on: stdio, o: line(rpcError("1", -32601)),
		want: negotiation.Legacy{}, row: negotiation.RowNarrowDemote},
	{says: "400 does not demote",
		on: http, o: typed(400, "text/plain", "Bad Request"),
		want: undecided(negotiation.Refused, 400), row: negotiation.RowNarrowRefused},
	{says: "400 with another code does not demote",
		on: http, o: answered(400, rpcError("1", -32000)),
		want: undecided(negotiation.Refused, 400), row: negotiation.RowNarrowRefused},
	{says: "a result of another shape does not demote",
		on: http, o: answered(200, rpcResult("1", `{}`)),
		want: undecided(negotiation.Refused, 200), row: negotiation.RowNarrowRefused},
	{says: "another code does not demote over stdio",
		on: stdio, o: line(rpcError("1", -32602)),
		want: undecided(negotiation.Refused, 0), row: negotiation.RowNarrowRefused},
	{says: "a timeout does not demote over stdio",
		on: stdio, o: failed(negotiation.TimedOut),
		want: undecided(negotiation.Refused, 0), row: negotiation.RowNarrowRefused},
	{says: "an exited process does not demote",
		on: stdio, o: failed(negotiation.Closed),
		want: undecided(negotiation.Refused, 0), row: negotiation.RowNarrowRefused},
	{says: "401 asks for authorization under the narrow rule",
		on: http, o: typed(401, "", ""),
		want: negotiation.Authorize{Status: 401}, row: negotiation.RowAuthorize},
	{says: "503 is an outage under the narrow rule",
		on: http, o: typed(503, "", ""),
		want: negotiation.Retry{Reason: negotiation.Unavailable}, row: negotiation.RowUnavailable},
	{says: "429 is an outage under the narrow rule",
		on: http, o: negotiation.Outcome{Status: 429, RetryAfter: time.Minute},
		want: negotiation.Retry{Reason: negotiation.RateLimited, After: time.Minute}, row: negotiation.RowUnavailable},
	{says: "a network error is an outage under the narrow rule",
		on: http, o: failed(negotiation.NetworkError),
		want: negotiation.Retry{Reason: negotiation.NetworkFailure}, row: negotiation.RowUnreached},
	{says: "a canceled probe is canceled under the narrow rule",
		on: http, o: failed(negotiation.Canceled),
		want: undecided(negotiation.GaveUp, 0), row: negotiation.RowCanceled},
	{says: "-32601 for another request does not demote",
		on: http, o: answered(200, rpcError("2", -32601)),
		want: undecided(negotiation.Refused, 200), row: negotiation.RowNarrowRefused},
	{says: "-32601 for another request leaves 503 an outage",
		on: http, o: answered(503, rpcError("2", -32601)),
		want: negotiation.Retry{Reason: negotiation.Unavailable}, row: negotiation.RowUnavailable},
	{says: "-32022 for another request at 404 does not demote",
		on: http, o: answered(404, unsupported("2", `"2026-07-28"`)),
		want: undecided(negotiation.ForeignID, 404), row: negotiation.RowForeignModernError},
}

func allClaims() []claim {
	var all []claim
	for _, claims := range [][]claim{tableClaims, precedenceClaims, idClaims, realServerClaims()} {
		all = append(all, claims...)
	}
	for _, c := range narrowClaims {
		c.opts.Rule = negotiation.RuleNarrow
		all = append(all, c)
	}
	return all
}

// Causes and results are compared where their own tests are.
var ignoreDetails = cmp.Options{
	cmpopts.IgnoreFields(negotiation.Modern{}, "Discover"),
	cmpopts.IgnoreFields(negotiation.Error{}, "Err"),
	cmpopts.EquateEmpty(),
}

// B001, B003, B004, M-VER-03, M-VER-04, M-VER-08, M-VER-09, M-VER-11.
func TestClassifyProbe(t *testing.T) {
	for _, c := range allClaims() {
		t.Run(c.says, func(t *testing.T) {
			for form, o := range forms(c) {
				got, row := negotiation.Explain(c.on, o, c.opts)
				if diff := cmp.Diff(c.want, got, ignoreDetails); diff != "" {
					t.Errorf("%s: verdict (-want +got):\n%s", form, diff)
				}
				if row != c.row {
					t.Errorf("%s: row is %q, want %q", form, row, c.row)
				}
				if again := negotiation.ClassifyProbe(c.on, o, c.opts); !cmp.Equal(got, again, ignoreDetails) {
					t.Errorf("%s: ClassifyProbe says %v, Explain %v", form, again, got)
				}
			}
		})
	}
}

func TestEveryRowIsClaimed(t *testing.T) {
	claimed := map[negotiation.Row]bool{}
	for _, c := range allClaims() {
		claimed[c.row] = true
	}
	for _, row := range negotiation.Rows() {
		if !claimed[row] {
			t.Errorf("no claim reaches the row %q", row)
		}
	}
}

func TestClaimsAreNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range allClaims() {
		if seen[c.says] {
			t.Errorf("two claims say %q", c.says)
		}
		seen[c.says] = true
	}
}
