package client

import (
	"fmt"

	"github.com/mcpera/mcpera/negotiation"
)

// An EventKind says what an Event is about.
type EventKind string

// The kinds of events.
const (
	Sent     EventKind = "sent"     // a message went to the server
	Received EventKind = "received" // what came of it
	Decided  EventKind = "decided"  // what the outcome of a probe means
	Recalled EventKind = "recalled" // an era was remembered
	Cached   EventKind = "cached"   // an answer was kept, and the server not asked
)

// An Event is one step of a client, for WithTrace. It holds no header value
// and no payload.
type Event struct {
	Kind        EventKind
	Method      string // Sent, Received, Cached: the JSON-RPC method
	ID          string // Sent, Received: the JSON-RPC id, "" for a notification
	Bytes       int    // Sent: the message's size
	Status      int    // Received: the HTTP status, 0 over stdio
	ContentType string // Received, over HTTP
	Answer      string // Received: "result", "error -32601", "timeout", ...; Cached: "fresh" or "stale"
	Verdict     string // Decided, Recalled
	Row         string // Decided: the row of the table
}

// String returns the event in one line.
func (e Event) String() string {
	switch e.Kind {
	case Sent:
		return fmt.Sprintf("sent %s id=%s (%d bytes)", e.Method, orDash(e.ID), e.Bytes)
	case Received:
		s := fmt.Sprintf("received %s for %s id=%s", e.Answer, e.Method, orDash(e.ID))
		if e.Status != 0 {
			s += fmt.Sprintf(", HTTP %d %s", e.Status, e.ContentType)
		}
		return s
	case Decided:
		return fmt.Sprintf("decided %s: %s", e.Verdict, e.Row)
	case Cached:
		return fmt.Sprintf("had a %s answer to %s", e.Answer, e.Method)
	default:
		return fmt.Sprintf("%s %s", e.Kind, e.Verdict)
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// answered says in a word or two what came of a request.
func answered(o negotiation.Outcome) string {
	switch {
	case o.Failure != negotiation.NoFailure:
		return o.Failure.String()
	case o.Message == nil && len(o.Body) == 0:
		return "no message"
	case o.Message == nil:
		return "no JSON-RPC message"
	case o.Message.Error != nil:
		return fmt.Sprintf("error %d", o.Message.Error.Code)
	default:
		return "result"
	}
}
