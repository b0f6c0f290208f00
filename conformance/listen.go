package conformance

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcpera/mcpera/protocol"
)

const methodListen = "subscriptions/listen"

// A filter says which changes a subscription is for.
//
// Source: MCP 2026-07-28, patterns/subscriptions, "Notification Filter".
type filter struct {
	Tools     bool     `json:"toolsListChanged,omitzero"`
	Prompts   bool     `json:"promptsListChanged,omitzero"`
	Resources bool     `json:"resourcesListChanged,omitzero"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
	TaskIDs   []string `json:"taskIds,omitempty"`
}

func (f filter) wants(ch change) bool {
	switch ch.kind {
	case toolsChanged:
		return f.Tools
	case promptsChanged:
		return f.Prompts
	case resourcesChanged:
		return f.Resources
	case resourceUpdated:
		return slices.Contains(f.URIs, ch.uri)
	case taskChanged:
		return slices.Contains(f.TaskIDs, ch.taskID)
	default:
		return false
	}
}

// A subscription collects the messages of one subscriptions/listen request
// until its transport takes them. It is safe for concurrent use.
type subscription struct {
	id     protocol.ID
	filter filter

	mu      sync.Mutex
	waiting [][]byte
	ready   chan struct{} // has room for one: there is something waiting
	ended   chan struct{} // closed when the server ends it
	ending  sync.Once
}

func (sub *subscription) end() { sub.ending.Do(func() { close(sub.ended) }) }

// hear puts the change into the queue if it is one that the client asked for.
func (sub *subscription) hear(ch change) {
	if sub.filter.wants(ch) {
		sub.put(ch.message(sub.id))
	}
}

func (sub *subscription) put(message []byte) {
	sub.mu.Lock()
	sub.waiting = append(sub.waiting, message)
	sub.mu.Unlock()
	select {
	case sub.ready <- struct{}{}:
	default:
	}
}

func (sub *subscription) take() [][]byte {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	messages := sub.waiting
	sub.waiting = nil
	return messages
}

// subscribeTo reads a listen request and makes its subscription, whose first
// message is the acknowledgement. The caller removes it from the hub.
func (s *Server) subscribeTo(c *Call) (*subscription, *protocol.Error) {
	var p struct {
		Notifications *filter `json:"notifications"`
	}
	if e := bind(c.params, &p); e != nil {
		return nil, e
	}
	if p.Notifications == nil {
		return nil, invalidParams("notifications is missing")
	}
	if len(p.Notifications.TaskIDs) > 0 && !c.asksTask {
		return nil, missingCapability(tasksCapability)
	}
	f := *p.Notifications
	f.URIs = slices.DeleteFunc(f.URIs, func(uri string) bool { return !s.hasResource(uri) })
	f.TaskIDs = slices.DeleteFunc(f.TaskIDs, func(id string) bool { return s.tasks.get(id, c.Principal) == nil })
	sub := &subscription{id: c.id, filter: f, ready: make(chan struct{}, 1), ended: make(chan struct{})}
	sub.put(notification("notifications/subscriptions/acknowledged", struct {
		Meta          map[string]protocol.ID `json:"_meta"`
		Notifications filter                 `json:"notifications"`
	}{map[string]protocol.ID{protocol.MetaSubscriptionID: c.id}, f}))
	s.hub.add(sub)
	return sub, nil
}

// farewell is the response that ends a subscription in an orderly way.
func (s *Server) farewell(sub *subscription) []byte {
	var meta, o object
	meta.set(protocol.MetaSubscriptionID, sub.id)
	o.set("_meta", meta)
	return resultMessage(sub.id, s.dress(&Call{Era: Modern, Method: methodListen}, reply{body: o}))
}

// listenHTTP answers a listen request with a stream that lasts until the
// client leaves, the server closes, or its lifetime is over.
func (s *Server) listenHTTP(w http.ResponseWriter, r *http.Request, c *Call) {
	if !accepts(r.Header, eventStreamType) {
		writeError(w, http.StatusNotAcceptable, c.id, invalidRequest("%s needs %s in Accept", methodListen, eventStreamType))
		return
	}
	if !s.openStream() {
		writeError(w, http.StatusServiceUnavailable, c.id, fault(codeServer, "too many streams are open"))
		return
	}
	defer s.closeStream()
	sub, e := s.subscribeTo(c)
	if e != nil {
		writeError(w, modernStatus(e), c.id, e)
		return
	}
	defer s.hub.remove(sub)
	out := startEventStream(w)
	silence := time.NewTicker(s.cfg.keepAlive)
	defer silence.Stop()
	lifetime := time.NewTimer(s.cfg.lifetime)
	defer lifetime.Stop()
	for {
		var err error
		select {
		case <-sub.ready:
			err = sendAll(out, sub.take())
			silence.Reset(s.cfg.keepAlive)
		case <-silence.C:
			err = out.keepAlive()
		case <-r.Context().Done():
			return
		case <-lifetime.C:
			s.end(out, sub)
			return
		case <-sub.ended:
			s.end(out, sub)
			return
		case <-s.ctx.Done():
			s.end(out, sub)
			return
		}
		if err != nil {
			return
		}
	}
}

// end sends what waits and the final result. A client that is gone misses it.
func (s *Server) end(out *eventStream, sub *subscription) {
	_ = sendAll(out, append(sub.take(), s.farewell(sub)))
}

func sendAll(out *eventStream, messages [][]byte) error {
	for _, m := range messages {
		if err := out.message("", m); err != nil {
			return err
		}
	}
	return nil
}
