package conformance

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// encode writes v as JSON on one line, the members of maps in order, so that
// equal values have equal texts.
func encode(v any) (jsontext.Value, error) {
	return json.Marshal(v, json.Deterministic(true))
}

// mustEncode is encode for values that this package made itself.
func mustEncode(v any) jsontext.Value {
	data, err := encode(v)
	if err != nil {
		panic(fmt.Sprintf("conformance: %T does not encode: %v", v, err))
	}
	return data
}

func resultMessage(id protocol.ID, result jsontext.Value) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, idText(id), result)
}

func errorMessage(id protocol.ID, e *protocol.Error) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, idText(id), mustEncode(e))
}

func notification(method string, params any) []byte {
	return protocol.AppendRequest(nil, protocol.ID{}, method, mustEncode(params))
}

// idText is null for the id of a message that could not be read.
func idText(id protocol.ID) string {
	if id.IsZero() {
		return "null"
	}
	return id.String()
}

// An object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value jsontext.Value
}

// parseObject splits data into its members; null and nothing are empty.
func parseObject(data jsontext.Value) (object, error) {
	if len(data) == 0 || data.Kind() == 'n' {
		return nil, nil
	}
	if data.Kind() != '{' {
		return nil, fmt.Errorf("not an object")
	}
	var o object
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String() // before the next read, which reuses the buffer
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		value = value.Clone()
		_ = value.Compact() // valid, since it was just read; a message is one line
		o = append(o, member{key, value})
	}
	return o, nil
}

// set gives the member name a value, in its place or at the end.
func (o *object) set(name string, v any) {
	value := mustEncode(v)
	for i := range *o {
		if (*o)[i].name == name {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, member{name, value})
}

// get returns the member's value, or nil.
func (o object) get(name string) jsontext.Value {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func (o object) encode() jsontext.Value {
	out := jsontext.Value{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, m.name) // names came from valid JSON or from us
		out = append(out, ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

// MarshalJSON lets an object stand inside other values.
func (o object) MarshalJSON() ([]byte, error) { return o.encode(), nil }

// jsonString returns the string that v holds, and whether it is one.
func jsonString(v jsontext.Value) (string, bool) {
	if v.Kind() != '"' {
		return "", false
	}
	s, err := jsontext.AppendUnquote(nil, v)
	return string(s), err == nil
}

// jsonInt returns the whole number that v holds, and whether it is one.
func jsonInt(v jsontext.Value) (int64, bool) {
	if v.Kind() != '0' {
		return 0, false
	}
	return wholeNumber(string(v))
}

// wholeNumber reads a JSON number whose fraction, if any, is zero: 42, 42.0,
// 4.2e1.
func wholeNumber(text string) (int64, bool) {
	if number := jsontext.Value(text); number.Kind() != '0' || !number.IsValid() || strings.TrimSpace(text) != text {
		return 0, false
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > maxSafe {
		return 0, false
	}
	return int64(f), true
}

// maxSafe is the greatest whole number that every JSON reader keeps exact.
const maxSafe = 1<<53 - 1
