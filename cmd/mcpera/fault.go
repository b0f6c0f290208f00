package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/http"
	"os/exec"
	"strconv"
	"strings"

	"github.com/mcpera/mcpera/auth"
	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/stdio"
)

// A fault is an error in the form in which scripts and people get it: the
// error member of a JSON document, a paragraph, and an exit code.
type fault struct {
	Kind    string `json:"kind"`
	Reason  string `json:"reason"` // "" when the kind says it all
	Status  int    `json:"status"` // HTTP status, 0 when there was none
	Message string `json:"message"`

	exit int
	hint string // what the user can do
}

// paragraph is the fault for people. command is what they ran.
func (f fault) paragraph(command string) string {
	text := "mcpera: " + f.Message
	if f.Kind == "usage" {
		f.hint = fmt.Sprintf("Try %q.", command+" --help")
	}
	if f.hint != "" {
		if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") {
			text += "."
		}
		text += " " + f.hint
	}
	return text
}

// diagnose turns an error of any command into a fault.
func diagnose(err error) fault {
	f := kindOf(err)
	if connect := new(client.ConnectError); errors.As(err, &connect) && f.exit == exitFailed {
		f.exit = exitNoConnection
	}
	f.Message = clean(explain(err))
	return f
}

// kindOf finds the row of the table. The first error in the chain that has a
// row decides, since the outer ones say more; an error without a type of its
// own counts only when there is no other.
func kindOf(err error) fault {
	if errors.Is(err, client.ErrNoSubscriptions) {
		return fault{Kind: "no_changes", exit: exitFailed} // whether it says so by an error or not
	}
	for e := range chain(err) {
		if f, ok := classify(e); ok {
			return f
		}
	}
	return classifySentinel(err)
}

// chain yields err and everything that it wraps, outer errors first.
func chain(err error) iter.Seq[error] {
	return func(yield func(error) bool) { walk(err, yield) }
}

func walk(err error, yield func(error) bool) bool {
	if err == nil {
		return true
	}
	if !yield(err) {
		return false
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return walk(e.Unwrap(), yield)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if !walk(inner, yield) {
				return false
			}
		}
	}
	return true
}

// classify is the table of errors; what err wraps does not choose the row. It
// does not know errors that only lead to others.
func classify(err error) (fault, bool) {
	var f fault
	switch e := err.(type) {
	case *usageError:
		f = fault{Kind: "usage", exit: exitUsage}
	case *transport.AuthError:
		f = fault{Kind: "unauthorized", Reason: authReason(e.Status), Status: e.Status, exit: exitNoConnection, hint: authHint(e)}
	case *transport.UnavailableError:
		f = fault{Kind: "unavailable", Reason: outageReason(e), Status: e.Status, exit: exitNoConnection, hint: outageHint(e)}
	case *transport.TimeoutError:
		f = fault{Kind: "timeout", exit: exitNoConnection}
	case *transport.ServerError:
		f = fault{Kind: "server_error", Reason: strconv.FormatInt(e.Err.Code, 10), Status: e.Status, exit: exitFailed}
	case *transport.StatusError:
		f = fault{Kind: "status", Reason: statusReason(e), Status: e.Status, exit: exitProtocol}
	case *transport.MessageError:
		f = fault{Kind: "message", Reason: messageReason(e), Status: e.Status, exit: exitProtocol}
	case *negotiation.Error:
		f = fault{Kind: "negotiation", Reason: string(e.Reason), Status: e.Status, exit: negotiationExit(e.Reason)}
	case *client.VersionError:
		f = fault{Kind: "negotiation", Reason: string(negotiation.NoCommonVersion), exit: exitNoConnection}
	case *client.OutputError:
		f = fault{Kind: "output", exit: exitProtocol}
	case *client.UndeclaredError:
		f = fault{Kind: "input", Reason: "undeclared", exit: exitProtocol}
	case *client.RequestError:
		f = fault{Kind: "input", Reason: "malformed", exit: exitProtocol}
	case *client.RoundsError:
		f = fault{Kind: "input", Reason: "too_many_rounds", exit: exitProtocol}
	case *auth.ServerError:
		f = fault{Kind: "login", Reason: e.Code, Status: e.Status, exit: exitNoConnection}
	case *auth.DiscoveryError, *auth.IssuerError, *auth.ResourceError:
		f = fault{Kind: "login", exit: exitNoConnection}
	case *stdio.StartError:
		f = fault{Kind: "start", Reason: startReason(e), exit: exitNoConnection}
	case *stdio.ExitError:
		f = fault{Kind: "exit", Reason: exitReason(e), exit: exitNoConnection}
	default:
		return fault{}, false
	}
	return f, true
}

