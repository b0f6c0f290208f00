package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/client/responsecache"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// WithResponseCache sets where answers are kept for as long as their servers
// allow: by default one cache in memory for the whole process. nil keeps none.
//
// Kept are the results of server/discover, of the four lists, page by page, and
// of resources/read, of modern servers only. Answers that a server does not
// call public are kept for the credentials that they were given to, as
// transport.Target.Principal tells them apart. A notification of a change makes
// them stale at once, and so does a refused cursor for all pages of its list.
//
// Source: MCP 2026-07-28, server/utilities/caching.
func WithResponseCache(cache *responsecache.Cache) Option {
	return func(c *config) error {
		c.responses = cache
		return nil
	}
}

// WithStaleOnError gives out an answer that expired less than age ago when the
// server is unavailable or does not answer in time: by default never. It does
// not do so for what a change notification made stale, after a refusal, or for
// calls with CacheRefresh or CacheBypass.
//
// Source: MCP 2026-07-28, server/utilities/caching, "Freshness Calculation".
func WithStaleOnError(age time.Duration) Option {
	return func(c *config) error {
		return positive("age of stale answers", age, &c.stale)
	}
}

// A CacheMode says what a call does with the response cache.
type CacheMode uint8

const (
	// CacheUse takes a fresh answer from the cache if there is one, and keeps
	// the server's otherwise.
	CacheUse CacheMode = iota
	// CacheRefresh asks the server, and keeps its answer.
	CacheRefresh
	// CacheBypass asks the server, and leaves the cache alone.
	CacheBypass
)

// Cache sets what a call, or each page of an iterator, does with the response
// cache: by default CacheUse. A list whose pages come from the cache may mix
// states of the server; with CacheRefresh all are new.
//
// Source: MCP 2026-07-28, server/utilities/caching, "Interaction with
// Pagination".
func Cache(mode CacheMode) CallOption {
	return func(c *call) error {
		if mode > CacheBypass {
			return fmt.Errorf("client: there is no cache mode %d", mode)
		}
		c.cache = mode
		return nil
	}
}

// cacheable reports whether results of a method carry cache hints.
//
// Source: MCP 2026-07-28, server/utilities/caching, "Cacheable Results".
func cacheable(method string) bool {
	switch method {
	case protocol.MethodDiscover, protocol.MethodListTools, protocol.MethodListPrompts,
		protocol.MethodListResources, protocol.MethodListResourceTemplates, protocol.MethodReadResource:
		return true
	default:
		return false
	}
}

// endpoint names the server that a target leads to, "" when it does not say. A
// URL's query is part of it, since gateways choose servers by it, and so is a
// process's environment.
func endpoint(target transport.Target) string {
	key := eraKey(target)
	switch {
	case target.URL != nil:
		return key.Origin + key.Path + "?" + target.URL.RawQuery
	case len(target.Command) > 0:
		return key.Origin + " " + key.Path + " " + target.Principal
	default:
		return ""
	}
}

// obtain makes a call: from the cache, where its method and mode allow that and
// there is an answer, or by asking the server. It stands below the middleware,
// which so sees every call, and whose changes are never kept for others.
func (c *Client) obtain(ctx context.Context, call *call, params jsontext.Value) (jsontext.Value, error) {
	req, ok := c.cacheRequest(ctx, call, params)
	if !ok {
		return c.rounds(ctx, call, params)
	}
	call.topic, call.recalled = req.Topic(), false
	cache := c.config.responses
	if call.cache == CacheUse {
		if raw, ok := c.recall(ctx, req, 0); ok {
			call.recalled = true
			return raw, nil
		}
	}
	fetch := cache.Begin(req)
	defer fetch.End()
	call.asked = false
	raw, err := c.rounds(ctx, call, params)
	switch same := c.link.Target().Principal == req.Principal; {
	case err == nil:
		if same && !call.asked {
			c.noteCache(fetch.Keep(ctx, raw))
		}
		return raw, nil
	case refused(err): // the cursor, perhaps, or the URI: what led to it is out of date
		c.forget(req.Topic())
	case call.cache == CacheUse && c.config.stale > 0 && same && outage(err):
		if raw, ok := c.recall(context.WithoutCancel(ctx), req, c.config.stale); ok {
			c.config.log.Warn("gave out an expired answer", "server", c.link.target.String(),
				"method", call.method, "reason", err)
			call.recalled = true
			return raw, nil
		}
	}
	return nil, err
}

// cacheRequest returns what a call asks, for the cache; false when the cache has
// no part in it.
func (c *Client) cacheRequest(ctx context.Context, call *call, params jsontext.Value) (responsecache.Request, bool) {
	if !cacheable(call.method) || call.cache == CacheBypass || c.config.responses == nil {
		return responsecache.Request{}, false
	}
	modern, ok := c.session.(*modernSession)
	if !ok || ctx.Err() != nil || c.life.Err() != nil || answersInput(params) {
		return responsecache.Request{}, false
	}
	variant := modern.meta
	if len(call.meta) > 0 {
		own, err := json.Marshal(call.meta, json.Deterministic(true))
		if err != nil {
			return responsecache.Request{}, false
		}
		variant = slices.Concat(variant, own)
	}
	var resource protocol.ResourceParams
	if call.method == protocol.MethodReadResource && (json.Unmarshal(params, &resource) != nil || resource.URI == "") {
		return responsecache.Request{}, false
	}
	return requestTo(c.link.Target(), call.method, resource.URI, params, variant)
}

