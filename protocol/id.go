package protocol

import (
	"errors"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// An ID is a JSON-RPC request id, kept as the JSON text it came in, so that
// an id of the peer's is echoed byte for byte. The zero ID means that the
// message had no id; null is an ID of its own. IDs are comparable, but two
// spellings of one id differ: use Matches.
//
// Source: MCP 2026-07-28, basic, "Requests".
type ID struct {
	raw string
}

// NumberID returns the id whose JSON text is n.
func NumberID(n int64) ID {
	return ID{strconv.FormatInt(n, 10)}
}

// IsZero reports whether the message had no id at all.
func (id ID) IsZero() bool { return id.raw == "" }

// IsNull reports whether the id was null, as in an error response to a
// request that the server could not read.
func (id ID) IsNull() bool { return id.raw == "null" }

// String returns the id's JSON text: 7, "seven", null, or "" when absent.
func (id ID) String() string { return id.raw }

// Int64 returns the id as a whole number. A decimal number inside a string
// and a number with a zero fraction count too, since some servers give an id
// back as "7" or 7.0.
func (id ID) Int64() (int64, bool) {
	text := id.raw
	if text == "" {
		return 0, false
	}
	if text[0] == '"' {
		unquoted, err := jsontext.AppendUnquote(nil, text)
		n, notWhole := strconv.ParseInt(string(unquoted), 10, 64)
		if err != nil || notWhole != nil {
			return 0, false
		}
		return n, true
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// Matches reports whether other names the same request as id: the same text,
// or the same whole number.
func (id ID) Matches(other ID) bool {
	if id.raw == other.raw {
		return true
	}
	a, ok := id.Int64()
	if !ok {
		return false
	}
	b, ok := other.Int64()
	return ok && a == b
}

// MarshalJSON returns the id's JSON text; an absent id is null.
func (id ID) MarshalJSON() ([]byte, error) {
	if id.raw == "" {
		return []byte("null"), nil
	}
	return []byte(id.raw), nil
}

// UnmarshalJSON takes a string, a number or null.
func (id *ID) UnmarshalJSON(data []byte) error {
	switch jsontext.Value(data).Kind() {
	case '"', '0', 'n':
		id.raw = string(data)
		return nil
	default:
		return errors.New("a JSON-RPC id is a string, a number or null")
	}
}
