package conformance

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

// An Option changes one setting of a [Server]. Their order does not matter,
// except that of two options for one setting the later one wins.
type Option func(*config)

type config struct {
	eras         Era
	versions     []string // newest first
	name         string
	version      string
	instructions string

	stateless bool
	lockStdio bool
	tasks     bool
	fixtures  bool
	pageSize  int
	cache     CacheHint
	seed      string

	maxBody       int64
	maxStreams    int
	keepAlive     time.Duration
	lifetime      time.Duration
	cancelTimeout time.Duration
	retry         time.Duration

	tokens           map[string]Principal
	resourceMetadata string
	corsOrigin       string
	corsHeaders      []string

	tools     []Tool
	resources []Resource
	templates []ResourceTemplate
	prompts   []Prompt
}

func newConfig(opts []Option) *config {
	c := &config{
		versions:      []string{"2026-07-28", "2025-11-25", "2025-06-18"},
		name:          "mcpera-reference-server",
		version:       "1.0.0",
		tasks:         true,
		fixtures:      true,
		pageSize:      1000,
		cache:         CacheHint{TTL: time.Minute, Scope: Private},
		maxBody:       4 << 20,
		maxStreams:    1000,
		keepAlive:     15 * time.Second,
		lifetime:      time.Hour,
		cancelTimeout: 5 * time.Second,
		retry:         500 * time.Millisecond,
		corsHeaders: []string{
			"content-type", "authorization", "last-event-id", "mcp-session-id",
			"mcp-protocol-version", "mcp-method", "mcp-name",
		},
	}
	for _, opt := range opts {
		opt(c)
	}
	c.versions = offered(c.versions, c.eras)
	return c
}

// WithEra serves one era only; the default is [Both]. A modern-only server
// refuses initialize and names its versions; a legacy-only one does not look
// at the modern metadata.
func WithEra(e Era) Option { return func(c *config) { c.eras = e } }

// WithVersions sets the protocol versions that the server speaks, newest
// first: by default 2026-07-28, 2025-11-25 and 2025-06-18. Those dated
// 2026-07-28 or later are modern. initialize answers with the first legacy
// one when it is asked for a version that is not in the list.
func WithVersions(versions ...string) Option {
	return func(c *config) { c.versions = slices.Clone(versions) }
}

// WithServerInfo sets the name and version that the server gives itself.
func WithServerInfo(name, version string) Option {
	return func(c *config) { c.name, c.version = name, version }
}

// WithInstructions sets the guidance that server/discover and initialize
// return. There is none by default.
func WithInstructions(text string) Option { return func(c *config) { c.instructions = text } }

// WithStateless makes legacy requests over HTTP independent of each other: no
// session id, no GET stream, no server requests, and 405 for GET and DELETE.
// By default initialize opens a session, which later requests must name.
func WithStateless() Option { return func(c *config) { c.stateless = true } }

// WithStdioLock makes the first initialize over stdio turn the connection
// into a legacy one, which no longer looks at the modern metadata. By default
// both eras stay open.
func WithStdioLock() Option { return func(c *config) { c.lockStdio = true } }

// WithoutTasks turns the extension io.modelcontextprotocol/tasks off.
func WithoutTasks() Option { return func(c *config) { c.tasks = false } }

// WithoutFixtures leaves out the built-in tools, resources and prompts.
func WithoutFixtures() Option { return func(c *config) { c.fixtures = false } }

// WithPageSize sets how many items a list result holds before it gives a
// cursor: 1,000 by default. It panics unless n is positive.
func WithPageSize(n int) Option {
	mustBePositive("page size", n)
	return func(c *config) { c.pageSize = n }
}

// WithCacheHint sets the hint of results that have none of their own: by
// default one minute, private. It panics on a negative TTL.
func WithCacheHint(h CacheHint) Option {
	if h.TTL < 0 {
		panic("conformance: negative cache TTL")
	}
	h.Scope = cmp.Or(h.Scope, Private)
	return func(c *config) { c.cache = h }
}

