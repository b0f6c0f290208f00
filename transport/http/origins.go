package http

import "sync"

// maxOrigins bounds how many origins something is kept for.
const maxOrigins = 1000

// origins keeps a value for each origin.
type origins[T any] struct {
	create func(origin string) T
	idle   func(T) bool // the value is as good as a new one

	mu sync.Mutex
	of map[string]T
}

// get returns the value of an origin. When there are too many, idle ones make
// room, and if there are none, any one.
func (o *origins[T]) get(origin string) T {
	o.mu.Lock()
	defer o.mu.Unlock()
	if v, ok := o.of[origin]; ok {
		return v
	}
	if len(o.of) >= maxOrigins {
		o.makeRoom()
	}
	if o.of == nil {
		o.of = make(map[string]T)
	}
	v := o.create(origin)
	o.of[origin] = v
	return v
}

func (o *origins[T]) makeRoom() {
	for origin, v := range o.of {
		if o.idle(v) {
			delete(o.of, origin)
		}
	}
	for origin := range o.of {
		if len(o.of) < maxOrigins {
			return
		}
		delete(o.of, origin)
	}
}
