package conformance

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

const eventStreamType = "text/event-stream"

// An eventStream writes server-sent events to an HTTP response, each flushed
// at once. An error means that the client is gone.
type eventStream struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

// startEventStream sends the response's header.
func startEventStream(w http.ResponseWriter) *eventStream {
	h := w.Header()
	h.Set("Content-Type", eventStreamType)
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // proxies must not hold events back
	w.WriteHeader(http.StatusOK)
	es := &eventStream{w, http.NewResponseController(w)}
	_ = es.rc.Flush() // a client that is gone shows at the first event
	return es
}

// message writes one JSON-RPC message, which has no line breaks.
func (es *eventStream) message(id string, message []byte) error {
	var b strings.Builder
	if id != "" {
		fmt.Fprintf(&b, "id: %s\n", id)
	}
	fmt.Fprintf(&b, "event: message\ndata: %s\n\n", message)
	return es.write(b.String())
}

// prime writes an event with an id and no data, from which a client can resume
// before the first message, and the time after which it should.
func (es *eventStream) prime(id string, retry time.Duration) error {
	return es.write(fmt.Sprintf("id: %s\nretry: %d\ndata: \n\n", id, retry.Milliseconds()))
}

// keepAlive writes a comment.
func (es *eventStream) keepAlive() error { return es.write(":\r\n") }

func (es *eventStream) write(text string) error {
	if _, err := es.w.Write([]byte(text)); err != nil {
		return err
	}
	return es.rc.Flush()
}

// accepts reports whether an Accept header names a media type. A wildcard does
// not count: a client that can read event streams says so.
func accepts(h http.Header, mediaType string) bool {
	for _, value := range h.Values("Accept") {
		for entry := range strings.SplitSeq(value, ",") {
			name, params, _ := strings.Cut(entry, ";")
			if strings.EqualFold(strings.TrimSpace(name), mediaType) && strings.ReplaceAll(params, " ", "") != "q=0" {
				return true
			}
		}
	}
	return false
}
