package negotiation

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// A Rule chooses what counts as evidence of a legacy server.
type Rule uint8

const (
	// RuleTable is the whole table, the default: what a server that predates
	// server/discover answers to it is evidence.
	RuleTable Rule = iota
	// RuleNarrow takes only what Evidence calls Demote. It suits gateways whose
	// 400s come from something in between. It reaches fewer legacy servers.
	RuleNarrow
)

// Options adjust ClassifyProbe. The zero value is the default.
type Options struct {
	// Versions are the client's versions in order of preference; nil stands
	// for Versions(). Only modern ones count.
	Versions []string
	// Rule is what counts as evidence of a legacy server.
	Rule Rule
}

// IsModernError reports whether code is one of the JSON-RPC errors that only
// a modern server sends: -32020, -32021 and -32022. They prove the era.
//
// Source: MCP 2026-07-28, basic/versioning, "Backward Compatibility".
func IsModernError(code int64) bool {
	return code == protocol.CodeHeaderMismatch ||
		code == protocol.CodeMissingClientCapability ||
		code == protocol.CodeUnsupportedVersion
}

// ClassifyProbe says what the outcome of a server/discover probe means. It is
// total: any input has a verdict, none panics.
//
// The rows are asked in this order. First, a failure: over HTTP it is Retry,
// over stdio a timeout is Legacy and an exited process Reconnect. Second, a
// JSON-RPC response to the probe, at any HTTP status: a result, then -32022,
// -32021 and -32020, -32601; over stdio every other error is Legacy. Third,
// the HTTP status: 401 and 403 are Authorize; 408, 429 and 5xx are Retry; 400,
// 404 and 405 are Legacy. Everything else is an *Error, Inconclusive.
//
// Source: MCP 2026-07-28, basic/transports, "Backward Compatibility".
func ClassifyProbe(t Transport, o Outcome, opts Options) Verdict {
	v, _ := Explain(t, o, opts)
	return v
}

// Explain is ClassifyProbe with the row that decided.
func Explain(t Transport, o Outcome, opts Options) (Verdict, Row) {
	if o.Failure == Canceled {
		return &Error{Kind: KindUndecided, Reason: GaveUp, Err: o.Err}, RowCanceled
	}
	if o.Failure != NoFailure {
		return classifyFailure(t, o, opts.Rule)
	}
	m, own := answer(o)
	if own {
		if v, row := classifyModern(m, o.Status, opts.Versions); v != nil {
			return v, row
		}
		return classifyOther(t, m, o, opts.Rule)
	}
	// No answer to the probe: the status decides.
	v, row := classifyOther(t, nil, o, opts.Rule)
	if m != nil && m.Error != nil && IsModernError(m.Error.Code) && row != RowAuthorize && row != RowUnavailable {
		err := fmt.Errorf("id %s instead of %s: %w", protocol.Quote(m.ID.String()), o.RequestID, m.Error)
		return &Error{Kind: KindUndecided, Reason: ForeignID, Status: o.Status, Err: err}, RowForeignModernError
	}
	return v, row
}

// classifyFailure judges a probe that got no complete answer.
func classifyFailure(t Transport, o Outcome, rule Rule) (Verdict, Row) {
	switch {
	case t == HTTP && o.Failure == TimedOut:
		return Retry{Reason: Timeout}, RowUnreached
	case t == HTTP:
		return Retry{Reason: NetworkFailure}, RowUnreached
	case rule == RuleNarrow:
		return &Error{Kind: KindUndecided, Reason: Refused, Err: o.Err}, RowNarrowRefused
	case o.Failure == TimedOut:
		return Legacy{}, RowStdioTimeout
	default:
		return Reconnect{}, RowStdioClosed
	}
}

// classifyModern judges what only a modern server says; nil for the rest.
func classifyModern(m *protocol.Message, status int, versions []string) (Verdict, Row) {
	if m.Error == nil {
		return classifyResult(m.Result, status, versions)
	}
	modernError := func(r Reason) *Error {
		return &Error{Kind: KindProtocol, Reason: r, Status: status, Err: m.Error}
	}
	switch m.Error.Code {
	case protocol.CodeUnsupportedVersion:
		supported := m.Error.SupportedVersions()
		if v, ok := pickModern(supported, versions); ok {
			return ModernRetry{Version: v}, RowUnsupportedMutual
		}
		err := modernError(NoCommonVersion)
		err.Supported = supported
		return err, RowUnsupported
	case protocol.CodeMissingClientCapability:
		return modernError(MissingCapability), RowModernError
	case protocol.CodeHeaderMismatch:
		return modernError(HeaderMismatch), RowModernError
	default:
		return nil, NoRow
	}
}

