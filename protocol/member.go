package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// members yields the members of an object that is known to be valid JSON. It
// checks nothing again, so that it is many times as quick as a decoder. Of what
// is no object it yields nothing.
func members(object jsontext.Value) iter.Seq2[[]byte, jsontext.Value] {
	return func(yield func(name []byte, value jsontext.Value) bool) {
		w := walk{object}
		for name := range w.members() {
			if !yield(name, w.value()) {
				return
			}
		}
	}
}

// A decoder reads the members of an object that need not be valid JSON.
type decoder struct {
	jsontext.Decoder
	object []byte
	reader bytes.Buffer // of object
}

// decoders are those that nothing uses now.
var decoders = sync.Pool{New: func() any {
	d := new(decoder)
	d.Reset(&d.reader)
	return d
}}

// begin reads the start of an object.
func (d *decoder) begin(object []byte) error {
	d.object, d.reader = object, *bytes.NewBuffer(object)
	start, err := d.ReadToken()
	if err == nil && start.Kind() != '{' {
		err = errNotObject
	}
	return err
}

// member returns the next member, as parts of the object. Its error is io.EOF at
// the end of an object that was valid and alone. On any other, nothing counts of
// what came before.
func (d *decoder) member() (name []byte, value jsontext.Value, err error) {
	if d.PeekKind() != '"' {
		return nil, nil, d.end()
	}
	quoted, err := d.next()
	if err == nil {
		value, err = d.next()
	}
	return unquotedName(quoted), value, err
}

// next reads a value.
func (d *decoder) next() (jsontext.Value, error) {
	value, err := d.ReadValue()
	end := d.InputOffset()
	return d.object[end-int64(len(value)) : end : end], err
}

func (d *decoder) end() error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if _, err := d.ReadToken(); err == io.EOF {
		return io.EOF
	}
	return json.Unmarshal(d.object, new(jsontext.Value)) // which says what is wrong with it
}

// free puts d back, without what it has read.
func (d *decoder) free() {
	d.object, d.reader = nil, bytes.Buffer{}
	d.Reset(&d.reader)
	decoders.Put(d)
}

// elements yields the elements of an array, as members does the members of an
// object.
func elements(array jsontext.Value) iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		w := walk{array}
		for range w.elements() {
			if !yield(w.value()) {
				return
			}
		}
	}
}

// A walk goes through text that is known to be valid JSON, once, from value to
// value.
type walk struct {
	rest []byte // what has not been passed
}

// kind returns the kind of the next value.
func (w *walk) kind() jsontext.Kind { return jsontext.Value(w.rest).Kind() }

// value passes the next value and returns it.
func (w *walk) value() jsontext.Value {
	w.rest = trimBlanks(w.rest)
	n := valueLength(w.rest)
	value := w.rest[:n:n]
	w.rest = w.rest[n:]
	return value
}

// mark passes a mark, if it is next.
func (w *walk) mark(c byte) bool {
	w.rest = trimBlanks(w.rest)
	if len(w.rest) == 0 || w.rest[0] != c {
		return false
	}
	w.rest = w.rest[1:]
	return true
}

// members passes an object, and yields the names of its members. The loop passes
// the value of a member, or leaves it.
func (w *walk) members() iter.Seq[[]byte] {
	return func(yield func(name []byte) bool) {
		for more := w.mark('{'); more && !w.mark('}'); w.mark(',') {
			name := w.value()
			if len(name) == 0 || !w.mark(':') {
				return // cut off
			}
			before := len(w.rest)
			if !yield(unquotedName(name)) {
				return
			}
			if len(w.rest) == before {
				w.value()
			}
		}
	}
}

// elements passes an array, and yields the number of each element, as members
// does the names of members.
func (w *walk) elements() iter.Seq[int] {
	return func(yield func(i int) bool) {
		i := 0
		for more := w.mark('['); more && !w.mark(']'); w.mark(',') {
			before := len(w.rest)
			if !yield(i) || len(w.rest) == before && len(w.value()) == 0 {
				return
			}
			i++
		}
	}
}

func trimBlanks(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' || b[0] == '\r' || b[0] == '\n') {
		b = b[1:]
	}
	return b
}

// valueLength returns how long the JSON value at the start of b is.
func valueLength(b []byte) int {
	depth := 0
	for i := 0; i < len(b); {
		switch b[i] {
		case '"':
			i += stringLength(b[i:])
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			i++
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
			i++
			continue
		default: // a number or a name
			i++
			continue
		}
		if depth == 0 {
			return i
		}
	}
	return len(b)
}

// stringLength returns how long the JSON string at the start of b is, with its
// quotes.
func stringLength(b []byte) int {
	for i := 1; ; i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		i += n
		before := i - 1
		for before > 0 && b[before] == '\\' {
			before--
		}
		if (i-before)%2 == 1 { // an even number of backslashes
			return i + 1
		}
	}
}

// unquotedName returns the text of a valid JSON string, not copied if it has no
// escapes.
func unquotedName(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') >= 0 || len(quoted) < 2 {
		return []byte(unquoted(quoted))
	}
	return quoted[1 : len(quoted)-1]
}

// unquoted returns the text of a valid JSON string, copied once.
func unquoted(quoted []byte) string {
	if len(quoted) < 2 {
		return ""
	}
	rest := quoted[1 : len(quoted)-1]
	escape := bytes.IndexByte(rest, '\\')
	if escape < 0 {
		return string(rest)
	}
	var text strings.Builder
	text.Grow(len(rest))
	for ; escape >= 0; escape = bytes.IndexByte(rest, '\\') {
		text.Write(rest[:escape])
		r, n := unescaped(rest[escape:])
		text.WriteRune(r)
		rest = rest[escape+n:]
	}
	text.Write(rest)
	return text.String()
}

// unescaped returns the character of the escape at the start of b, and the
// escape's length.
func unescaped(b []byte) (r rune, length int) {
	if len(b) < 2 {
		return '\\', len(b)
	}
	switch b[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r = hex4(b)
		if !utf16.IsSurrogate(r) {
			return r, min(6, len(b))
		}
		return utf16.DecodeRune(r, hex4(b[min(6, len(b)):])), min(12, len(b))
	default:
		return rune(b[1]), 2
	}
}

// hex4 returns the number in an escape such as \u00e9.
func hex4(escape []byte) (r rune) {
	for _, c := range escape[min(2, len(escape)):min(6, len(escape))] {
		switch {
		case c <= '9':
			c -= '0'
		case c >= 'a':
			c -= 'a' - 10
		default:
			c -= 'A' - 10
		}
		r = r<<4 | rune(c)
	}
	return r
}

// ResultType returns the resultType of a result that is known to be valid JSON;
// "" when it has none.
//
// Source: MCP 2026-07-28, basic, "ResultType".
func ResultType(result jsontext.Value) (string, error) {
	if result.Kind() != '{' {
		return "", fmt.Errorf("the result is a JSON %s: %w", result.Kind(), errNotObject)
	}
	for name, value := range members(result) {
		if string(name) != "resultType" {
			continue
		}
		switch value.Kind() {
		case '"':
			return unquoted(value), nil
		case 'n':
			return "", nil
		default:
			return "", errors.New("resultType is no string")
		}
	}
	return "", nil
}
