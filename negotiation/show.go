package negotiation

import "fmt"

// String returns what may be shown of an outcome, in a few words, such as
// "HTTP 200, result". What the server said and the session are not part of
// it, in any of the verbs of fmt, in log/slog or in JSON.
func (o Outcome) String() string {
	s := o.Failure.String()
	if o.Failure == NoFailure {
		s = o.said()
	}
	if o.Status != 0 {
		s = fmt.Sprintf("HTTP %d, %s", o.Status, s)
	}
	return s
}

// said is what the answer is.
func (o Outcome) said() string {
	switch {
	case o.Message == nil:
		return fmt.Sprintf("%d bytes", len(o.Body))
	case o.Message.Error != nil:
		return fmt.Sprintf("error %d", o.Message.Error.Code)
	default:
		return "result"
	}
}

// GoString returns String in the form of a Go value.
func (o Outcome) GoString() string { return fmt.Sprintf("negotiation.Outcome{%s}", o.String()) }

// MarshalText returns String, for logs in JSON.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }
