package conformance

import (
	"slices"
	"sync"

	"github.com/mcpera/mcpera/protocol"
)

// A changeKind is something that clients can hear of.
type changeKind string

const (
	toolsChanged     changeKind = "notifications/tools/list_changed"
	promptsChanged   changeKind = "notifications/prompts/list_changed"
	resourcesChanged changeKind = "notifications/resources/list_changed"
	resourceUpdated  changeKind = "notifications/resources/updated"
	taskChanged      changeKind = "notifications/tasks"
)

func (k changeKind) listChanged() bool {
	return k == toolsChanged || k == promptsChanged || k == resourcesChanged
}

// A change is one event for those who listen.
type change struct {
	kind   changeKind
	uri    string // of the resource that was updated
	taskID string
	params object // of the task
}

// message is the notification; within a subscription it carries its id.
func (ch change) message(subscription protocol.ID) []byte {
	params := slices.Clone(ch.params)
	if ch.uri != "" {
		params.set("uri", ch.uri)
	}
	if !subscription.IsZero() {
		params.set("_meta", map[string]protocol.ID{protocol.MetaSubscriptionID: subscription})
	}
	if params == nil {
		return protocol.AppendRequest(nil, protocol.ID{}, string(ch.kind), nil)
	}
	return notification(string(ch.kind), params)
}

// A hub passes changes on to subscriptions and legacy sessions. It is safe for
// concurrent use.
type hub struct {
	mu        sync.Mutex
	listeners map[listener]struct{}
}

// A listener decides by itself whether a change is for it. Hear must not
// block.
type listener interface {
	hear(change)
}

func (h *hub) add(l listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listeners == nil {
		h.listeners = make(map[listener]struct{})
	}
	h.listeners[l] = struct{}{}
}

func (h *hub) remove(l listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.listeners, l)
}

func (h *hub) tell(ch change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.listeners {
		l.hear(ch)
	}
}

// EndSubscriptions ends every open subscription with its final result, as a
// server does that wants its clients to come back later.
func (s *Server) EndSubscriptions() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for l := range s.hub.listeners {
		if sub, ok := l.(*subscription); ok {
			sub.end()
		}
	}
}

// ForgetSessions ends every legacy session over HTTP. Their clients get 404
// and have to initialize again.
func (s *Server) ForgetSessions() {
	for _, sess := range s.sessions.snapshot() {
		s.endSession(sess)
	}
}

// SetTool adds a tool, or replaces the one with its name, and tells clients
// that the list changed.
func (s *Server) SetTool(t Tool) {
	s.tools.put(t)
	s.NotifyToolsChanged()
}

// RemoveTool takes a tool away and tells clients; it reports whether there was
// one with that name.
func (s *Server) RemoveTool(name string) bool {
	ok := s.tools.remove(name)
	if ok {
		s.NotifyToolsChanged()
	}
	return ok
}

// SetPrompt adds a prompt, or replaces the one with its name, and tells
// clients that the list changed.
func (s *Server) SetPrompt(p Prompt) {
	s.prompts.put(p)
	s.NotifyPromptsChanged()
}

// RemovePrompt takes a prompt away and tells clients; it reports whether there
// was one with that name.
func (s *Server) RemovePrompt(name string) bool {
	ok := s.prompts.remove(name)
	if ok {
		s.NotifyPromptsChanged()
	}
	return ok
}

// SetResource adds a resource and tells clients that the list changed, or
// replaces the one with its URI and tells those who watch it.
func (s *Server) SetResource(r Resource) {
	_, replaced := s.resources.get(r.URI)
	s.resources.put(r)
	if replaced {
		s.NotifyResourceUpdated(r.URI)
	} else {
		s.NotifyResourcesChanged()
	}
}

// RemoveResource takes a resource away and tells clients; it reports whether
// there was one with that URI.
func (s *Server) RemoveResource(uri string) bool {
	ok := s.resources.remove(uri)
	if ok {
		s.NotifyResourcesChanged()
	}
	return ok
}

// NotifyToolsChanged tells clients that the list of tools changed, whether it
// did or not: modern ones that listen for it, and every legacy session.
func (s *Server) NotifyToolsChanged() { s.hub.tell(change{kind: toolsChanged}) }

// NotifyPromptsChanged is NotifyToolsChanged for prompts.
func (s *Server) NotifyPromptsChanged() { s.hub.tell(change{kind: promptsChanged}) }

// NotifyResourcesChanged is NotifyToolsChanged for resources.
func (s *Server) NotifyResourcesChanged() { s.hub.tell(change{kind: resourcesChanged}) }

// NotifyResourceUpdated tells clients that subscribed to a resource that it
// changed.
func (s *Server) NotifyResourceUpdated(uri string) {
	s.hub.tell(change{kind: resourceUpdated, uri: uri})
}
