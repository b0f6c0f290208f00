package responsecache_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/client/responsecache"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A clock stands still until a test moves it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// tools is a request that tests start from.
func tools() responsecache.Request {
	return responsecache.Request{
		Endpoint: "https://h/mcp?", Principal: "alice", Method: "tools/list",
		Params: []byte(`{}`), Variant: []byte(`{"v":1}`),
	}
}

// keep keeps result as the answer to r.
func keep(t *testing.T, c *responsecache.Cache, r responsecache.Request, result string) {
	t.Helper()
	f := c.Begin(r)
	defer f.End()
	if err := f.Keep(t.Context(), jsontext.Value(result)); err != nil {
		t.Fatal(err)
	}
}

// kept returns what is kept as the answer to r, "" for nothing.
func kept(t *testing.T, c *responsecache.Cache, r responsecache.Request, stale time.Duration) string {
	t.Helper()
	result, ok, err := c.Load(t.Context(), r, stale)
	if err != nil {
		t.Fatal(err)
	}
	if !ok && result != nil {
		t.Errorf("Load returned %s and false", result)
	}
	return string(result)
}

// slow is a Store that waits and fails when it is told to. It is no *Memory, so
// that a Cache can't know that it does not.
type slow struct {
	responsecache.Store
	fail error
	hang bool

	mu    sync.Mutex
	calls map[string]int
}

func newSlow() *slow {
	return &slow{Store: responsecache.NewMemory(0, 0), calls: make(map[string]int)}
}

func (s *slow) called(ctx context.Context, name string) error {
	s.mu.Lock()
	s.calls[name]++
	s.mu.Unlock()
	if s.hang {
		<-ctx.Done()
		return ctx.Err()
	}
	return s.fail
}

func (s *slow) Load(ctx context.Context, key responsecache.Key) (responsecache.Entry, bool, error) {
	if err := s.called(ctx, "Load"); err != nil {
		return responsecache.Entry{}, false, err
	}
	return s.Store.Load(ctx, key)
}

func (s *slow) Save(ctx context.Context, key responsecache.Key, entry responsecache.Entry) error {
	return errors.Join(s.called(ctx, "Save"), s.Store.Save(ctx, key, entry))
}

func (s *slow) Delete(ctx context.Context, key responsecache.Key) error {
	return errors.Join(s.called(ctx, "Delete"), s.Store.Delete(ctx, key))
}

func (s *slow) Drop(ctx context.Context, topic responsecache.Topic) error {
	if err := s.called(ctx, "Drop"); err != nil {
		return err
	}
	return s.Store.Drop(ctx, topic)
}
