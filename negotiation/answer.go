package negotiation

import (
	"bytes"
	"mime"

	"github.com/mcpera/mcpera/protocol"
)

// answer returns the JSON-RPC response in o: the decoded one, or the first
// that Body holds; nil when there is none. It does not look at ids.
func answer(o Outcome) *protocol.Message {
	if o.Message != nil {
		if !o.Message.IsResponse() {
			return nil
		}
		return o.Message
	}
	if len(o.Body) == 0 {
		return nil
	}
	// A body of a missing or wrong type is read as JSON all the same: some
	// servers set none, and a modern error must not be missed for it.
	if mediaType, _, _ := mime.ParseMediaType(o.ContentType); mediaType != "text/event-stream" {
		return decodeResponse(o.Body)
	}
	for data := range events(o.Body) {
		if m := decodeResponse(data); m != nil {
			return m
		}
	}
	return nil
}

func decodeResponse(data []byte) *protocol.Message {
	m, err := protocol.Decode(data)
	if err != nil || !m.IsResponse() {
		return nil
	}
	return m
}

// events yields the data of each event in a complete event stream. Unlike a
// browser it also yields a last event that lacks its blank line: whether that
// is whole is for the JSON decoder to say.
//
// Source: WHATWG HTML, "Server-sent events".
func events(stream []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		stream = bytes.TrimPrefix(stream, []byte("\uFEFF"))
		stream = bytes.ReplaceAll(stream, []byte("\r\n"), []byte("\n"))
		stream = bytes.ReplaceAll(stream, []byte("\r"), []byte("\n"))
		var data []byte
		for line := range bytes.SplitSeq(stream, []byte("\n")) {
			if len(line) == 0 {
				if len(data) > 0 && !yield(data) {
					return
				}
				data = nil
				continue
			}
			if name, value, _ := bytes.Cut(line, []byte(":")); string(name) == "data" {
				data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
				data = append(data, '\n')
			}
		}
		if len(data) > 0 {
			yield(data)
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
