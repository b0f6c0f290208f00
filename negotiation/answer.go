package negotiation

import (
	"bytes"
	"mime"

	"github.com/mcpera/mcpera/protocol"
)

var byteOrderMark = []byte("\uFEFF")

// answer returns the JSON-RPC response in o that belongs to the request. For
// want of one it returns the first response to another request, and false; nil
// when o holds no response at all.
func answer(o Outcome) (m *protocol.Message, own bool) {
	if o.Message != nil {
		if !o.Message.IsResponse() {
			return nil, false
		}
		return o.Message, belongs(o.Message, o.RequestID)
	}
	if len(o.Body) == 0 {
		return nil, false
	}
	body := bytes.TrimPrefix(o.Body, byteOrderMark)
	// A body of a missing or wrong type is read as JSON all the same: some
	// servers set none, and a modern error must not be missed for it.
	if mediaType, _, _ := mime.ParseMediaType(o.ContentType); mediaType != "text/event-stream" {
		m = decodeResponse(body)
		return m, m != nil && belongs(m, o.RequestID)
	}
	for data := range events(body) {
		switch other := decodeResponse(data); {
		case other == nil:
		case belongs(other, o.RequestID):
			return other, true
		case m == nil:
			m = other
		}
	}
	return m, false
}

func decodeResponse(data []byte) *protocol.Message {
	m, err := protocol.Decode(data)
	if err != nil || !m.IsResponse() {
		return nil
	}
	return m
}

// events yields the data of each message event in a complete event stream.
// Unlike a browser it also yields events without data, and a last event that
// lacks its blank line: whether that is whole is for the JSON decoder to say.
//
// Source: WHATWG HTML, "Server-sent events".
func events(stream []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		stream = bytes.ReplaceAll(stream, []byte("\r\n"), []byte("\n"))
		stream = bytes.ReplaceAll(stream, []byte("\r"), []byte("\n"))
		// The blank line added here ends the last event.
		stream = append(stream, '\n', '\n')
		var name string
		var data []byte
		for line := range bytes.SplitSeq(stream, []byte("\n")) {
			if len(line) == 0 {
				if (name == "" || name == "message") && !yield(data) {
					return
				}
				name, data = "", nil
				continue
			}
			field, value, _ := bytes.Cut(line, []byte(":"))
			value = bytes.TrimPrefix(value, []byte(" "))
			switch string(field) {
			case "event":
				name = string(value)
			case "data":
				data = append(append(data, value...), '\n')
			}
		}
	}
}

// belongs reports whether m answers the request with id: the ids match, or an
// error has none because the server could not read the request's. The zero id
// lets any answer pass.
func belongs(m *protocol.Message, id protocol.ID) bool {
	if id.IsZero() || id.Matches(m.ID) {
		return true
	}
	return m.Error != nil && (m.ID.IsZero() || m.ID.IsNull())
}
