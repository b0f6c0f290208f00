package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/auth"
	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/stdio"
)

func TestDiagnose(t *testing.T) {
	connecting := func(err error) error { return &client.ConnectError{Target: "http://h", Err: err} }
	refused := &transport.ServerError{Err: &protocol.Error{Code: -32602, Message: "no"}, Status: 200}
	for name, tc := range map[string]struct {
		err    error
		kind   string
		reason string
		status int
		exit   int
	}{
		"usage":                   {usagef("name a server"), "usage", "", 0, 2},
		"401":                     {&transport.AuthError{Status: 401}, "unauthorized", "unauthorized", 401, 3},
		"403":                     {&transport.AuthError{Status: 403}, "unauthorized", "forbidden", 403, 3},
		"a login is refused":      {&auth.ServerError{Status: 400, Code: "invalid_grant"}, "login", "invalid_grant", 400, 3},
		"no login is offered":     {&auth.DiscoveryError{Err: errors.New("no")}, "login", "", 0, 3},
		"a login goes astray":     {fmt.Errorf("no: %w", auth.ErrState), "login", "", 0, 3},
		"a login while called":    {&transport.AuthError{Status: 401, Err: auth.ErrLoginRequired}, "unauthorized", "unauthorized", 401, 3},
		"503":                     {&transport.UnavailableError{Status: 503}, "unavailable", "unavailable", 503, 3},
		"429":                     {&transport.UnavailableError{Status: 429}, "unavailable", "rate_limited", 429, 3},
		"connection refused":      {&transport.UnavailableError{Err: errors.New("refused")}, "unavailable", "network", 0, 3},
		"no answer, repeatedly":   {&transport.UnavailableError{Err: &transport.TimeoutError{}}, "unavailable", "timeout", 0, 3},
		"an outage with a body":   {&transport.UnavailableError{Status: 503, Err: &protocol.Error{Code: -32603}}, "unavailable", "unavailable", 503, 3},
		"no answer in time":       {&transport.TimeoutError{Err: context.DeadlineExceeded}, "timeout", "", 0, 3},
		"a deadline of our own":   {context.DeadlineExceeded, "timeout", "", 0, 3},
		"JSON-RPC error":          {refused, "server_error", "-32602", 200, 1},
		"refused to connect":      {connecting(refused), "server_error", "-32602", 200, 3},
		"not MCP":                 {&transport.StatusError{Status: 404}, "status", "not_mcp", 404, 4},
		"redirect":                {&transport.StatusError{Status: 307, Location: "https://h/"}, "status", "redirect", 307, 4},
		"not JSON-RPC":            {&transport.MessageError{Status: 200, Err: errors.New("no")}, "message", "malformed", 200, 4},
		"too large":               {&transport.MessageError{Err: &transport.LimitError{}}, "message", "too_large", 0, 4},
		"unknown resultType":      {&transport.MessageError{Err: &client.ResultTypeError{}}, "message", "result_type", 0, 4},
		"no common version":       {&negotiation.Error{Reason: negotiation.NoCommonVersion}, "negotiation", "no_common_version", 0, 3},
		"no common old version":   {&client.VersionError{}, "negotiation", "no_common_version", 0, 3},
		"missing capability":      {&negotiation.Error{Reason: negotiation.MissingCapability, Status: 400}, "negotiation", "missing_capability", 400, 3},
		"refused, narrow rule":    {&negotiation.Error{Reason: negotiation.Refused}, "negotiation", "refused", 0, 3},
		"invalid discovery":       {&negotiation.Error{Reason: negotiation.InvalidDiscover}, "negotiation", "invalid_discover", 0, 4},
		"headers refused":         {&negotiation.Error{Reason: negotiation.HeaderMismatch}, "negotiation", "header_mismatch", 0, 4},
		"another request's error": {&negotiation.Error{Reason: negotiation.ForeignID}, "negotiation", "foreign_id", 0, 4},
		"of neither era":          {&negotiation.Error{Reason: negotiation.Inconclusive, Status: 418}, "negotiation", "inconclusive", 418, 4},
		"against its own schema":  {&client.OutputError{Err: errors.New("no")}, "output", "", 0, 4},
		"asks what it may not":    {&client.UndeclaredError{}, "input", "undeclared", 0, 4},
		"asks badly":              {&client.RequestError{Err: errors.New("no")}, "input", "malformed", 0, 4},
		"asks without end":        {&client.RoundsError{}, "input", "too_many_rounds", 0, 4},
		"no such program":         {&stdio.StartError{Err: exec.ErrNotFound}, "start", "not_found", 0, 3},
		"no such file":            {&stdio.StartError{Err: fs.ErrNotExist}, "start", "not_found", 0, 3},
		"not executable":          {&stdio.StartError{Err: fs.ErrPermission}, "start", "permission", 0, 3},
		"does not start":          {&stdio.StartError{Err: errors.New("no")}, "start", "", 0, 3},
		"closed its output":       {&stdio.ExitError{}, "exit", "closed_output", 0, 3},
		"closed":                  {fmt.Errorf("tools/call: %w", transport.ErrClosed), "closed", "", 0, 3},
		"cursor repeated":         {&client.PageError{Err: client.ErrRepeatedCursor}, "pages", "repeated_cursor", 0, 4},
		"too many pages":          {&client.PageError{Err: client.ErrTooManyPages}, "pages", "too_many", 0, 4},
		"a page not to be had":    {&client.PageError{Err: &transport.StatusError{Status: 404}}, "status", "not_mcp", 404, 4},
		"interrupted":             {errInterrupted, "interrupted", "", 0, 130},
		"canceled":                {fmt.Errorf("x: %w", context.Canceled), "interrupted", "", 0, 130},
		"anything else":           {errors.New("disk full"), "failed", "", 0, 1},
		"anything else, early":    {connecting(errors.New("what?")), "failed", "", 0, 3},

		"the error that decided comes before the other": {
			&client.ConnectError{Err: &transport.UnavailableError{Status: 503}, Other: &transport.StatusError{Status: 404}},
			"unavailable", "unavailable", 503, 3,
		},
		"a verdict comes before its cause": {
			connecting(&negotiation.Error{Reason: negotiation.Inconclusive, Err: &transport.StatusError{Status: 404}}),
			"negotiation", "inconclusive", 0, 4,
		},
		"a typed error comes before a bare one": {
			&client.ConnectError{Err: transport.ErrClosed, Other: &stdio.ExitError{}},
			"exit", "closed_output", 0, 3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := diagnose(tc.err)
			if f.Kind != tc.kind || f.Reason != tc.reason || f.Status != tc.status || f.exit != tc.exit {
				t.Errorf("diagnose: %q %q %d, exit %d; want %q %q %d, exit %d",
					f.Kind, f.Reason, f.Status, f.exit, tc.kind, tc.reason, tc.status, tc.exit)
			}
			if f.Message == "" {
				t.Error("there is no message")
			}
		})
	}
}

