package responsecache

import (
	"context"
	"time"
)

// maxDrops bounds how many topics wait to be deleted from the Store.
const maxDrops = 1024

// drops are the topics that the server changed and the Store may still hold.
// Their rows are not given out.
type drops struct {
	last    uint64
	topics  map[Topic]drop
	before  time.Time // rows from then and earlier are not given out
	running bool      // a Flush
}

type drop struct {
	number uint64
	at     time.Time // rows from then and earlier are meant
}

// add notes a topic. When too many wait, all that was kept so far counts as
// dropped: that costs requests, and no memory.
func (d *drops) add(topic Topic, now time.Time) {
	if d.topics == nil {
		d.topics = make(map[Topic]drop)
	}
	if _, known := d.topics[topic]; !known && len(d.topics) >= maxDrops {
		d.before = now
		clear(d.topics)
		return
	}
	d.last++
	d.topics[topic] = drop{d.last, now}
}

// hold reports whether a row was dropped.
func (d *drops) hold(topic Topic, e Entry) bool {
	if !e.ReceivedAt.After(d.before) {
		return true
	}
	dropped, ok := d.topics[topic]
	return ok && !e.ReceivedAt.After(dropped.at)
}

// next returns a topic that was noted after the drop with number after.
func (d *drops) next(after uint64) (Topic, drop, bool) {
	var found Topic
	var first drop
	for topic, dropped := range d.topics {
		if dropped.number > after && (first.number == 0 || dropped.number < first.number) {
			found, first = topic, dropped
		}
	}
	return found, first, first.number != 0
}

// Drop makes all answers on the topics stale at once, for every principal, and
// those that are on their way. It never waits. It reports whether the Store
// still holds them, so that Flush has something to do.
//
// Source: MCP 2026-07-28, server/utilities/caching, "Interaction with
// Notifications".
func (c *Cache) Drop(topics ...Topic) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	for _, topic := range topics {
		for f := range c.fetches {
			f.overtaken = f.overtaken || f.topic == topic
		}
		if c.memory {
			_ = c.store.Drop(context.Background(), topic) // neither waits nor fails
		} else {
			c.drops.add(topic, now)
		}
	}
	return !c.memory
}

// Flush deletes from the Store what Drop dropped. Where another Flush does so
// already, it returns at once. What the Store fails to delete stays dropped for
// this Cache, and the next Flush tries again. The error is the Store's first
// one, there to be logged.
func (c *Cache) Flush(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.drops.running {
		return nil
	}
	c.drops.running = true
	defer func() { c.drops.running = false }()
	var failed error
	for tried := uint64(0); ; {
		topic, dropped, ok := c.drops.next(tried)
		if !ok {
			return failed
		}
		tried = dropped.number
		err := c.flush(ctx, topic)
		switch {
		case err != nil && failed == nil:
			failed = err
		case err == nil && c.drops.topics[topic] == dropped:
			delete(c.drops.topics, topic)
		}
	}
}

// flush deletes one topic from the Store, with the mutex released meanwhile.
func (c *Cache) flush(ctx context.Context, topic Topic) error {
	c.mu.Unlock()
	defer c.mu.Lock()
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	return c.store.Drop(ctx, topic)
}
