package responsecache_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client/responsecache"
)

func keyOf(topic, request string) responsecache.Key {
	return responsecache.Key{Topic: responsecache.TopicOf("h", topic, ""), Request: request}
}

func sized(n int) responsecache.Entry {
	return responsecache.Entry{Result: jsontext.Value(`"` + strings.Repeat("x", n-2) + `"`), TTL: time.Second}
}

// holds returns which of the keys have a row.
func holds(t *testing.T, m *responsecache.Memory, keys ...responsecache.Key) string {
	t.Helper()
	var held strings.Builder
	for _, key := range keys {
		if _, ok, err := m.Load(t.Context(), key); err != nil {
			t.Fatal(err)
		} else if ok {
			held.WriteString(key.Request)
		}
	}
	return held.String()
}

func save(t *testing.T, m *responsecache.Memory, key responsecache.Key, entry responsecache.Entry) {
	t.Helper()
	if err := m.Save(t.Context(), key, entry); err != nil {
		t.Fatal(err)
	}
}

func TestMemoryBounds(t *testing.T) {
	a, b, c := keyOf("t", "a"), keyOf("t", "b"), keyOf("u", "c")
	t.Run("what was not used for longest makes room", func(t *testing.T) {
		m := responsecache.NewMemory(2, 0)
		save(t, m, a, sized(10))
		save(t, m, b, sized(10))
		holds(t, m, a)
		save(t, m, c, sized(10))
		if got := holds(t, m, a, b, c); got != "ac" {
			t.Errorf("holds %s, want a and c", got)
		}
	})
	t.Run("bytes are bounded, each row counted with its key", func(t *testing.T) {
		m := responsecache.NewMemory(0, 8192)
		for i := range 100 {
			save(t, m, keyOf("t", fmt.Sprint(i)), sized(512))
		}
		held := 0
		for i := range 100 {
			if holds(t, m, keyOf("t", fmt.Sprint(i))) != "" {
				held++
			}
		}
		if held != 8 {
			t.Errorf("holds %d rows of 1 KiB, want 8", held)
		}
	})
	t.Run("one huge answer does not clear the rest", func(t *testing.T) {
		m := responsecache.NewMemory(0, 8192)
		save(t, m, a, sized(10))
		save(t, m, b, sized(10))
		save(t, m, b, sized(2048-512+1)) // more than a quarter
		save(t, m, c, sized(2048-512))
		if got := holds(t, m, a, b, c); got != "ac" {
			t.Errorf("holds %s, want a and c; b was replaced by something too large", got)
		}
	})
	t.Run("a row that is replaced counts once", func(t *testing.T) {
		m := responsecache.NewMemory(2, 4096)
		save(t, m, a, sized(10))
		for range 100 {
			save(t, m, b, sized(500))
		}
		if got := holds(t, m, a, b); got != "ab" {
			t.Errorf("holds %s, want a and b", got)
		}
	})
	t.Run("what is deleted counts no more", func(t *testing.T) {
		m := responsecache.NewMemory(0, 4096)
		for range 100 {
			save(t, m, b, sized(500))
			save(t, m, c, sized(500))
			if err := m.Delete(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			if err := m.Drop(t.Context(), c.Topic); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 4 {
			save(t, m, keyOf("t", fmt.Sprint(i)), sized(512))
		}
		if got := holds(t, m, keyOf("t", "0"), keyOf("t", "1"), keyOf("t", "2"), keyOf("t", "3")); got != "0123" {
			t.Errorf("holds %s, want all four", got)
		}
	})
}

func TestMemoryIsAStore(t *testing.T) {
	a, b, c := keyOf("t", "a"), keyOf("t", "b"), keyOf("u", "c")
	m := responsecache.NewMemory(0, 0)
	for _, err := range []error{m.Delete(t.Context(), a), m.Drop(t.Context(), a.Topic)} {
		if err != nil {
			t.Errorf("a missing row is an error: %v", err)
		}
	}
	want := responsecache.Entry{
		Result: jsontext.Value(`{"a":1}`), ReceivedAt: time.Date(1999, 1, 1, 0, 0, 0, 1, time.UTC), TTL: -5,
	}
	save(t, m, a, want)
	got, ok, err := m.Load(t.Context(), a)
	if diff := cmp.Diff(want, got); diff != "" || !ok || err != nil {
		t.Errorf("Load = %v, %v (-want +got):\n%s", ok, err, diff)
	}
	save(t, m, b, want)
	save(t, m, c, want)
	if err := m.Delete(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if got := holds(t, m, a, b, c); got != "bc" {
		t.Errorf("after Delete(a) it holds %s", got)
	}
	if err := m.Drop(t.Context(), b.Topic); err != nil {
		t.Fatal(err)
	}
	if got := holds(t, m, a, b, c); got != "c" {
		t.Errorf("after Drop(t) it holds %s", got)
	}
}

func BenchmarkLoad(b *testing.B) {
	c := responsecache.New(time.Now)
	f := c.Begin(tools())
	if err := f.Keep(b.Context(), jsontext.Value(`{"ttlMs":86400000,"tools":"`+strings.Repeat("x", 4096)+`"}`)); err != nil {
		b.Fatal(err)
	}
	f.End()
	b.ReportAllocs()
	for b.Loop() {
		if _, ok, _ := c.Load(b.Context(), tools(), 0); !ok {
			b.Fatal("nothing is kept")
		}
	}
}
