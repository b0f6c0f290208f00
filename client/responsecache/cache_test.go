package responsecache_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/client/responsecache"
)

const day = 24 * time.Hour

// M-CCH-03, B110.
func TestFreshness(t *testing.T) {
	for name, tc := range map[string]struct {
		hint  string
		fresh time.Duration // the first age at which it is stale
	}{
		"100 ms are 100 ms":             {`"ttlMs":100`, 100 * time.Millisecond},
		"one millisecond":               {`"ttlMs":1`, time.Millisecond},
		"a fraction":                    {`"ttlMs":1.5`, 1500 * time.Microsecond},
		"absent is stale at once":       {`"other":1`, 0},
		"zero is stale at once":         {`"ttlMs":0`, 0},
		"negative is stale at once":     {`"ttlMs":-5`, 0},
		"null is stale at once":         {`"ttlMs":null`, 0},
		"a string is stale at once":     {`"ttlMs":"60000"`, 0},
		"an object is stale at once":    {`"ttlMs":{"ms":5}`, 0},
		"a day is a day":                {`"ttlMs":86400000`, day},
		"a millisecond more is a day":   {`"ttlMs":86400001`, day},
		"1e18 is a day":                 {`"ttlMs":1e18`, day},
		"more than a float is a day":    {`"ttlMs":1e999`, day},
		"beyond an int64 is a day":      {`"ttlMs":9223372036854775808`, day},
		"a wrong-case name is absent":   {`"TTLms":60000`, 0},
		"a scope of no type is private": {`"ttlMs":100,"cacheScope":7`, 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			now := newClock()
			c := responsecache.New(now.Now)
			result := `{` + tc.hint + `}`
			keep(t, c, tools(), result)
			if tc.fresh > 0 {
				now.advance(tc.fresh - 1)
				if got := kept(t, c, tools(), 0); got != result {
					t.Errorf("a nanosecond before its end: %q, want it fresh", got)
				}
				now.advance(1)
			}
			if got := kept(t, c, tools(), 0); got != "" {
				t.Errorf("at its end: %q, want it stale", got)
			}
		})
	}
}

func TestWhatIsNoObjectIsNotKept(t *testing.T) {
	c := responsecache.New(newClock().Now)
	for _, result := range []string{``, `7`, `null`, `[]`, `{"ttlMs":5`, `{"ttlMs":5,"ttlMs":5}`} {
		keep(t, c, tools(), result)
		if got := kept(t, c, tools(), 0); got != "" {
			t.Errorf("%s is kept as %s", result, got)
		}
	}
}

// M-CCH-06.
func TestStale(t *testing.T) {
	for name, tc := range map[string]struct {
		age, stale time.Duration
		want       bool
	}{
		"fresh needs no patience":           {time.Second - 1, 0, true},
		"expired for less than allowed":     {time.Second + time.Minute - 1, time.Minute, true},
		"expired for as long as allowed":    {time.Second + time.Minute, time.Minute, false},
		"without an allowance":              {time.Second, 0, false},
		"a negative allowance is none":      {time.Second, -time.Hour, false},
		"the longest allowance":             {1000 * day, 1<<63 - 1, true},
		"from the future, the clock is off": {-1, 1<<63 - 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			now := newClock()
			c := responsecache.New(now.Now)
			keep(t, c, tools(), `{"ttlMs":1000}`)
			now.advance(tc.age)
			if got := kept(t, c, tools(), tc.stale) != ""; got != tc.want {
				t.Errorf("given out: %v, want %v", got, tc.want)
			}
		})
	}
}

// M-CCH-01 and M-CCH-07, B110.
func TestWhoGetsAnAnswer(t *testing.T) {
	with := func(change func(*responsecache.Request)) responsecache.Request {
		r := tools()
		change(&r)
		return r
	}
	for name, tc := range map[string]struct {
		request         responsecache.Request
		private, public bool
	}{
		"the same request":            {tools(), true, true},
		"another principal":           {with(func(r *responsecache.Request) { r.Principal = "bob" }), false, true},
		"nobody":                      {with(func(r *responsecache.Request) { r.Principal = "" }), false, true},
		"another endpoint":            {with(func(r *responsecache.Request) { r.Endpoint += "tenant=2" }), false, false},
		"another method":              {with(func(r *responsecache.Request) { r.Method = "prompts/list" }), false, false},
		"another resource":            {with(func(r *responsecache.Request) { r.URI = "a:b" }), false, false},
		"another page":                {with(func(r *responsecache.Request) { r.Params = []byte(`{"cursor":""}`) }), false, false},
		"another version, say":        {with(func(r *responsecache.Request) { r.Variant = nil }), false, false},
		"params that moved elsewhere": {with(func(r *responsecache.Request) { r.Params, r.Variant = []byte(`{}{"v":1}`), nil }), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			for scope, want := range map[string]bool{
				`"private"`: tc.private, `"public"`: tc.public, `"PUBLIC"`: tc.private, `"shared"`: tc.private,
				`null`: tc.private, `["public"]`: tc.private,
			} {
				c := responsecache.New(newClock().Now)
				keep(t, c, tools(), `{"ttlMs":1000,"cacheScope":`+scope+`}`)
				if got := kept(t, c, tc.request, 0) != ""; got != want {
					t.Errorf("scope %s: given out %v, want %v", scope, got, want)
				}
			}
		})
	}
	t.Run("nobody's private answer is not everyone's", func(t *testing.T) {
		c := responsecache.New(newClock().Now)
		nobody := with(func(r *responsecache.Request) { r.Principal = "" })
		keep(t, c, nobody, `{"ttlMs":1000}`)
		if kept(t, c, nobody, 0) == "" || kept(t, c, tools(), 0) != "" {
			t.Error("an answer without credentials is for requests without credentials")
		}
	})
}

