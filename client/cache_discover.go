package client

import (
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mcpera/mcpera/client/responsecache"
	"github.com/mcpera/mcpera/protocol"
)

// discoverRequest is server/discover at version, for the response cache; false
// when that has no part in it.
func (n *negotiator) discoverRequest(version string) (responsecache.Request, bool) {
	if n.client.config.responses == nil {
		return responsecache.Request{}, false
	}
	meta, err := n.meta(version)
	if err != nil {
		return responsecache.Request{}, false
	}
	return requestTo(n.client.link.Target(), protocol.MethodDiscover, "", nil, meta)
}

// recallDiscover returns the DiscoverResult that was kept for this principal and
// is fresh, or expired less than stale ago; nil when there is none.
func (n *negotiator) recallDiscover(ctx context.Context, version string, stale time.Duration) *protocol.DiscoverResult {
	req, ok := n.discoverRequest(version)
	if !ok {
		return nil
	}
	raw, ok, err := n.client.config.responses.Load(ctx, req, stale)
	n.client.noteCache(err)
	if !ok {
		return nil
	}
	d := new(protocol.DiscoverResult)
	if json.Unmarshal(raw, d) != nil || !slices.Contains(d.SupportedVersions, version) {
		return nil
	}
	n.client.link.cached(protocol.MethodDiscover, stale)
	return d
}

// keepDiscover keeps the DiscoverResult that the server gave, for the version
// that was agreed on.
func (n *negotiator) keepDiscover(version string) {
	req, ok := n.discoverRequest(version)
	if !ok {
		return
	}
	o := n.last.outcome
	if _, late := n.late.modern(); late {
		o = n.late.outcome
	}
	if o.Message == nil {
		return
	}
	fetch := n.client.config.responses.Begin(req)
	defer fetch.End()
	n.client.noteCache(fetch.Keep(n.client.life, o.Message.Result))
}
