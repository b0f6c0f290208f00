package transport

import "fmt"

// String returns what may be shown of a request: neither its body and name nor
// the session. So do all verbs of fmt, log/slog and encoding/json.
func (r Request) String() string {
	what := r.Method
	if what == "" {
		what = "response"
	}
	s := what
	if !r.ID.IsZero() {
		s += " id=" + r.ID.String()
	}
	s += fmt.Sprintf(" (%s", r.Era)
	if r.Version != "" {
		s += " " + r.Version
	}
	return s + fmt.Sprintf(", %d bytes)", len(r.Body))
}

// GoString returns String in the form of a Go value.
func (r Request) GoString() string { return fmt.Sprintf("transport.Request{%s}", r.String()) }

// MarshalText returns String, for logs in JSON.
func (r Request) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// GoString returns String in the form of a Go value.
func (t Target) GoString() string { return fmt.Sprintf("transport.Target{%s}", t.String()) }

// MarshalText returns String, for logs in JSON.
func (t Target) MarshalText() ([]byte, error) { return []byte(t.String()), nil }
