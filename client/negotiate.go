package client

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A negotiator opens one session: from the cache, by a probe, or as pinned.
type negotiator struct {
	client *Client
	key    erecache.Key

	last   probed     // the last probe and its outcome
	late   *lateProbe // a stdio probe that was not answered in time
	report Negotiation

	encoded []byte // modernMeta at a version, as a rule the only one
	at      string
}

// A Negotiation tells how a connection came about.
type Negotiation struct {
	// Verdict is the one that decided, in words; Row the row of the table that
	// it came from, "" when the era was pinned or remembered.
	Verdict string
	Row     string
	// FromCache reports that the era was remembered.
	FromCache bool
	// RoundTrips is how many requests Connect sent and waited for.
	RoundTrips int
}

// open returns a session, or why there is none.
func (n *negotiator) open(ctx context.Context) (session, error) {
	s, err := n.settle(ctx)
	if err == nil && n.late.pending() {
		n.client.spawn(n.rememberLate)
	}
	return s, err
}

// settle opens a session of the era that is pinned, remembered or found out,
// and has what was found out remembered.
func (n *negotiator) settle(ctx context.Context) (session, error) {
	switch n.client.config.pinned {
	case negotiation.EraLegacy:
		n.report.Verdict = "legacy, pinned"
		return n.initialize(ctx, nil)
	case negotiation.EraModern:
		n.report.Verdict = "modern, pinned"
		return n.discoverPinned(ctx)
	}
	var opened session
	resolved, err := n.client.config.eras.Resolve(ctx, n.key, func(ctx context.Context) (erecache.Finding, error) {
		var finding erecache.Finding
		var err error
		opened, finding, err = n.negotiate(ctx)
		return finding, shareOutage(err)
	}, n.eraOptions()...)
	n.noteStore(resolved.StoreErr)
	if err != nil || opened != nil {
		return opened, err
	}
	return n.recall(ctx, resolved.Entry)
}

// shareOutage lets others who wait for this probe have its error when it is
// the server's: an outage. A refusal concerns this client's credentials.
func shareOutage(err error) error {
	if errors.Is(err, transport.ErrUnavailable) {
		return erecache.ShareError(err)
	}
	return err
}

func (n *negotiator) eraOptions() []erecache.CallOption {
	if n.client.config.eraTTL == nil {
		return nil
	}
	return []erecache.CallOption{erecache.WithCallTTL(*n.client.config.eraTTL)}
}

// noteStore logs what went wrong with the cache. It costs a probe, never a call.
func (n *negotiator) noteStore(err error) {
	if err != nil {
		n.client.config.log.Warn("the era cache failed", "server", n.client.link.target.String(), "reason", err)
	}
}

// recall opens a session of a remembered era. When the server refutes it, it is
// forgotten and the server is probed again, once.
func (n *negotiator) recall(ctx context.Context, entry erecache.Entry) (session, error) {
	n.report.FromCache, n.report.Verdict = true, entry.Era.String()+", remembered"
	n.traceVerdict(Recalled, n.report.Verdict, "")
	var s session
	var err error
	if entry.Era == negotiation.EraModern {
		s, err = n.recallModern(ctx, entry.Version)
	} else {
		s, err = n.initialize(ctx, nil)
	}
	if err == nil || !refutes(err) {
		return s, err
	}
	n.noteStore(n.client.config.eras.Refute(ctx, n.key, entry))
	n.report.FromCache = false
	if r, ok := n.client.link.Transport.(transport.Restarter); ok { // what an opened process says proves nothing
		if rerr := r.Restart(ctx); rerr != nil {
			return nil, both(rerr, err)
		}
	}
	s, finding, err := n.negotiate(ctx)
	if err == nil && finding.Proven {
		n.noteStore(n.client.config.eras.Remember(ctx, n.key, finding.Era, finding.Version))
	}
	return s, err
}

// recallModern opens a modern session without a probe: with the cached
// DiscoverResult of this principal there is not even a round trip.
func (n *negotiator) recallModern(ctx context.Context, version string) (session, error) {
	if d := n.recallDiscover(ctx, version, 0); d != nil {
		return n.newModern(version, d)
	}
	remembered := n.report
	v, err := n.ask(ctx, version, n.patience())
	if err != nil {
		if stale := n.client.config.stale; stale > 0 && outage(err) {
			if d := n.recallDiscover(ctx, version, stale); d != nil {
				n.report = remembered
				return n.newModern(version, d)
			}
		}
		return nil, err
	}
	switch v := v.(type) {
	case negotiation.Modern:
		return n.modern(v)
	case *negotiation.Error:
		if legacyOnly(v) {
			return nil, &refutedError{v}
		}
		return nil, n.explained(v)
	default: // what only a legacy server says
		return nil, &refutedError{n.notModern()}
	}
}

// A refutedError means that a remembered verdict is wrong.
type refutedError struct{ error }

func (e *refutedError) Unwrap() error { return e.error }

// refutes reports whether err contradicts a remembered verdict: the server
// answered, and not in that era. A refusal, an outage or a lost process does
// not.
func refutes(err error) bool {
	var refuted *refutedError
	var server *transport.ServerError
	var status *transport.StatusError
	var version *VersionError
	switch {
	case errors.As(err, &refuted), errors.As(err, &version):
		return true
	case errors.As(err, &server):
		return server.Method == protocol.MethodInitialize
	case errors.As(err, &status):
		return status.Method == protocol.MethodInitialize && slices.Contains([]int{400, 404, 405}, status.Status)
	default:
		return false
	}
}

