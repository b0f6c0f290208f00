package client_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"

	"time"
)

// A puppet is a server and its transport in one: no process, no socket, so that
// it lives in a bubble whose time the test makes pass. M-TRN-02, M-TRN-03: it is
// a custom transport, made by what package transport says and nothing else.
type puppet struct {
	kind negotiation.Transport
	// play answers what opening a connection does not ask. It may speak first.
	play func(ctx context.Context, p *puppet, req *transport.Request) (result string, err error)

	receiver transport.Receiver
	mu       sync.Mutex
	heard    []string      // methods of requests, and bodies of what has no answer
	spoken   chan struct{} // gets a token when there is something new to hear
	closed   chan struct{}
	once     sync.Once
}

func newPuppet(kind negotiation.Transport, play func(context.Context, *puppet, *transport.Request) (string, error)) *puppet {
	return &puppet{kind: kind, play: play, spoken: make(chan struct{}, 1000), closed: make(chan struct{})}
}

func (p *puppet) Kind() negotiation.Transport { return p.kind }

func (p *puppet) Target() transport.Target { return transport.Target{Command: []string{"puppet"}} }

func (p *puppet) Open(_ context.Context, r transport.Receiver) error {
	p.receiver = r
	return nil
}

func (p *puppet) Exchange(ctx context.Context, req *transport.Request) negotiation.Outcome {
	p.hear(req.Method)
	answer := make(chan negotiation.Outcome, 1)
	go func() {
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		go func() {
			select {
			case <-p.closed:
				cancel()
			case <-ctx.Done():
			}
		}()
		answer <- p.answer(ctx, req)
	}()
	select {
	case o := <-answer:
		return o
	case <-ctx.Done():
		failure := negotiation.Canceled
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			failure = negotiation.TimedOut
		}
		return negotiation.Outcome{Failure: failure, Err: ctx.Err(), RequestID: req.ID, Attempts: 1}
	case <-p.closed:
		return negotiation.Outcome{Failure: negotiation.Closed, Err: transport.ErrClosed, RequestID: req.ID}
	}
}

func (p *puppet) answer(ctx context.Context, req *transport.Request) negotiation.Outcome {
	var result string
	var err error
	switch req.Method {
	case protocol.MethodDiscover:
		result = `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`
	case protocol.MethodInitialize:
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":"puppet","version":"1"}}`
	default:
		result, err = p.play(ctx, p, req)
	}
	o := negotiation.Outcome{RequestID: req.ID, Attempts: 1}
	if p.kind == negotiation.HTTP {
		o.Status = 200
	}
	server, failed := errors.AsType[*protocol.Error](err)
	switch {
	case failed:
		o.Message = &protocol.Message{ID: req.ID, Error: server}
	case err != nil:
		o.Failure, o.Err = negotiation.NetworkError, err
	default:
		o.Message = &protocol.Message{ID: req.ID, Result: []byte(result)}
	}
	return o
}

func (p *puppet) Send(_ context.Context, req *transport.Request) error {
	p.hear(string(req.Body))
	return nil
}

func (p *puppet) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// say sends the client a notification, or a request when id is not "".
func (p *puppet) say(id, method, params string) {
	text := fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
	if id != "" {
		text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":%q,"params":%s}`, id, method, params)
	}
	m, err := protocol.Decode([]byte(text))
	if err != nil {
		panic(err)
	}
	p.receiver.Receive(m, nil)
}

func (p *puppet) hear(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard = append(p.heard, what)
	p.spoken <- struct{}{}
}

// answered waits until the client has answered the request with an id, or has
// left.
func (p *puppet) answered(id string) {
	for {
		p.mu.Lock()
		for _, heard := range p.heard {
			if containsAll(heard, `{"jsonrpc":"2.0","id":"`+id+`"`) {
				p.mu.Unlock()
				return
			}
		}
		p.mu.Unlock()
		select {
		case <-p.spoken:
		case <-p.closed:
			return
		}
	}
}

// said reports whether the client sent something, unanswered, with all the
// parts.
func (p *puppet) said(parts ...string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, heard := range p.heard {
		if containsAll(heard, parts...) {
			return true
		}
	}
	return false
}

// count returns how often the client sent something, unanswered, with all the
// parts.
func (p *puppet) count(parts ...string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, heard := range p.heard {
		if containsAll(heard, parts...) {
			n++
		}
	}
	return n
}

// connect connects to a puppet of an era. The caller closes.
func (p *puppet) connect(t *testing.T, era negotiation.Era, opts ...client.Option) *client.Client {
	t.Helper()
	c, err := client.Connect(t.Context(), p, append([]client.Option{
		client.WithEra(era), client.WithEraCache(erecache.New(time.Now)), client.WithResponseCache(nil),
	}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
