package client

import (
	"context"
	"errors"
	"time"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// A lateProbe is a stdio probe whose time passed before an answer came. A slow
// start, a package being downloaded, say, must not make a modern server
// legacy, so the probe is not sent again but stays answerable while initialize
// is on its way:
//
//   - initialize refused, and a DiscoverResult: the server is modern.
//   - initialize accepted: it speaks both, and this process is now legacy. A
//     DiscoverResult, whenever it comes, is remembered for the next process.
type lateProbe struct {
	request *transport.Request
	answer  <-chan negotiation.Outcome
	rules   negotiation.Options
	outcome negotiation.Outcome // the answer, once it has come
	verdict negotiation.Verdict // once the answer has come
}

// WithSlowStart sets how long Connect waits over stdio, once a slow server has
// answered one of the two openings, for its answer to the other: by default 5 s.
func WithSlowStart(d time.Duration) Option {
	return func(c *config) error {
		return positive("wait for a slow start", d, &c.slowStart)
	}
}

// handover is how long a transport may take to say that a probe was sent. One
// that never says so only makes its probe take longer.
const handover = time.Second

// probeStdio sends the one probe that a process gets, and waits for its answer
// for up to limit, if that is above zero. The time begins when the probe is on its
// way: initialize must not overtake it.
func (n *negotiator) probeStdio(ctx context.Context, req *transport.Request, limit time.Duration) negotiation.Outcome {
	answer, sent := make(chan negotiation.Outcome, 1), make(chan struct{}, 1)
	req.Sent = func() { sent <- struct{}{} }
	n.client.spawn(func() { answer <- silent(n.client.link.exchange(n.client.life, req)) })
	timer := time.NewTimer(max(limit, limit+handover)) // the longest limits have no room for more
	defer timer.Stop()
	over := timer.C
	if limit == 0 {
		over = nil
	}
	for {
		select {
		case <-sent:
			timer.Reset(limit)
		case o := <-answer:
			return o
		case <-ctx.Done():
			o := negotiation.Outcome{Failure: negotiation.Canceled, Err: ctx.Err(), RequestID: req.ID}
			if errors.Is(o.Err, context.DeadlineExceeded) { // that of the whole Connect
				o.Failure = negotiation.TimedOut
			}
			return o
		case <-over:
			n.late = &lateProbe{request: req, answer: answer, rules: n.client.config.rules}
			return negotiation.Outcome{Failure: negotiation.TimedOut, Err: context.DeadlineExceeded, RequestID: req.ID}
		}
	}
}

// silent makes silence of an answer that is no message: on a stream that all
// share, none has come.
func silent(o negotiation.Outcome) negotiation.Outcome {
	if o.Failure == negotiation.NoFailure && o.Message == nil {
		o.Failure = negotiation.TimedOut
	}
	return o
}

// take keeps what an answer that came late means.
func (p *lateProbe) take(o negotiation.Outcome) {
	p.outcome, p.verdict = o, negotiation.ClassifyProbe(negotiation.Stdio, o, p.rules)
}

// modern returns the verdict of a late DiscoverResult, if one has come.
func (p *lateProbe) modern() (negotiation.Modern, bool) {
	if p == nil {
		return negotiation.Modern{}, false
	}
	if p.verdict == nil {
		select {
		case o := <-p.answer:
			p.take(o)
		default:
		}
	}
	v, ok := p.verdict.(negotiation.Modern)
	return v, ok
}

// initializeLate sends initialize while the probe may still be answered, and
// takes the two answers in whichever order they come.
func (n *negotiator) initializeLate(ctx context.Context, req *transport.Request, probeErr error) (session, error) {
	initialized := make(chan negotiation.Outcome, 1)
	ictx, cancel := context.WithCancel(ctx)
	defer cancel()
	n.client.spawn(func() { initialized <- n.client.link.exchange(ictx, req) })

	var enough <-chan time.Time // how long initialize is waited for after a DiscoverResult
	answer := n.late.answer
	for {
		select {
		case o := <-initialized:
			return n.afterInitialize(ctx, req, o, answer, probeErr)
		case o := <-answer:
			answer = nil
			n.late.take(o)
			if _, ok := n.late.modern(); ok {
				timer := time.NewTimer(n.client.config.slowStart)
				defer timer.Stop()
				enough = timer.C
			}
		case <-enough:
			// What this process makes of initialize can't be known any more, and two
			// eras must not mix: a fresh one is modern for certain.
			if r, ok := n.client.link.Transport.(transport.Restarter); ok {
				if err := r.Restart(ctx); err != nil {
					return nil, both(err, probeErr)
				}
			}
			return n.lateModern()
		}
	}
}

// afterInitialize goes on in the era that the answer to initialize leaves.
// answer is nil when the probe's own answer has already come.
func (n *negotiator) afterInitialize(
	ctx context.Context, req *transport.Request, o negotiation.Outcome,
	answer <-chan negotiation.Outcome, probeErr error,
) (session, error) {
	s, err := openLegacy(ctx, n.client, req, o)
	if err == nil {
		return s, nil
	}
	if server := new(transport.ServerError); answer != nil && errors.As(err, &server) {
		// Refused, perhaps because the server is modern. It is awake now, so that
		// the probe's answer can't be far.
		timer := time.NewTimer(n.client.config.slowStart)
		defer timer.Stop()
		select {
		case late := <-answer:
			n.late.take(late)
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if _, ok := n.late.modern(); ok {
		return n.lateModern()
	}
	if late := n.late.outcome; late.Message != nil && late.Message.Error != nil {
		probeErr = n.client.link.fail(n.late.request, late) // says more than that it was late
	}
	return nil, both(err, probeErr)
}

// lateModern opens the session that a late DiscoverResult asks for.
func (n *negotiator) lateModern() (session, error) {
	v, _ := n.late.modern()
	n.report.Verdict, n.report.Row = v.String(), negotiation.RowDiscover.String()
	n.traceVerdict(Decided, n.report.Verdict, n.report.Row)
	return n.modern(v)
}

// pending reports whether the answer is still to come.
func (p *lateProbe) pending() bool { return p != nil && p.verdict == nil }

// rememberLate waits, for as long as the client lives, for a DiscoverResult
// that comes after a legacy session was opened: the server speaks both, and its
// next process will be asked in time. It is the last to take the answer, and
// starts when the legacy verdict has been remembered, so as to replace it.
func (n *negotiator) rememberLate() {
	n.late.take(<-n.late.answer)
	if v, ok := n.late.modern(); ok {
		n.noteStore(n.client.config.eras.Remember(n.client.life, n.key, negotiation.EraModern, v.Version))
	}
}
