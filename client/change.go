package client

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/mcpera/mcpera/protocol"
)

// A ChangeKind says what a Change is about.
type ChangeKind string

// The kinds of changes.
const (
	// Acknowledged comes first: Granted says what the server will tell of.
	Acknowledged ChangeKind = "acknowledged"
	// ToolsChanged, PromptsChanged and ResourcesChanged: the list is another.
	ToolsChanged     ChangeKind = "tools"
	PromptsChanged   ChangeKind = "prompts"
	ResourcesChanged ChangeKind = "resources"
	// ResourceUpdated: the resource at URI holds something else.
	ResourceUpdated ChangeKind = "resource"
	// TaskChanged: the task with the id in URI is in another state.
	TaskChanged ChangeKind = "task"
	// Gap: the subscription was lost and is there again, or more changed than was
	// kept for a reader who is slow. What changed meanwhile is not known, so fetch
	// again what matters. Granted is set anew.
	Gap ChangeKind = "gap"
)

// A Change is one step of a subscription.
type Change struct {
	Kind    ChangeKind
	URI     string                      // ResourceUpdated, TaskChanged
	Granted protocol.SubscriptionFilter // Acknowledged, Gap
}

// Errors that end a subscription.
var (
	// ErrSubscriptionEnded: the server ended it in an orderly way. Subscribing
	// again at once may be unwelcome.
	ErrSubscriptionEnded = errors.New("the server ended the subscription")
	// ErrNoSubscriptions: the server tells of none of the changes asked for. The
	// connection is as good as before.
	ErrNoSubscriptions = errors.New("the server tells of no such changes")
)

// changeOf returns the change that a notification tells of.
func changeOf(msg *protocol.Message) (Change, bool) {
	switch msg.Method {
	case protocol.MethodToolsListChanged:
		return Change{Kind: ToolsChanged}, true
	case protocol.MethodPromptsListChanged:
		return Change{Kind: PromptsChanged}, true
	case protocol.MethodResourcesListChanged:
		return Change{Kind: ResourcesChanged}, true
	case protocol.MethodResourceUpdated:
		var p protocol.ResourceParams
		err := json.Unmarshal(msg.Params, &p)
		return Change{Kind: ResourceUpdated, URI: p.URI}, err == nil && p.URI != ""
	case protocol.MethodTaskChanged:
		var p protocol.TaskParams
		err := json.Unmarshal(msg.Params, &p)
		return Change{Kind: TaskChanged, URI: p.TaskID}, err == nil && p.TaskID != ""
	default:
		return Change{}, false
	}
}

// wants reports whether a filter names a change.
func wants(f protocol.SubscriptionFilter, change Change) bool {
	switch change.Kind {
	case ToolsChanged:
		return f.ToolsListChanged
	case PromptsChanged:
		return f.PromptsListChanged
	case ResourcesChanged:
		return f.ResourcesListChanged
	case ResourceUpdated:
		return slices.ContainsFunc(f.ResourceSubscriptions, func(uri string) bool { return within(change.URI, uri) })
	default:
		return false
	}
}

// within reports whether a URI is that of a resource or of a part of it.
//
// Source: MCP 2025-11-25, schema, "ResourceUpdatedNotificationParams".
func within(uri, resource string) bool {
	rest, ok := strings.CutPrefix(uri, resource)
	return ok && (rest == "" || strings.HasSuffix(resource, "/") || strings.ContainsAny(rest[:1], "/?#"))
}

// What may wait in a feed.
const (
	maxChanges   = 1024
	maxURIsBytes = 1 << 20
)

// A feed holds the changes that a subscriber has not read yet. Equal changes
// that wait are one, and where there are too many a Gap stands for all of them, so
// that a slow reader costs no memory.
type feed struct {
	mu      sync.Mutex
	waiting []Change
	bytes   int                         // of the URIs in waiting
	granted protocol.SubscriptionFilter // what was acknowledged last
	err     error                       // why nothing more will come
	news    chan struct{}               // holds a token when there is something to read
}

func newFeed() *feed { return &feed{news: make(chan struct{}, 1)} }

func (f *feed) put(change Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if change.Kind == Acknowledged || change.Kind == Gap {
		f.granted = change.Granted
	}
	same := func(c Change) bool { return c.Kind == change.Kind && c.URI == change.URI }
	if f.err != nil || slices.ContainsFunc(f.waiting, same) {
		return
	}
	if len(f.waiting) >= maxChanges || f.bytes+len(change.URI) > maxURIsBytes {
		first := slices.DeleteFunc(f.waiting, func(c Change) bool { return c.Kind != Acknowledged })
		f.waiting, f.bytes = slices.Clip(first), 0
		change = Change{Kind: Gap, Granted: f.granted}
	}
	f.waiting = append(f.waiting, change)
	f.bytes += len(change.URI)
	f.wake()
}

