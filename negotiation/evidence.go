package negotiation

import "github.com/mcpera/mcpera/protocol"

// A Finding is what the narrow rule reads from an answer.
type Finding uint8

const (
	// None: no information about the era, either way.
	None Finding = iota
	// Demote: the server does not implement server/discover, so it is legacy.
	Demote
	// Health: the server refused the request. That feeds a circuit breaker, and
	// says nothing about the era.
	Health
)

// String returns "none", "demote" or "health".
func (f Finding) String() string {
	switch f {
	case Demote:
		return "demote"
	case Health:
		return "health"
	default:
		return "none"
	}
}

// Evidence applies the narrow rule to an answer: only a method-not-found, in
// whatever it is carried, or HTTP 404, 405 or 501 demotes a server to legacy;
// 400, 401, 403, 408, 429 and other 5xx are health. The JSON-RPC code is the
// more specific of the two, so it is asked first; a modern one is never
// evidence, and one that answers another request never demotes.
func Evidence(o Outcome) Finding {
	if o.Failure != NoFailure {
		return None
	}
	if m, own := answer(o); m != nil && m.Error != nil {
		switch {
		case own && m.Error.Code == protocol.CodeMethodNotFound:
			return Demote
		case IsModernError(m.Error.Code):
			return None
		}
	}
	switch s := o.Status; {
	case s == 404, s == 405, s == 501:
		return Demote
	case s == 400, s == 401, s == 403, s == 408, s == 429, s >= 500 && s <= 599:
		return Health
	default:
		return None
	}
}
