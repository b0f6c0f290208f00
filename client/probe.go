package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// defaultProbeAnswer bounds the answer to a probe: 1 MiB.
const defaultProbeAnswer = 1 << 20

// WithMaxProbeAnswer bounds the answer to a probe over HTTP, in bytes: by default
// 1 MiB, or the transport's limit on a message if that is less.
func WithMaxProbeAnswer(bytes int64) Option {
	return func(c *config) error {
		if bytes <= 0 {
			return errors.New("client: the limit on a probe's answer must be above zero")
		}
		c.maxProbeAnswer = bytes
		return nil
	}
}

// A probed is a probe with its outcome, kept to say what it met.
type probed struct {
	request *transport.Request
	outcome negotiation.Outcome
}

// ask probes at version until there is a verdict to act on: it backs off while
// the server is down, and asks once more at another modern version that the
// server names. limit bounds each probe, unless it is 0. The error is a refusal, an
// outage, or the end of ctx.
func (n *negotiator) ask(ctx context.Context, version string, limit time.Duration) (negotiation.Verdict, error) {
	for attempt, renamed := 0, false; ; attempt++ {
		p, err := n.probe(ctx, version, limit)
		if err != nil {
			return nil, err
		}
		v, row := negotiation.Explain(n.client.link.Kind(), p.outcome, n.client.config.rules)
		n.report.Verdict, n.report.Row = v.String(), row.String()
		n.traceVerdict(Decided, v.String(), row.String())
		switch v := v.(type) {
		case negotiation.ModernRetry:
			if renamed {
				return nil, n.client.link.fail(p.request, p.outcome)
			}
			renamed, version = true, v.Version
		case negotiation.Authorize:
			return nil, n.client.link.fail(p.request, p.outcome)
		case negotiation.Retry:
			if errors.Is(p.outcome.Err, transport.ErrHeldBack) {
				return nil, n.outage(p, attempt)
			}
			if attempt >= n.client.config.retries || errors.Is(p.outcome.Err, transport.ErrPermanent) {
				return nil, n.outage(p, attempt+1)
			}
			if err := sleep(ctx, n.client.config.backoff.Wait(attempt, v.After)); err != nil {
				down := n.outage(p, attempt+1)
				down.Err = gaveUp(err, down.Err)
				return nil, down
			}
		default:
			return v, nil
		}
	}
}

// outage is the error of a probe that was repeated in vain.
func (n *negotiator) outage(p probed, attempts int) *transport.UnavailableError {
	err := n.client.link.fail(p.request, p.outcome)
	var down *transport.UnavailableError
	if errors.As(err, &down) {
		down.Attempts = attempts
		return down
	}
	return &transport.UnavailableError{
		Origin: n.client.link.target.String(), Method: p.request.Method, Status: p.outcome.Status,
		Attempts: attempts, RetryAfter: p.outcome.RetryAfter, Err: err,
	}
}

// gaveUp is the cause of an outage that was no longer waited out.
func gaveUp(err, cause error) error {
	if cause == nil {
		return fmt.Errorf("waiting for it: %w", err)
	}
	return fmt.Errorf("%w; waiting for it: %w", cause, err)
}

// probe sends one server/discover and returns what came of it. Over stdio it
// stays answerable after its timeout: see lateProbe.
func (n *negotiator) probe(ctx context.Context, version string, limit time.Duration) (probed, error) {
	meta, err := n.meta(version)
	if err != nil {
		return probed{}, err
	}
	p := probed{request: modernRequest(n.client.link.nextID(), version, meta, outgoing{method: protocol.MethodDiscover})}
	p.request.MaxAnswer = n.client.config.maxProbeAnswer
	p.request.Once = true // ask has a budget of its own
	if n.client.link.Kind() == negotiation.Stdio {
		p.outcome = n.probeStdio(ctx, p.request, limit)
	} else {
		tctx, cancel := n.client.withTime(ctx, limit)
		p.outcome = n.client.link.exchange(tctx, p.request)
		cancel()
	}
	n.last = p
	if p.outcome.Failure != negotiation.NoFailure && ctx.Err() != nil {
		return p, n.client.link.fail(p.request, p.outcome) // the time for connecting is over, not only the probe's
	}
	return p, nil
}

// probeError is what the last probe met, as an error.
func (n *negotiator) probeError() error {
	if n.last.request == nil {
		return nil
	}
	return n.client.link.fail(n.last.request, n.last.outcome)
}

// sleep waits for d or the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