// classifyResult judges a successful answer. A result without resultType and
// supportedVersions is no DiscoverResult, but what a legacy server that
// answers anything would say: nil.
func classifyResult(result jsontext.Value, status int, versions []string) (Verdict, Row) {
	d, err := decodeDiscover(result)
	switch {
	case err != nil && !discoverShaped(result):
		return nil, NoRow
	case err != nil:
		return &Error{Kind: KindProtocol, Reason: InvalidDiscover, Status: status, Err: err}, RowInvalidDiscover
	}
	v, ok := pickModern(d.SupportedVersions, versions)
	if !ok {
		return &Error{Kind: KindProtocol, Reason: NoCommonVersion, Status: status, Supported: d.SupportedVersions}, RowNoMutualVersion
	}
	return Modern{Version: v, Discover: d}, RowDiscover
}

func discoverShaped(result jsontext.Value) bool {
	var head struct {
		ResultType        jsontext.Value `json:"resultType"`
		SupportedVersions jsontext.Value `json:"supportedVersions"`
	}
	return json.Unmarshal(result, &head) == nil && (head.ResultType != nil || head.SupportedVersions != nil)
}

func decodeDiscover(result jsontext.Value) (*protocol.DiscoverResult, error) {
	d := new(protocol.DiscoverResult)
	if err := json.Unmarshal(result, d); err != nil {
		return nil, err
	}
	if d.ResultType != "" && d.ResultType != protocol.ResultComplete {
		return nil, fmt.Errorf("resultType is %s", protocol.Quote(d.ResultType))
	}
	if len(d.SupportedVersions) == 0 {
		return nil, fmt.Errorf("supportedVersions is empty")
	}
	return d, nil
}

// classifyOther judges what is left: m is nil, or a response to the probe that
// says nothing modern.
func classifyOther(t Transport, m *protocol.Message, o Outcome, rule Rule) (Verdict, Row) {
	switch {
	case rule == RuleNarrow:
		return classifyNarrow(m, o)
	case m != nil && m.Error == nil:
		return Legacy{}, RowOtherResult
	case m != nil && t == Stdio:
		return Legacy{}, RowStdioError
	case m != nil && m.Error.Code == protocol.CodeMethodNotFound:
		return Legacy{}, RowMethodNotFound
	case t == HTTP:
		return classifyStatus(m, o)
	default:
		return inconclusive(m, o), RowOther
	}
}

// classifyStatus judges an HTTP answer by its status. A refusal or an outage
// is never an era.
func classifyStatus(m *protocol.Message, o Outcome) (Verdict, Row) {
	switch s := o.Status; {
	case s == 401:
		return Authorize{Status: 401}, RowAuthorize
	case s == 403:
		return Authorize{Status: 403}, RowAuthorize
	case s == 429:
		return retry(RateLimited, o), RowUnavailable
	case s == 408, s >= 500 && s <= 599:
		return retry(Unavailable, o), RowUnavailable
	case s == 400, s == 404, s == 405:
		return Legacy{}, RowNotModern
	default:
		return inconclusive(m, o), RowOther
	}
}

// retry avoids an allocation for the common case of no delay.
func retry(reason Reason, o Outcome) Verdict {
	if o.RetryAfter == 0 {
		if reason == RateLimited {
			return Retry{Reason: RateLimited}
		}
		return Retry{Reason: Unavailable}
	}
	return Retry{Reason: reason, After: o.RetryAfter}
}

func inconclusive(m *protocol.Message, o Outcome) *Error {
	e := &Error{Kind: KindUndecided, Reason: Inconclusive, Status: o.Status, Err: o.Err}
	switch {
	case m != nil && m.Error != nil:
		e.Err = m.Error
	case e.Err == nil && len(o.Body) > 0:
		e.Err = fmt.Errorf("the server said %s", protocol.Quote(o.Body))
	}
	return e
}

// classifyNarrow is classifyOther under the narrow rule.
func classifyNarrow(m *protocol.Message, o Outcome) (Verdict, Row) {
	if Evidence(o) == Demote {
		return Legacy{}, RowNarrowDemote
	}
	if v, row := classifyStatus(nil, o); row == RowAuthorize || row == RowUnavailable {
		return v, row
	}
	e := inconclusive(m, o)
	e.Reason = Refused
	return e, RowNarrowRefused
}
