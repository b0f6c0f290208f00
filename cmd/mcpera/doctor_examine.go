package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// An examination collects what doctor finds out.
type examination struct {
	wire    *wire
	asked   *exchanges
	command bool // the server is a process

	steps  []step
	advice []string
}

// examine looks at a connection.
func (x *examination) examine(ctx context.Context, conn *client.Client) {
	n := conn.Negotiation()
	x.note("era", explainRow(n))
	x.advise(adviceForRow(n))
	var tools []*protocol.Tool
	x.try("tools", func() (_ string, err error) {
		tools, err = collect(conn.Tools(ctx))
		return fmt.Sprintf("it lists %d", len(tools)), err
	})
	x.try("changes", func() (string, error) { return changesOf(ctx, conn) })
	x.note("session", explainSession(conn.Era(), x.command, x.wire))
	if x.command {
		return
	}
	_, headers, _, stream := x.wire.seen()
	x.note("login", explainLogin(headers))
	x.note("headers", explainHeaders(headers)+explainParams(conn.Era(), tools))
	x.note("stream", explainStream(conn.Era(), stream))
}

func (x *examination) note(name, text string) {
	x.steps = append(x.steps, step{Name: name, Text: text})
}

func (x *examination) advise(advice string) {
	if advice != "" {
		x.advice = append(x.advice, advice)
	}
}

// try makes a step of what do finds out.
func (x *examination) try(name string, do func() (string, error)) {
	began := time.Now()
	text, err := do()
	s := step{Name: name, Text: text, Millis: millis(time.Since(began))}
	if err != nil {
		f := diagnose(err)
		s.Text, s.Problem = f.Message, true
		x.advise(f.hint)
	}
	x.steps = append(x.steps, s)
}

// result puts together what was found; err is why there is no connection.
func (x *examination) result(err error) checkup {
	reached, _, _, _ := x.wire.seen()
	steps := slices.Concat(reached, x.asked.seen(), x.steps)
	advice := slices.Clone(x.advice)
	if err != nil {
		f := diagnose(err)
		if e, ok := errors.AsType[*transport.AuthError](err); ok {
			steps = append(steps, step{Name: "login", Text: explainChallenge(e), Problem: true})
		}
		steps = append(steps, step{Name: "failed", Text: f.Message, Problem: true})
		advice = append(advice, adviceForFault(f)...)
	}
	return checkup{Steps: steps, Advice: advice}
}

// ackTime is how long a server may take to grant a subscription.
const ackTime = 5 * time.Second

// changesOf says what changes a server tells of.
func changesOf(ctx context.Context, conn *client.Client) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, ackTime)
	defer cancel()
	for change, err := range conn.Subscribe(ctx, new(listening).filter()) {
		if errors.Is(err, client.ErrNoSubscriptions) {
			break
		}
		if err != nil {
			return "", err
		}
		return "the server tells of changes of its " + strings.Join(filterNames(change.Granted), ", "), nil
	}
	return "the server tells of no changes of its lists", nil
}

func explainSession(era negotiation.Era, command bool, w *wire) string {
	_, _, session, _ := w.seen()
	switch {
	case command:
		return "it lasts as long as the process"
	case era == negotiation.EraModern:
		return "none: each request stands for itself"
	case session:
		return "the server keeps one; it ends with the connection"
	default:
		return "the server gives no session id"
	}
}

func explainLogin(sent []string) string {
	if slices.Contains(sent, "Authorization") {
		return "credentials were sent, and the server let them in"
	}
	return "the server asks for none to connect; it may for calls"
}

// explainParams names the tools whose arguments become headers.
func explainParams(era negotiation.Era, tools []*protocol.Tool) string {
	if era != negotiation.EraModern {
		return ""
	}
	s := "; calls add Mcp-Name"
	var names []string
	for _, tool := range tools {
		if bytes.Contains(tool.InputSchema, []byte(`"x-mcp-header"`)) {
			names = append(names, clean(tool.Name))
		}
	}
	if len(names) > 0 {
		s += ", and Mcp-Param headers with arguments of " + strings.Join(names, ", ")
	}
	return s
}

// explainHeaders names what proxies between must let through.
func explainHeaders(sent []string) string {
	ours := slices.DeleteFunc(slices.Clone(sent), func(name string) bool {
		return name != "Accept" && name != "Content-Type" && !strings.HasPrefix(name, "Mcp-")
	})
	s := "the protocol needs " + strings.Join(ours, ", ")
	more := slices.DeleteFunc(slices.Clone(sent), func(name string) bool {
		return slices.Contains(ours, name) || name == "User-Agent"
	})
	if len(more) > 0 {
		s += "; sent besides: " + strings.Join(more, ", ")
	}
	return s
}

func explainStream(era negotiation.Era, status int) string {
	switch {
	case era == negotiation.EraModern:
		return "each answer may be one; changes have one of their own"
	case status == http.StatusOK:
		return "the server keeps one open for what it says outside of calls"
	case status == 0:
		return "none was asked for"
	default:
		return fmt.Sprintf("none outside of calls (HTTP %d): the server can tell of changes only during a call", status)
	}
}

// explainChallenge says what a server that refuses asks for.
func explainChallenge(e *transport.AuthError) string {
	var asks []string
	for _, c := range e.Challenges() {
		s := c.Scheme
		for _, name := range []string{"scope", "resource_metadata", "error", "error_description"} {
			if value := c.Get(name); value != "" {
				s += ", " + name + " " + protocol.Quote(value)
			}
		}
		asks = append(asks, clean(s))
	}
	if len(asks) == 0 {
		return fmt.Sprintf("HTTP %d without a word on what to send", e.Status)
	}
	return fmt.Sprintf("HTTP %d: the server asks for %s", e.Status, strings.Join(asks, "; or "))
}