// The reason of an exit needs a process that has ended.
func TestExitReason(t *testing.T) {
	cmd := exec.Command("go", "no-such-command")
	_ = cmd.Run()
	f := diagnose(&stdio.ExitError{Command: "go", State: cmd.ProcessState})
	if want := fmt.Sprintf("code_%d", cmd.ProcessState.ExitCode()); f.Kind != "exit" || f.Reason != want {
		t.Errorf("diagnose: %q %q; want exit %q", f.Kind, f.Reason, want)
	}
}

// The hint that speaks of options of package client is replaced by one that
// speaks of flags, and a paragraph is one line.
func TestParagraph(t *testing.T) {
	f := diagnose(&client.ConnectError{
		Target: "http://h", Err: &transport.AuthError{Origin: "http://h", Method: protocol.MethodDiscover, Status: 403},
		Other: errors.Join(errors.New("one"), errors.New("two")), Stderr: "panic:\n\x1b[31mboom\n",
	})
	got := f.paragraph("mcpera probe")
	for _, want := range []string{"mcpera: could not connect: http://h refused", "(also: one two)", "boom", "--era legacy"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	for _, bad := range []string{"\n", "\x1b", "client.WithEra", "http://h: http://h"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q holds %q", got, bad)
		}
	}
	if got, want := diagnose(usagef("what?")).paragraph("mcpera call"), `mcpera: what? Try "mcpera call --help".`; got != want {
		t.Errorf("paragraph: %q, want %q", got, want)
	}
	long := diagnose(&client.ConnectError{Target: "sh", Err: errors.New("x"), Stderr: strings.Repeat("a", 8<<10) + "the end"})
	if !strings.Contains(long.Message, "the end") || len(long.Message) > 400 {
		t.Errorf("the end of stderr is not what stays of it: %q", long.Message)
	}
}
