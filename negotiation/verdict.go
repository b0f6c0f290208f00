package negotiation

import (
	"fmt"
	"strings"
	"time"

	"github.com/mcpera/mcpera/protocol"
)

// A Verdict is what a probe's outcome means. It is one of Modern, ModernRetry,
// Legacy, Reconnect, Authorize, Retry and *Error.
type Verdict interface {
	// String names the verdict in a few words.
	String() string
	verdict()
}

// Modern: the server speaks the modern era. The connection stays modern
// whatever fails later.
type Modern struct {
	Version  string                   // the version to use
	Discover *protocol.DiscoverResult // what the server says of itself
}

// ModernRetry: the server speaks the modern era, at Version but not at the
// version of the probe. Probe again at Version, once.
type ModernRetry struct {
	Version string // one that both speak
}

// Legacy: the answer is one that only a server without server/discover gives.
// It is proved by a valid InitializeResult.
type Legacy struct{}

// Reconnect: the server process exited on the probe. Start it again and open
// it with initialize.
type Reconnect struct{}

// Authorize: the server asks for authorization before it says anything.
type Authorize struct {
	Status int // 401 or 403
}

// Retry: the server could not be asked. It says nothing about the era.
type Retry struct {
	Reason Reason        // Unavailable, RateLimited, NetworkFailure or Timeout
	After  time.Duration // the delay that the server asked for, 0 if none
}

func (Modern) verdict()      {}
func (ModernRetry) verdict() {}
func (Legacy) verdict()      {}
func (Reconnect) verdict()   {}
func (Authorize) verdict()   {}
func (Retry) verdict()       {}
func (*Error) verdict()      {}

func (v Modern) String() string      { return "modern " + v.Version }
func (v ModernRetry) String() string { return "modern, retry with " + v.Version }
func (Legacy) String() string        { return "legacy" }
func (Reconnect) String() string     { return "reconnect, legacy" }
func (v Authorize) String() string   { return fmt.Sprintf("authorize (%d)", v.Status) }
func (v Retry) String() string       { return "retry (" + string(v.Reason) + ")" }
func (e *Error) String() string      { return "error (" + string(e.Reason) + ")" }

// A Reason says in one word why a Retry or an Error came about.
type Reason string

// Reasons of Retry.
const (
	Unavailable    Reason = "unavailable"  // 408 or 5xx
	RateLimited    Reason = "rate_limited" // 429
	NetworkFailure Reason = "network"      // no connection, or it broke
	Timeout        Reason = "timeout"      // no answer in time, over HTTP
)

// Reasons of Error.
const (
	// NoCommonVersion: the server is modern by its answer, and shares no modern
	// version with the client. Error.Supported has its list.
	NoCommonVersion Reason = "no_common_version"
	// InvalidDiscover: a DiscoverResult that breaks its own schema.
	InvalidDiscover Reason = "invalid_discover"
	// HeaderMismatch: -32020, the server refuses the probe's headers.
	HeaderMismatch Reason = "header_mismatch"
	// MissingCapability: -32021, the server wants a client capability.
	MissingCapability Reason = "missing_capability"
	// ForeignID: a modern error that answers another request. It proves nothing
	// about this one, and it must not pass for a legacy answer.
	ForeignID Reason = "foreign_id"
	// Inconclusive: an answer that neither era gives.
	Inconclusive Reason = "inconclusive"
	// Refused: under RuleNarrow, an answer that is no evidence of an era.
	Refused Reason = "refused"
	// GaveUp: the caller ended the probe.
	GaveUp Reason = "canceled"
)

// A Kind groups the reasons of an Error by what it says about the server.
type Kind string

const (
	// KindProtocol: the server speaks the modern era, and the probe failed.
	KindProtocol Kind = "protocol"
	// KindUndecided: the answer does not tell the era.
	KindUndecided Kind = "undecided"
)

// An Error is the verdict on a probe that can neither go on in an era nor be
// repeated. It is an error value too, which Unwrap ties to its cause and, for
// NoCommonVersion, to ErrNoCommonVersion.
type Error struct {
	Kind   Kind   // what it says about the server
	Reason Reason // why, in one word
	// Status is the HTTP status, 0 over stdio.
	Status int
	// Supported is the server's own list of versions, for NoCommonVersion.
	Supported []string
	// Err is the server's *protocol.Error or what could not be read; may be
	// nil.
	Err error
}

// Error says what the probe met, and what the server said about it.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("server/discover: ")
	b.WriteString(e.Reason.explain())
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if len(e.Supported) > 0 {
		fmt.Fprintf(&b, ": the server speaks %s", protocol.Quote(strings.Join(e.Supported, ", ")))
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

// Unwrap returns ErrNoCommonVersion where it applies, and the cause.
func (e *Error) Unwrap() []error {
	var errs []error
	if e.Reason == NoCommonVersion {
		errs = append(errs, ErrNoCommonVersion)
	}
	if e.Err != nil {
		errs = append(errs, e.Err)
	}
	return errs
}

var explanations = map[Reason]string{
	Unavailable:       "the server is unavailable",
	RateLimited:       "the server asks to slow down",
	NetworkFailure:    "the server could not be reached",
	Timeout:           "no answer in time",
	NoCommonVersion:   "no common protocol version",
	InvalidDiscover:   "the answer is not a valid DiscoverResult",
	HeaderMismatch:    "the server refused the request's headers",
	MissingCapability: "the server requires a client capability that was not declared",
	ForeignID:         "the answer belongs to another request",
	Inconclusive:      "the answer tells neither era",
	Refused:           "the answer is no evidence of an era",
	GaveUp:            "canceled before an answer came",
}

// explain returns the reason in words.
func (r Reason) explain() string {
	if s, ok := explanations[r]; ok {
		return s
	}
	return string(r)
}