// classifySentinel is the rest of the table: errors without a type, and those
// that it does not know.
func classifySentinel(err error) fault {
	switch {
	case isLoginError(err):
		return fault{Kind: "login", exit: exitNoConnection}
	case errors.Is(err, errInterrupted), errors.Is(err, context.Canceled):
		return fault{Kind: "interrupted", exit: exitInterrupted}
	case errors.Is(err, context.DeadlineExceeded):
		return fault{Kind: "timeout", exit: exitNoConnection}
	case errors.Is(err, transport.ErrClosed):
		return fault{Kind: "closed", exit: exitNoConnection}
	case errors.Is(err, client.ErrRepeatedCursor):
		return fault{Kind: "pages", Reason: "repeated_cursor", exit: exitProtocol}
	case errors.Is(err, client.ErrTooManyPages):
		return fault{Kind: "pages", Reason: "too_many", exit: exitProtocol}
	default:
		return fault{Kind: "failed", exit: exitFailed}
	}
}

func authReason(status int) string {
	if status == http.StatusForbidden {
		return "forbidden"
	}
	return "unauthorized"
}

func outageReason(e *transport.UnavailableError) string {
	var timeout *transport.TimeoutError
	switch {
	case e.Status == http.StatusTooManyRequests:
		return string(negotiation.RateLimited)
	case e.Status != 0:
		return string(negotiation.Unavailable)
	case errors.As(e.Err, &timeout), errors.Is(e.Err, context.DeadlineExceeded):
		return string(negotiation.Timeout)
	default:
		return string(negotiation.NetworkFailure)
	}
}

func statusReason(e *transport.StatusError) string {
	if e.Location != "" {
		return "redirect"
	}
	return "not_mcp"
}

func messageReason(e *transport.MessageError) string {
	var limit *transport.LimitError
	var resultType *client.ResultTypeError
	switch {
	case errors.As(e.Err, &limit):
		return "too_large"
	case errors.As(e.Err, &resultType):
		return "result_type"
	default:
		return "malformed"
	}
}

// negotiationExit: a server that has no version or capability in common with
// the client breaks no rule; every other failed probe is an answer that it must
// not give.
func negotiationExit(reason negotiation.Reason) int {
	switch reason {
	case negotiation.NoCommonVersion, negotiation.MissingCapability, negotiation.Refused, negotiation.GaveUp:
		return exitNoConnection
	default:
		return exitProtocol
	}
}

func startReason(e *stdio.StartError) string {
	switch {
	case errors.Is(e, exec.ErrNotFound), errors.Is(e, fs.ErrNotExist):
		return "not_found"
	case errors.Is(e, fs.ErrPermission):
		return "permission"
	default:
		return ""
	}
}

func exitReason(e *stdio.ExitError) string {
	switch {
	case e.State == nil:
		return "closed_output"
	case e.State.Exited():
		return "code_" + strconv.Itoa(e.State.ExitCode())
	default:
		return "signal"
	}
}

func authHint(e *transport.AuthError) string {
	switch {
	case errors.Is(e, auth.ErrLoginRequired):
		return "The login has ended: log in again with mcpera login."
	case isLoginError(e.Err):
		return "" // it says all
	case e.Status == http.StatusUnauthorized:
		return "Send a token with --header 'Authorization: Bearer ...', or log in with mcpera login."
	}
	return pinHint(e.Method)
}

// isLoginError reports whether err is of a login that failed.
func isLoginError(err error) bool {
	for e := range chain(err) {
		switch e.(type) {
		case *auth.ServerError, *auth.DiscoveryError, *auth.IssuerError, *auth.ResourceError:
			return true
		}
	}
	for _, target := range []error{auth.ErrState, auth.ErrNoPKCE, auth.ErrNoRegistration, auth.ErrScope} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

func outageHint(e *transport.UnavailableError) string {
	if e.Status == 0 {
		return ""
	}
	return pinHint(e.Method)
}

// pinHint helps with a gateway that refuses the probe alone.
func pinHint(method string) string {
	if method != protocol.MethodDiscover {
		return ""
	}
	return "This says nothing about the era: a server that is known to be legacy can be opened with --era legacy."
}

// explain is the error's text. That of a ConnectError is put together here: its
// own speaks to programmers.
func explain(err error) string {
	connect := new(client.ConnectError)
	if !errors.As(err, &connect) {
		return err.Error()
	}
	text := connect.Err.Error()
	if !strings.Contains(text, connect.Target) {
		text = connect.Target + ": " + text
	}
	if connect.Other != nil {
		text += fmt.Sprintf(" (also: %v)", connect.Other)
	}
	if said := strings.TrimSpace(connect.Stderr); said != "" {
		text += "; its stderr ends with " + protocol.Quote(lastBytes(said))
	}
	return "could not connect: " + text
}

// lastBytes returns the end of s, as much of it as protocol.Quote shows whole.
func lastBytes(s string) string {
	const n = 300
	return s[max(0, len(s)-n):]
}