// requestTo returns a request to the server at target; false when the target
// does not say where that is.
func requestTo(target transport.Target, method, uri string, params, variant []byte) (responsecache.Request, bool) {
	req := responsecache.Request{
		Endpoint: endpoint(target), Principal: target.Principal,
		Method: method, URI: uri, Params: params, Variant: variant,
	}
	return req, req.Endpoint != ""
}

// answersInput reports whether params, as middleware may have changed them,
// carry input or state. Such an answer is never kept.
//
// Source: MCP 2026-07-28, server/utilities/caching, "Cache Key".
func answersInput(params jsontext.Value) bool {
	return bytes.Contains(params, []byte(`"inputResponses"`)) || bytes.Contains(params, []byte(`"requestState"`))
}

// refused reports whether the server says that the params are wrong.
func refused(err error) bool {
	server, ok := errors.AsType[*transport.ServerError](err)
	return ok && server.Err.Code == protocol.CodeInvalidParams
}

// outage reports whether err is one that an expired answer may stand in for.
func outage(err error) bool {
	return errors.Is(err, transport.ErrUnavailable) || errors.As(err, new(*transport.TimeoutError))
}

// recall returns an answer from the cache that is fresh, or expired less than
// stale ago.
func (c *Client) recall(ctx context.Context, req responsecache.Request, stale time.Duration) (jsontext.Value, bool) {
	raw, ok, err := c.config.responses.Load(ctx, req, stale)
	c.noteCache(err)
	if ok {
		c.link.cached(req.Method, stale)
	}
	return raw, ok
}

// noteCache logs what went wrong with the cache. It costs a request, never a
// call.
func (c *Client) noteCache(err error) {
	if err != nil {
		c.config.log.Warn("the response cache failed", "server", c.link.target.String(), "reason", err)
	}
}

// decode decodes a call's result. A kept answer that can't be decoded is
// forgotten; false says that the server should be asked instead.
func (c *Client) decode(call *call, raw jsontext.Value, result any) (bool, error) {
	read := protocol.ReadResult
	if call.recalled || len(c.config.middleware) > 0 { // others may have changed it, and may change it yet
		read = decodeAny
	}
	err := decodeResult(raw, result, read)
	if err == nil {
		return true, nil
	}
	if call.topic != (responsecache.Topic{}) {
		c.forget(call.topic)
	}
	if !call.recalled {
		return true, c.unusable(call, raw, err)
	}
	call.cache = CacheRefresh
	reflect.ValueOf(result).Elem().SetZero()
	return false, nil
}

// decodeResult decodes a result. The decoder would take null for an empty
// object, and so a server's failure for an empty list; only where nothing is
// due does the shape not matter.
func decodeResult(raw jsontext.Value, result any, read func(jsontext.Value, any) error) error {
	if _, ignored := result.(*jsontext.Value); !ignored && raw.Kind() == 'n' {
		return errNullResult
	}
	return read(raw, result)
}

// decodeAny decodes what need not be valid JSON.
func decodeAny(raw jsontext.Value, result any) error { return json.Unmarshal(raw, result) }

var errNullResult = errors.New("the result is null")

// invalidate makes stale what a notification says has changed.
//
// Source: MCP 2026-07-28, server/utilities/caching, "Interaction with
// Notifications".
func (c *Client) invalidate(msg *protocol.Message) {
	change, ok := changeOf(msg)
	if !ok {
		return
	}
	switch change.Kind {
	case ToolsChanged:
		c.forgetChanged(protocol.SubscriptionFilter{ToolsListChanged: true})
	case PromptsChanged:
		c.forgetChanged(protocol.SubscriptionFilter{PromptsListChanged: true})
	case ResourcesChanged:
		c.forgetChanged(protocol.SubscriptionFilter{ResourcesListChanged: true})
	case ResourceUpdated:
		c.forgetChanged(protocol.SubscriptionFilter{ResourceSubscriptions: []string{change.URI}})
	}
}

// forgetChanged makes stale all that a subscription with this filter would have
// told of.
func (c *Client) forgetChanged(f protocol.SubscriptionFilter) {
	at := endpoint(c.link.Target())
	var topics []responsecache.Topic
	add := func(changed bool, methods ...string) {
		for _, method := range methods {
			if changed {
				topics = append(topics, responsecache.TopicOf(at, method, ""))
			}
		}
	}
	add(f.ToolsListChanged, protocol.MethodListTools)
	add(f.PromptsListChanged, protocol.MethodListPrompts)
	add(f.ResourcesListChanged, protocol.MethodListResources, protocol.MethodListResourceTemplates)
	for _, uri := range f.ResourceSubscriptions {
		topics = append(topics, responsecache.TopicOf(at, protocol.MethodReadResource, uri))
	}
	c.forget(topics...)
}

// forget makes stale what is kept on topics. It never waits: a store that does
// is told on a goroutine of its own.
func (c *Client) forget(topics ...responsecache.Topic) {
	cache := c.config.responses
	if cache == nil || len(topics) == 0 || !cache.Drop(topics...) {
		return
	}
	c.spawn(func() { c.noteCache(cache.Flush(context.WithoutCancel(c.life))) })
}