// negotiate probes the server and opens a session of the era that it finds.
func (n *negotiator) negotiate(ctx context.Context) (session, erecache.Finding, error) {
	s, err := n.probeAndOpen(ctx)
	if err != nil {
		return nil, erecache.Finding{}, err
	}
	d := s.server()
	finding := erecache.Finding{Era: d.era, Version: d.version, Proven: true}
	if v, ok := n.late.modern(); ok { // the next process will be asked in time
		finding.Era, finding.Version = negotiation.EraModern, v.Version
	}
	return s, finding, nil
}

// probeAndOpen is the loop of a fresh negotiation. The verdicts are
// negotiation's; what follows from each is here.
func (n *negotiator) probeAndOpen(ctx context.Context) (session, error) {
	v, err := n.ask(ctx, n.preferred(), n.probeTimeout())
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case negotiation.Modern:
		return n.modern(v)
	case negotiation.Legacy:
		return n.initialize(ctx, n.probeError())
	case negotiation.Reconnect:
		probeErr := n.probeError()
		r, ok := n.client.link.Transport.(transport.Restarter)
		if !ok {
			return nil, probeErr
		}
		if err := r.Restart(ctx); err != nil {
			return nil, both(err, probeErr)
		}
		return n.initialize(ctx, probeErr)
	case *negotiation.Error:
		return n.afterError(ctx, v)
	default:
		return nil, n.probeError()
	}
}

// afterError goes on where an undecided or failed probe still leaves a way: the
// server itself named a legacy version, or the answer was one of neither era
// and initialize may ask. Only a valid InitializeResult counts then; anything
// else leaves the probe's error.
func (n *negotiator) afterError(ctx context.Context, e *negotiation.Error) (session, error) {
	named := legacyOnly(e)
	ask := e.Reason == negotiation.Inconclusive && n.client.link.Kind() == negotiation.HTTP && n.client.config.confirm &&
		!errors.As(n.probeError(), new(*transport.LimitError)) // what was not read may well be modern
	if !named && !ask {
		return nil, n.explained(e)
	}
	s, err := n.initialize(ctx, nil)
	switch {
	case err == nil:
		return s, nil
	case named:
		return nil, &ConnectError{Err: err, Other: e}
	default:
		return nil, &ConnectError{Err: n.explained(e), Other: err}
	}
}

// explained gives a verdict that left the era open the whole of what the probe
// met: where a redirect points, what type the answer had.
func (n *negotiator) explained(e *negotiation.Error) *negotiation.Error {
	if e.Kind == negotiation.KindUndecided {
		e.Err = n.probeError()
	}
	return e
}

// legacyOnly reports whether the server named a legacy version that we speak,
// and no modern one.
func legacyOnly(e *negotiation.Error) bool {
	return e.Reason == negotiation.NoCommonVersion && slices.ContainsFunc(e.Supported, negotiation.SpeaksLegacy)
}

func (n *negotiator) modern(v negotiation.Modern) (session, error) {
	n.keepDiscover(v.Version)
	return n.newModern(v.Version, v.Discover)
}

// discoverPinned opens a modern session, and never a legacy one.
func (n *negotiator) discoverPinned(ctx context.Context) (session, error) {
	v, err := n.ask(ctx, n.preferred(), n.patience())
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case negotiation.Modern:
		return n.modern(v)
	case *negotiation.Error:
		return nil, n.explained(v)
	default:
		return nil, n.notModern()
	}
}

// notModern is the error of a server that answers the probe as only a legacy
// one does, where that won't do.
func (n *negotiator) notModern() error {
	if err := n.probeError(); err != nil {
		return err
	}
	o := n.last.outcome
	return &transport.MessageError{
		Origin: n.client.link.target.String(), Method: protocol.MethodDiscover, Status: o.Status,
		Said: protocol.Quote(o.Message.Result), Err: errNoDiscover,
	}
}

var errNoDiscover = errors.New("the result is no DiscoverResult")

// meta returns the members of _meta that every request at version carries.
func (n *negotiator) meta(version string) ([]byte, error) {
	if n.at != version {
		encoded, err := modernMeta(n.client.config, version)
		if err != nil {
			return nil, err
		}
		n.encoded, n.at = encoded, version
	}
	return n.encoded, nil
}

// preferred is the modern version that the probe is sent at.
func (n *negotiator) preferred() string {
	if v := firstModern(n.client.config.rules.Versions); v != "" {
		return v
	}
	return firstModern(negotiation.Versions())
}

func firstModern(versions []string) string {
	for _, v := range versions {
		if negotiation.EraOf(v) == negotiation.EraModern {
			return v
		}
	}
	return ""
}

func (n *negotiator) probeTimeout() time.Duration {
	switch {
	case n.client.config.probeTimeout > 0:
		return n.client.config.probeTimeout
	case n.client.link.Kind() == negotiation.HTTP:
		return 10 * time.Second
	default:
		return 5 * time.Second
	}
}

// patience is how long server/discover is waited for when there is no other
// era to go to, 0 for as long as there is time to connect: a slow start must not end
// in an error. Over HTTP an attempt that takes so long is better repeated.
func (n *negotiator) patience() time.Duration {
	if n.client.link.Kind() == negotiation.Stdio {
		return 0
	}
	return n.probeTimeout()
}

func (n *negotiator) traceVerdict(kind EventKind, verdict, row string) {
	if n.client.config.trace != nil {
		n.client.config.trace(Event{Kind: kind, Verdict: verdict, Row: row})
	}
}
