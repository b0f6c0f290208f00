package client

import (
	"slices"
	"sync"

	"github.com/mcpera/mcpera/protocol"
)

// active are the calls under way, so that what arrives in between finds its
// call: progress by its token, logs by the request whose stream carried them.
type active struct {
	mu    sync.Mutex
	calls map[int64]*activeCall // by request id and by progress token
}

// An activeCall takes what arrives for one leg of a call.
type activeCall struct {
	call   *call
	watch  *watch
	inbox  mailbox
	failed error // the first panic of one of the call's functions; read once inbox is closed
}

// add registers a leg under its request id and its call's token.
func (a *active) add(id int64, call *call, w *watch) {
	if call.token == 0 && call.log == nil {
		return
	}
	entry := &activeCall{call: call, watch: w}
	entry.inbox.panicked = func(err error) {
		if entry.failed == nil {
			entry.failed = err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calls == nil {
		a.calls = make(map[int64]*activeCall)
	}
	a.calls[id] = entry
	if call.token != 0 {
		a.calls[call.token] = entry
	}
}

// remove ends a leg, once everything that arrived for it has been delivered. The
// error is that of a function of the call that panicked.
func (a *active) remove(id int64, call *call) error {
	a.mu.Lock()
	entry := a.calls[id]
	delete(a.calls, id)
	delete(a.calls, call.token)
	a.mu.Unlock()
	if entry == nil {
		return nil
	}
	entry.inbox.close()
	return entry.failed
}

func (a *active) get(id int64) *activeCall {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.calls[id]
}

// logging returns the calls that want log messages.
func (a *active) logging() []*activeCall {
	a.mu.Lock()
	defer a.mu.Unlock()
	var wanting []*activeCall
	for _, entry := range a.calls {
		if entry.call.log != nil && !slices.Contains(wanting, entry) {
			wanting = append(wanting, entry)
		}
	}
	return wanting
}

// progress delivers a notification to the call whose token it carries. One for
// an unknown token, or for a call that is over, is dropped.
//
// Source: MCP 2026-07-28, patterns/progress, "Progress Flow".
func (a *active) progress(p protocol.Progress, bytes int) {
	token, ok := p.Token.Int64()
	if !ok {
		return
	}
	entry := a.get(token)
	if entry == nil || entry.call.token != token {
		return
	}
	entry.watch.restart()
	if entry.call.progress != nil {
		entry.inbox.put(letter{protocol.MethodProgress, bytes, func() { entry.call.progress(p) }})
	}
}