// WithSeed derives session ids, task ids and the key of requestState from
// seed. Without it they are random.
func WithSeed(seed string) Option { return func(c *config) { c.seed = seed } }

// WithMaxBody bounds the body of a POST and a line of stdio, in bytes: 4 MiB
// by default. It panics unless n is positive.
func WithMaxBody(n int64) Option {
	mustBePositive("body limit", n)
	return func(c *config) { c.maxBody = n }
}

// WithMaxStreams bounds how many event streams are open at once, those of
// subscriptions/listen and of GET among them: 1,000 by default. It panics
// unless n is positive.
func WithMaxStreams(n int) Option {
	mustBePositive("stream limit", n)
	return func(c *config) { c.maxStreams = n }
}

// WithKeepAlive sets the time between keep-alive comments on a silent stream:
// 15 s by default. It panics unless d is positive.
func WithKeepAlive(d time.Duration) Option {
	mustBePositive("keep-alive interval", d)
	return func(c *config) { c.keepAlive = d }
}

// WithStreamLifetime sets for how long one request may be answered, or one
// subscription stay open: 1 h by default. It panics unless d is positive.
func WithStreamLifetime(d time.Duration) Option {
	mustBePositive("stream lifetime", d)
	return func(c *config) { c.lifetime = d }
}

// WithCancelTimeout sets for how long a cancelled tool may go on before the
// server gives up on its answer: 5 s by default. It panics unless d is
// positive.
func WithCancelTimeout(d time.Duration) Option {
	mustBePositive("cancel timeout", d)
	return func(c *config) { c.cancelTimeout = d }
}

// WithRetry sets the reconnection time that a resumable legacy stream tells
// its client: 500 ms by default. It panics unless d is positive.
func WithRetry(d time.Duration) Option {
	mustBePositive("retry time", d)
	return func(c *config) { c.retry = d }
}

// WithBearerTokens turns authentication on over HTTP: a request must carry one
// of the tokens, and acts for the principal behind it.
func WithBearerTokens(tokens map[string]Principal) Option {
	return func(c *config) { c.tokens = maps.Clone(tokens) }
}

// WithResourceMetadata sets the URL that the challenges of 401 and 403 give as
// resource_metadata. There is none by default.
func WithResourceMetadata(url string) Option { return func(c *config) { c.resourceMetadata = url } }

// WithCORS lets pages of one origin ("https://app.example", or "*") call the
// server. Headers are request headers to allow beside those of the protocol;
// a browser client of a tool with Mcp-Param-* headers needs them here.
func WithCORS(origin string, headers ...string) Option {
	return func(c *config) {
		c.corsOrigin = origin
		c.corsHeaders = append(slices.Clip(c.corsHeaders), headers...)
	}
}

// WithTools adds tools. One with the name of a built-in tool replaces it.
func WithTools(tools ...Tool) Option {
	return func(c *config) { c.tools = append(c.tools, tools...) }
}

// WithResources adds resources. One with the URI of a built-in resource
// replaces it.
func WithResources(resources ...Resource) Option {
	return func(c *config) { c.resources = append(c.resources, resources...) }
}

// WithResourceTemplates adds resource templates. One with the template of a
// built-in one replaces it.
func WithResourceTemplates(templates ...ResourceTemplate) Option {
	return func(c *config) { c.templates = append(c.templates, templates...) }
}

// WithPrompts adds prompts. One with the name of a built-in prompt replaces it.
func WithPrompts(prompts ...Prompt) Option {
	return func(c *config) { c.prompts = append(c.prompts, prompts...) }
}

func mustBePositive[T int | int64 | time.Duration](what string, v T) {
	if v <= 0 {
		panic(fmt.Sprintf("conformance: %s must be positive, not %v", what, v))
	}
}