// end says that nothing more will come; the first reason stays.
func (f *feed) end(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
		f.wake()
	}
}

func (f *feed) wake() {
	select {
	case f.news <- struct{}{}:
	default:
	}
}

// take returns what waits, and why nothing more will come, if so.
func (f *feed) take() ([]Change, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	waiting := f.waiting
	f.waiting, f.bytes = nil, 0
	return waiting, f.err
}

// subscriptions are the feeds of a client. A modern one has the id of its
// listen request; a legacy one hears every change that its filter names.
type subscriptions struct {
	mu     sync.Mutex
	modern map[int64]*feed
	legacy map[*feed]protocol.SubscriptionFilter
	uris   map[string]int // how many legacy subscriptions hear of a resource
	turn   chan struct{}  // holds a token while the server is told of resources
}

// received hands a notification to the feeds that it is for.
func (s *subscriptions) received(msg *protocol.Message) {
	change, ok := changeOf(msg)
	if !ok && msg.Method != protocol.MethodAcknowledged {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok {
		for f, filter := range s.legacy {
			if wants(filter, change) {
				f.put(change)
			}
		}
	}
	if len(s.modern) == 0 {
		return
	}
	var p protocol.ListenParams
	if json.Unmarshal(msg.Params, &p) != nil {
		return
	}
	var id protocol.ID
	p.Meta.Decode(protocol.MetaSubscriptionID, &id)
	n, _ := id.Int64()
	f := s.modern[n]
	switch {
	case f == nil:
	case ok:
		f.put(change)
	default:
		f.put(Change{Kind: Acknowledged, Granted: p.Notifications})
	}
}

// cancelled ends the subscription whose listen request a server cancels.
//
// Source: MCP 2026-07-28, patterns/cancellation, "Behavior Requirements".
func (s *subscriptions) cancelled(id protocol.ID) {
	n, _ := id.Int64()
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.modern[n]; f != nil {
		f.end(ErrSubscriptionEnded)
	}
}

// renewed tells all legacy subscriptions that there may be a gap.
func (s *subscriptions) renewed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f, filter := range s.legacy {
		f.put(Change{Kind: Gap, Granted: filter})
	}
}

// resources returns those that a legacy session is subscribed to.
func (s *subscriptions) resources() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.uris))
}

// hearing reports whether there are legacy subscriptions.
func (s *subscriptions) hearing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.legacy) > 0
}

// lost ends all legacy subscriptions: their stream is gone.
func (s *subscriptions) lost(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range s.legacy {
		f.end(err)
	}
}

func (s *subscriptions) addModern(id int64, f *feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.modern == nil {
		s.modern = make(map[int64]*feed)
	}
	s.modern[id] = f
}

func (s *subscriptions) removeModern(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.modern, id)
}

// lock takes the turn to tell a legacy server what resources are wanted, so that
// it hears of each in the order in which that changed.
func (s *subscriptions) lock(ctx context.Context) error {
	s.mu.Lock()
	if s.turn == nil {
		s.turn = make(chan struct{}, 1)
	}
	turn := s.turn
	s.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *subscriptions) unlock() { <-s.turn }

// hear registers f for the changes that filter names.
func (s *subscriptions) hear(f *feed, filter protocol.SubscriptionFilter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.legacy == nil {
		s.legacy = make(map[*feed]protocol.SubscriptionFilter)
	}
	s.legacy[f] = filter
}

// watches reports whether the server was told that a resource is wanted.
func (s *subscriptions) watches(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uris[uri] > 0
}

// watch counts one more feed that a resource is wanted for.
func (s *subscriptions) watch(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.uris == nil {
		s.uris = make(map[string]int)
	}
	s.uris[uri]++
}

// removeLegacy forgets f and returns the resources that nobody wants any more.
func (s *subscriptions) removeLegacy(f *feed) (unwanted []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, uri := range s.legacy[f].ResourceSubscriptions {
		if s.uris[uri]--; s.uris[uri] == 0 {
			delete(s.uris, uri)
			unwanted = append(unwanted, uri)
		}
	}
	delete(s.legacy, f)
	return unwanted
}