func TestTheNewestAnswerCounts(t *testing.T) {
	const public, private = `{"ttlMs":60000,"cacheScope":"public"}`, `{"ttlMs":60000,"cacheScope":"private"}`
	for name, tc := range map[string]struct{ first, second, want string }{
		"public after private":             {private, public, public},
		"private after public":             {public, private, private},
		"one that may not be kept":         {private, `{"ttlMs":0}`, ""},
		"one that may not be kept, public": {public, `{}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			now := newClock()
			c := responsecache.New(now.Now)
			keep(t, c, tools(), tc.first)
			now.advance(time.Second)
			keep(t, c, tools(), tc.second)
			if got := kept(t, c, tools(), 0); got != tc.want {
				t.Errorf("kept %s, want %s", got, tc.want)
			}
		})
	}
}

func TestAnswersBelongToTheirCallers(t *testing.T) {
	c := responsecache.New(newClock().Now)
	given := jsontext.Value(`{"ttlMs":1000}`)
	f := c.Begin(tools())
	if err := f.Keep(t.Context(), given); err != nil {
		t.Fatal(err)
	}
	f.End()
	given[2] = 'X'
	got, _, _ := c.Load(t.Context(), tools(), 0)
	got[3] = 'X'
	if again := kept(t, c, tools(), 0); again != `{"ttlMs":1000}` {
		t.Errorf("a caller changed what is kept: %s", again)
	}
}

// stores are the kinds of Store that a Cache treats differently.
var stores = map[string]func() responsecache.Store{
	"in memory": func() responsecache.Store { return responsecache.NewMemory(0, 0) },
	"elsewhere": func() responsecache.Store { return newSlow() },
}

// M-CCH-08, M-CCH-10.
func TestDrop(t *testing.T) {
	page2, bob, prompts, elsewhere := tools(), tools(), tools(), tools()
	page2.Params, bob.Principal, prompts.Method = []byte(`{"cursor":"2"}`), "bob", "prompts/list"
	elsewhere.Endpoint = "https://other/?"
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			now := newClock()
			c := responsecache.New(now.Now, responsecache.WithStore(open()))
			for _, r := range []responsecache.Request{tools(), page2, bob, prompts, elsewhere} {
				keep(t, c, r, `{"ttlMs":1000}`)
			}
			pending := c.Drop(tools().Topic())
			for round := range 2 {
				for _, r := range []responsecache.Request{tools(), page2, bob} {
					if kept(t, c, r, time.Hour) != "" {
						t.Errorf("round %d: %s %s of %s is still given out", round, r.Method, r.Params, r.Principal)
					}
				}
				for _, r := range []responsecache.Request{prompts, elsewhere} {
					if kept(t, c, r, 0) == "" {
						t.Errorf("round %d: %s of %s went too", round, r.Method, r.Endpoint)
					}
				}
				if pending != (name == "elsewhere") {
					t.Errorf("Drop reports %v", pending)
				}
				if err := c.Flush(t.Context()); err != nil {
					t.Error(err)
				}
			}
			now.advance(1)
			keep(t, c, tools(), `{"ttlMs":1000,"again":true}`)
			if kept(t, c, tools(), 0) == "" {
				t.Error("what came after the drop is not kept")
			}
		})
	}
}

func TestAnAnswerFromBeforeADropIsNotKept(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			now := newClock()
			c := responsecache.New(now.Now, responsecache.WithStore(open()))
			late, other := c.Begin(tools()), tools()
			other.Method = "prompts/list"
			unrelated := c.Begin(other)
			c.Drop(tools().Topic())
			now.advance(time.Second)
			for _, f := range []*responsecache.Fetch{late, unrelated} {
				if err := f.Keep(t.Context(), jsontext.Value(`{"ttlMs":1000}`)); err != nil {
					t.Fatal(err)
				}
				f.End()
			}
			if kept(t, c, tools(), time.Hour) != "" {
				t.Error("an answer was kept that may be from before the change")
			}
			if kept(t, c, other, 0) == "" {
				t.Error("an answer about something else was not kept")
			}
		})
	}
}

// saving is a Store that lets a test in before a Save.
type saving struct {
	responsecache.Store
	before func()
}

func (s *saving) Save(ctx context.Context, key responsecache.Key, entry responsecache.Entry) error {
	s.before()
	return s.Store.Save(ctx, key, entry)
}

func TestADropDuringASaveWins(t *testing.T) {
	store := &saving{Store: responsecache.NewMemory(0, 0)}
	now := newClock()
	c := responsecache.New(now.Now, responsecache.WithStore(store))
	store.before = func() {
		c.Drop(tools().Topic())
		if err := c.Flush(t.Context()); err != nil { // all of the Drop is over before the Save
			t.Error(err)
		}
	}
	keep(t, c, tools(), `{"ttlMs":1000}`)
	if got := kept(t, c, tools(), time.Hour); got != "" {
		t.Errorf("kept %s", got)
	}
}

// dropping is a Store that lets a test in after a Drop.
type dropping struct {
	responsecache.Store
	after func()
}

func (s *dropping) Drop(ctx context.Context, topic responsecache.Topic) error {
	defer s.after()
	return s.Store.Drop(ctx, topic)
}

func TestADropDuringAFlushIsNotLost(t *testing.T) {
	store := &dropping{Store: responsecache.NewMemory(0, 0)}
	now := newClock()
	c := responsecache.New(now.Now, responsecache.WithStore(store))
	drops := 0
	store.after = func() {
		if drops++; drops > 1 {
			return
		}
		now.advance(1)
		keep(t, c, tools(), `{"ttlMs":60000}`)
		c.Drop(tools().Topic())
		if err := c.Flush(t.Context()); err != nil { // leaves it to the one under way
			t.Error(err)
		}
	}
	c.Drop(tools().Topic())
	if err := c.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, c, tools(), time.Hour); got != "" || drops != 2 {
		t.Errorf("kept %q after %d drops in the store, want nothing after 2", got, drops)
	}
}

func TestAFailingStore(t *testing.T) {
	down := errors.New("the disk is full")
	store := newSlow()
	now := newClock()
	c := responsecache.New(now.Now, responsecache.WithStore(store))
	keep(t, c, tools(), `{"ttlMs":60000}`)

	store.fail = down
	if result, ok, err := c.Load(t.Context(), tools(), 0); ok || result != nil || !errors.Is(err, down) {
		t.Errorf("Load = %s, %v, %v", result, ok, err)
	}
	f := c.Begin(tools())
	for _, result := range []string{`{"ttlMs":5}`, `{"ttlMs":0}`} {
		if err := f.Keep(t.Context(), jsontext.Value(result)); !errors.Is(err, down) {
			t.Errorf("Keep(%s) = %v", result, err)
		}
	}
	f.End()

	store.fail = nil
	keep(t, c, tools(), `{"ttlMs":60000}`)
	store.fail = down
	c.Drop(tools().Topic())
	if err := c.Flush(t.Context()); !errors.Is(err, down) {
		t.Errorf("Flush = %v", err)
	}
	store.fail = nil
	if got := kept(t, c, tools(), 0); got != "" {
		t.Errorf("what could not be deleted is given out: %s", got)
	}
	if err := c.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	if n := store.calls["Drop"]; n != 2 {
		t.Errorf("the store was told %d times, want twice: it had failed once", n)
	}
}

func TestAStoreThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlow()
		store.hang = true
		c := responsecache.New(time.Now, responsecache.WithStore(store))
		start := time.Now()
		if _, ok, err := c.Load(t.Context(), tools(), 0); ok || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Load = %v, %v", ok, err)
		}
		f := c.Begin(tools())
		defer f.End()
		if err := f.Keep(t.Context(), jsontext.Value(`{"ttlMs":5}`)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Keep = %v", err)
		}
		c.Drop(tools().Topic())
		if err := c.Flush(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Flush = %v", err)
		}
		if took := time.Since(start); took != 6*time.Second {
			t.Errorf("three calls took %v, want 2 s each", took)
		}
	})
}

func TestDropsAreBounded(t *testing.T) {
	store := newSlow()
	now := newClock()
	c := responsecache.New(now.Now, responsecache.WithStore(store))
	keep(t, c, tools(), `{"ttlMs":60000}`)
	for i := range 5000 {
		c.Drop(responsecache.TopicOf("https://h/mcp?", "resources/read", fmt.Sprint("a:", i)))
	}
	if kept(t, c, tools(), 0) != "" {
		t.Error("when too much was dropped, all that was kept before counts as dropped")
	}
	now.advance(1)
	keep(t, c, tools(), `{"ttlMs":60000}`)
	c.Drop(responsecache.TopicOf("https://h/mcp?", "resources/read", "a:last"))
	if kept(t, c, tools(), 0) == "" {
		t.Error("what came after the flood went with the next drop")
	}
	if err := c.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := store.calls["Drop"]; n > 1024 {
		t.Errorf("%d topics waited, want at most 1024", n)
	}
	now.advance(1)
	keep(t, c, tools(), `{"ttlMs":60000}`)
	if kept(t, c, tools(), 0) == "" {
		t.Error("nothing is kept any more")
	}
}

// A Store that is not ours may hold anything.
func TestAStoreIsNotTrusted(t *testing.T) {
	now := newClock()
	for name, tc := range map[string]struct {
		entry responsecache.Entry
		want  bool
	}{
		"a row as it should be":      {responsecache.Entry{ReceivedAt: now.Now(), TTL: time.Hour}, true},
		"a TTL beyond a day":         {responsecache.Entry{ReceivedAt: now.Now().Add(-day), TTL: 2 * day}, false},
		"no TTL":                     {responsecache.Entry{ReceivedAt: now.Now()}, false},
		"a negative TTL":             {responsecache.Entry{ReceivedAt: now.Now(), TTL: -1}, false},
		"from the future":            {responsecache.Entry{ReceivedAt: now.Now().Add(1), TTL: time.Hour}, false},
		"from the beginning of time": {responsecache.Entry{TTL: 1<<63 - 1}, false},
	} {
		t.Run(name, func(t *testing.T) {
			tc.entry.Result = jsontext.Value(`{}`)
			c := responsecache.New(now.Now, responsecache.WithStore(always{tc.entry}))
			if got := kept(t, c, tools(), 0) != ""; got != tc.want {
				t.Errorf("given out: %v, want %v", got, tc.want)
			}
		})
	}
}

// always is a Store that has one answer to everything.
type always struct{ entry responsecache.Entry }

func (a always) Load(context.Context, responsecache.Key) (responsecache.Entry, bool, error) {
	return a.entry, true, nil
}
func (always) Save(context.Context, responsecache.Key, responsecache.Entry) error { return nil }
func (always) Delete(context.Context, responsecache.Key) error                    { return nil }
func (always) Drop(context.Context, responsecache.Topic) error                    { return nil }

func TestKeysHoldNoSecrets(t *testing.T) {
	var seen []responsecache.Key
	store := &recording{Store: responsecache.NewMemory(0, 0), seen: &seen}
	c := responsecache.New(newClock().Now, responsecache.WithStore(store))
	r := responsecache.Request{
		Endpoint: "https://h/SECRET?SECRET", Principal: "SECRET", Method: "resources/read", URI: "a:SECRET",
		Params: []byte(`{"uri":"a:SECRET"}`), Variant: []byte(`SECRET`),
	}
	keep(t, c, r, `{"ttlMs":1000}`)
	if len(seen) == 0 {
		t.Fatal("nothing was kept")
	}
	for _, key := range seen {
		if text := fmt.Sprintf("%+v", key); strings.Contains(text, "SECRET") {
			t.Errorf("a key shows a secret: %s", text)
		}
	}
}

type recording struct {
	responsecache.Store
	seen *[]responsecache.Key
}

func (s *recording) Save(ctx context.Context, key responsecache.Key, entry responsecache.Entry) error {
	*s.seen = append(*s.seen, key)
	return s.Store.Save(ctx, key, entry)
}

// Run with -race. After a drop no call gets what was kept before it.
func TestConcurrentUse(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			c := responsecache.New(time.Now, responsecache.WithStore(open()))
			var wg sync.WaitGroup
			for worker := range 16 {
				r := tools()
				r.Params = fmt.Appendf(nil, `{"cursor":"%d"}`, worker%4)
				wg.Go(func() {
					for round := range 100 {
						if round%10 == 0 && c.Drop(r.Topic()) {
							if err := c.Flush(t.Context()); err != nil {
								t.Error(err)
							}
						}
						f := c.Begin(r)
						if err := f.Keep(t.Context(), jsontext.Value(`{"ttlMs":60000,"cursor":`+string(r.Params)+`}`)); err != nil {
							t.Error(err)
						}
						f.End()
						if got := kept(t, c, r, 0); got != "" && !strings.Contains(got, string(r.Params)) {
							t.Errorf("%s has the answer %s", r.Params, got)
						}
					}
				})
			}
			wg.Wait()
			c.Drop(tools().Topic())
			for worker := range 4 {
				r := tools()
				r.Params = fmt.Appendf(nil, `{"cursor":"%d"}`, worker)
				if got := kept(t, c, r, 0); got != "" {
					t.Errorf("given out after the drop: %s", got)
				}
			}
		})
	}
}
