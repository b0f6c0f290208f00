package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/client/responsecache"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// Version is this SDK's version, which servers see unless WithClientInfo says
// otherwise.
const Version = "0.1.0"

// An Option adjusts a Client. The order of options does not matter. Connect fails
// on a value that makes no sense, such as a time that is not above zero.
type Option func(*config) error

type config struct {
	handler      any
	info         protocol.Implementation
	capabilities negotiation.CapabilityOptions
	extensions   map[string]jsontext.Value
	rules        negotiation.Options
	pinned       negotiation.Era
	eras         *erecache.Cache
	eraTTL       *time.Duration
	responses    *responsecache.Cache // nil for none
	stale        time.Duration        // how long after its time an answer may stand in; 0: not at all
	confirm      bool
	serverStream bool
	streamLost   func(error)
	serialized   bool // legacy requests over HTTP take turns

	probeTimeout   time.Duration // 0: the transport's default
	slowStart      time.Duration
	connectTimeout time.Duration
	callTimeout    time.Duration
	callLimit      time.Duration
	maxRounds      int
	maxInputs      int
	maxPages       int
	maxProbeAnswer int64
	retries        int
	restarts       int
	backoff        transport.Backoff

	log          *slog.Logger
	trace        func(Event)
	traceContext func(context.Context) TraceContext
	incoming     func(*protocol.Message)
	middleware   []func(Invoker) Invoker
}

// defaultEras and defaultResponses are shared by all clients of the process
// that do not bring their own.
var (
	defaultEras      = erecache.New(time.Now)
	defaultResponses = responsecache.New(time.Now)
)

