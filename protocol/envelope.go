package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Message is one JSON-RPC 2.0 message: a request, a notification or a
// response. Payloads stay raw until someone asks for them.
//
// Source: MCP 2026-07-28, basic, "Messages".
type Message struct {
	ID     ID             // zero for a notification
	Method string         // "" for a response
	Params jsontext.Value // of a request or notification; nil when absent
	Result jsontext.Value // of a successful response
	Error  *Error         // of a failed response
}

// IsResponse reports whether m answers a request.
func (m *Message) IsResponse() bool { return m.Method == "" }

// IsRequest reports whether m asks for an answer.
func (m *Message) IsRequest() bool { return m.Method != "" && !m.ID.IsZero() }

// IsNotification reports whether m neither asks for nor is an answer.
func (m *Message) IsNotification() bool { return m.Method != "" && m.ID.IsZero() }

var errNotObject = errors.New("not a JSON object")

// Decode reads one JSON-RPC message. It refuses anything else: batches, which
// are ErrBatch, a jsonrpc member that is not "2.0", repeated or differently
// cased names, invalid UTF-8, a nesting deeper than 10,000, a response with both
// or neither of result and error, an error whose code is not a whole number.
// Data is not kept.
func Decode(data []byte) (*Message, error) { return DecodeOwned(bytes.Clone(data)) }

// DecodeOwned is Decode for data that belongs to the message from then on:
// payloads are parts of it, rather than copies.
func DecodeOwned(data []byte) (*Message, error) {
	if IsBatch(data) {
		return nil, ErrBatch
	}
	if data = bytes.TrimLeft(data, " \t\r\n"); len(data) == 0 || data[0] != '{' {
		return nil, fmt.Errorf("not a JSON-RPC message: %w", errNotObject)
	}
	m, err := decodeMembers(data)
	if err != nil {
		return nil, fmt.Errorf("not a JSON-RPC message: %w", err)
	}
	return m, nil
}

// decodeMembers reads a message from an object.
func decodeMembers(data []byte) (*Message, error) {
	m := new(Message)
	var version, method, failure jsontext.Value // nil when absent or null
	d := decoders.Get().(*decoder)
	defer d.free()
	if err := d.begin(data); err != nil {
		return nil, err
	}
	for {
		name, value, err := d.member()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		switch string(name) {
		case "jsonrpc":
			version = value
		case "id":
			if err := m.ID.UnmarshalJSON(value); err != nil {
				return nil, err
			}
		case "method":
			method = orNil(value)
		case "params":
			m.Params = value
		case "result":
			m.Result = value
		case "error":
			failure = orNil(value)
		}
	}
	switch {
	case version.Kind() == '"' && unquoted(version) != "2.0", version == nil, version.Kind() == 'n':
		return nil, fmt.Errorf(`jsonrpc is %s, not "2.0"`, Quote(unquoted(orNil(version))))
	case version.Kind() != '"':
		return nil, fmt.Errorf(`jsonrpc is a JSON %s, not "2.0"`, version.Kind())
	case method != nil && method.Kind() != '"':
		return nil, fmt.Errorf("method is a JSON %s, not a string", method.Kind())
	case method != nil:
		m.Method = unquoted(method)
		if m.Method == "" || m.Result != nil || failure != nil {
			return nil, errors.New("both a request and a response")
		}
	case failure != nil:
		if orNil(m.Result) != nil {
			return nil, errors.New("both a result and an error")
		}
		m.Result, m.Error = nil, new(Error)
		if err := json.Unmarshal(failure, m.Error); err != nil {
			return nil, fmt.Errorf("unreadable error member: %w", err)
		}
	case m.Result == nil:
		return nil, errors.New("no method, result or error")
	}
	return m, nil
}

// orNil returns value, nil for null.
func orNil(value jsontext.Value) jsontext.Value {
	if value.Kind() == 'n' {
		return nil
	}
	return value
}

// AppendRequest appends a request, or a notification when id is zero, to dst
// and returns it: one line, no newline inside or after. Params must be valid
// JSON on one line, or empty to leave the member out.
func AppendRequest(dst []byte, id ID, method string, params jsontext.Value) []byte {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if !id.IsZero() {
		dst = append(dst, `,"id":`...)
		dst = append(dst, id.raw...)
	}
	dst = append(dst, `,"method":`...)
	dst = appendString(dst, method)
	if len(params) > 0 {
		dst = append(dst, `,"params":`...)
		dst = append(dst, params...)
	}
	return append(dst, '}')
}

// appendString appends s as a JSON string; invalid UTF-8 becomes U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the error only says that bytes were replaced
	return dst
}

// AppendResult appends a response to the request with id to dst.
func AppendResult(dst []byte, id ID, result jsontext.Value) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id.raw...)
	dst = append(dst, `,"result":`...)
	dst = append(dst, result...)
	return append(dst, '}')
}

// AppendError appends an error response to the request with id to dst.
func AppendError(dst []byte, id ID, code int64, message string) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id.raw...)
	dst = append(dst, `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, code, 10)
	dst = append(dst, `,"message":`...)
	dst = appendString(dst, message)
	return append(dst, "}}"...)
}
