package client

import (
	"context"
	"fmt"
	"net/http"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// initialize opens a legacy session. probeErr is what the probe had met; it
// stands in the error when initialize fails too.
func (n *negotiator) initialize(ctx context.Context, probeErr error) (session, error) {
	req, err := initializeRequest(n.client.config, n.client.link.nextID())
	if err != nil {
		return nil, err
	}
	if n.late != nil {
		return n.initializeLate(ctx, req, probeErr)
	}
	o := n.client.link.exchange(ctx, req)
	s, err := openLegacy(ctx, n.client, req, o)
	if err != nil && maybeShared(o) {
		s, err = n.initializeShared(ctx, err)
	}
	if err != nil {
		return nil, both(err, probeErr)
	}
	return s, nil
}

// both joins the errors of a fallback and of what led to it.
func both(err, probeErr error) error {
	if probeErr == nil {
		return err
	}
	return &ConnectError{Err: err, Other: probeErr}
}

// maybeShared reports whether an answer to the POST of initialize is what a
// server of the oldest HTTP transport would give: it knows no POST there. A
// modern error is not.
//
// Source: MCP 2026-07-28, streamable-http, "HTTP+SSE Transport".
func maybeShared(o negotiation.Outcome) bool {
	switch o.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		return o.Message == nil || o.Message.Error == nil || !negotiation.IsModernError(o.Message.Error.Code)
	default:
		return false
	}
}

// initializeShared opens a session over HTTP+SSE, after initialize met err.
func (n *negotiator) initializeShared(ctx context.Context, err error) (*legacySession, error) {
	sharer, ok := n.client.link.Transport.(transport.Sharer)
	if !ok {
		return nil, err
	}
	// A server that has such a stream begins it at once.
	shareCtx, cancel := n.client.withTime(ctx, n.probeTimeout())
	defer cancel()
	if serr := sharer.Share(shareCtx); serr != nil {
		return nil, fmt.Errorf("%w; and it is no HTTP+SSE server: %w", err, serr)
	}
	n.client.link.trips.Add(1)
	req, err := initializeRequest(n.client.config, n.client.link.nextID())
	if err != nil {
		return nil, err
	}
	return openLegacy(ctx, n.client, req, n.client.link.exchange(ctx, req))
}