func newConfig(opts []Option) (*config, error) {
	c := &config{
		info:           protocol.Implementation{Name: "mcpera", Version: Version},
		eras:           defaultEras,
		responses:      defaultResponses,
		confirm:        true,
		serverStream:   true,
		connectTimeout: time.Minute,
		slowStart:      5 * time.Second,
		callTimeout:    time.Minute,
		callLimit:      10 * time.Minute,
		maxRounds:      10,
		maxInputs:      defaultMaxInputs,
		maxPages:       defaultMaxPages,
		maxProbeAnswer: defaultProbeAnswer,
		retries:        3,
		restarts:       3,
		backoff:        transport.DefaultBackoff(),
		log:            slog.New(slog.DiscardHandler),
	}
	for _, opt := range opts {
		if err := opt(c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// declared returns the capabilities that the client declares in an era.
func (c *config) declared(era negotiation.Era) protocol.ClientCapabilities {
	opts := c.capabilities
	opts.Era = era
	declared := negotiation.ClientCapabilities(c.handler, opts)
	if era == negotiation.EraModern {
		declared.Extensions = c.extensions
	}
	return declared
}

// WithHandler sets what servers may ask of the program. The capabilities that
// the client declares follow from the interfaces of package handler that h
// implements. By default there is none, and nothing is declared.
func WithHandler(h any) Option {
	return func(c *config) error {
		c.handler = h
		return nil
	}
}

// WithClientInfo sets the name and version that servers see: by default those
// of this SDK.
func WithClientInfo(info protocol.Implementation) Option {
	return func(c *config) error {
		if info.Name == "" || info.Version == "" {
			return errors.New("client: the client info needs a name and a version")
		}
		c.info = info
		return nil
	}
}

// WithSamplingTools declares that a handler.Sampler takes tools and
// toolChoice.
func WithSamplingTools() Option {
	return func(c *config) error {
		c.capabilities.SamplingTools = true
		return nil
	}
}

// WithSamplingContext declares that a handler.Sampler takes includeContext
// other than "none".
func WithSamplingContext() Option {
	return func(c *config) error {
		c.capabilities.SamplingContext = true
		return nil
	}
}

// WithEra pins the era of a server that is known: no probe, no cache, and no
// way to the other era. It is the way out for a server that refuses the probe
// with a 401, 403 or 5xx although it takes initialize.
func WithEra(era negotiation.Era) Option {
	return func(c *config) error {
		if era != negotiation.EraModern && era != negotiation.EraLegacy {
			return fmt.Errorf("client: can't pin the era to %q: name modern or legacy", era)
		}
		c.pinned = era
		return nil
	}
}

// WithVersions sets the modern versions to use, in order of preference: by
// default all of negotiation.Versions. Legacy versions in it do not count.
func WithVersions(versions ...string) Option {
	return func(c *config) error {
		if firstModern(versions) == "" {
			return errors.New("client: the versions hold no modern one")
		}
		c.rules.Versions = versions
		return nil
	}
}

// WithRule sets what counts as evidence of a legacy server: by default
// negotiation.RuleTable.
func WithRule(rule negotiation.Rule) Option {
	return func(c *config) error {
		c.rules.Rule = rule
		return nil
	}
}

// WithoutConfirmation returns the error of an inconclusive answer to the probe
// at once. By default the client then asks: it sends initialize over HTTP, and
// only a valid InitializeResult counts.
func WithoutConfirmation() Option {
	return func(c *config) error {
		c.confirm = false
		return nil
	}
}

// WithEraCache sets where eras are remembered: by default one cache in memory
// for the whole process, which trusts a verdict for 15 minutes. With a cache of
// your own, answers are no longer kept unless WithResponseCache says so too. nil
// remembers nothing.
func WithEraCache(cache *erecache.Cache) Option {
	return func(c *config) error {
		if cache == nil {
			cache = erecache.New(time.Now, erecache.WithTTL(0))
		}
		c.eras = cache
		if c.responses == defaultResponses {
			c.responses = nil
		}
		return nil
	}
}

// WithEraTTL sets how old a remembered era may be for this client: by default
// what the cache says. Zero trusts none.
func WithEraTTL(ttl time.Duration) Option {
	return func(c *config) error {
		c.eraTTL = &ttl
		return nil
	}
}

// WithProbeTimeout bounds one server/discover exchange of the probe: by
// default 5 s over stdio, 10 s over HTTP. Over stdio initialize follows then,
// and a DiscoverResult that comes late still counts.
func WithProbeTimeout(d time.Duration) Option {
	return func(c *config) error {
		return positive("probe timeout", d, &c.probeTimeout)
	}
}

// WithConnectTimeout bounds the whole of Connect: by default 1 min, or the
// context's deadline if that is sooner.
func WithConnectTimeout(d time.Duration) Option {
	return func(c *config) error {
		return positive("connect timeout", d, &c.connectTimeout)
	}
}

// WithCallTimeout bounds how long a server may take for a request: by default
// 1 min, or the context's deadline if that is sooner. Progress starts the time
// anew; see WithCallLimit. The option Timeout sets it for one call.
func WithCallTimeout(d time.Duration) Option {
	return func(c *config) error {
		return positive("call timeout", d, &c.callTimeout)
	}
}

func positive(what string, d time.Duration, to *time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("client: the %s must be above zero", what)
	}
	*to = d
	return nil
}

// WithRetries sets how often the probe is repeated when the server is down: by
// default 3 times, with the waits of transport.DefaultBackoff; 0 for never.
func WithRetries(n int, backoff transport.Backoff) Option {
	return func(c *config) error {
		if n < 0 {
			return errors.New("client: retries must not be negative")
		}
		if backoff.Min < 0 || backoff.Max < backoff.Min || backoff.MaxAfter < 0 {
			return errors.New("client: a backoff needs 0 <= Min <= Max and 0 <= MaxAfter")
		}
		c.retries, c.backoff = n, backoff
		return nil
	}
}

// WithLogger sets where the client notes what a program need not act on: by
// default nowhere. No secret is ever logged.
func WithLogger(log *slog.Logger) Option {
	return func(c *config) error {
		if log == nil {
			return errors.New("client: the logger must not be nil")
		}
		c.log = log
		return nil
	}
}

// WithTrace calls f for everything that the client sends, gets and decides,
// in order for each request. f must be quick and may be called concurrently.
func WithTrace(f func(Event)) Option {
	return func(c *config) error {
		c.trace = f
		return nil
	}
}
