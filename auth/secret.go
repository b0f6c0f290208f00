package auth

import "log/slog"

// A Secret is a text that no String, log or error shows. Convert it to a string
// where it is needed.
type Secret string

const hidden = "[hidden]"

// String returns a fixed text; "" for an empty Secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// GoString returns what String does.
func (s Secret) GoString() string { return s.String() }

// LogValue returns what String does.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
