package soak_test

import (
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"
)

// A dice is a source of chance that many may use.
type dice struct {
	mu sync.Mutex
	r  *rand.Rand
}

func newDice(seed, stream uint64) *dice { return &dice{r: rand.New(rand.NewPCG(seed, stream))} }

// roll returns a number from 0 to n-1.
func (d *dice) roll(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.r.IntN(n)
}

// A faultyListener accepts connections that may break.
type faultyListener struct {
	net.Listener
	dice *dice
}

func (l faultyListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil || l.dice.roll(2) == 0 {
		return conn, err
	}
	return &faultyConn{
		Conn: conn, left: l.dice.roll(6000), how: fate(l.dice.roll(int(fates))), closed: make(chan struct{}),
	}, nil
}

// A fate is how a connection breaks.
type fate int

const (
	ends fate = iota
	resets
	stalls
	fates
)

// A faultyConn breaks after some bytes of what the server says. Only the server
// writes to it, one response after the other.
type faultyConn struct {
	net.Conn
	left   int
	how    fate
	once   sync.Once
	closed chan struct{}
}

// stallTime is how long a stalled connection stays open: longer than any call.
const stallTime = time.Second

func (c *faultyConn) Write(p []byte) (int, error) {
	if len(p) <= c.left {
		c.left -= len(p)
		return c.Conn.Write(p)
	}
	n, _ := c.Conn.Write(p[:c.left])
	c.left = 0
	switch c.how {
	case resets:
		if tcp, ok := c.Conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // makes Close send RST
		}
	case stalls:
		timer := time.NewTimer(stallTime)
		defer timer.Stop()
		select {
		case <-c.closed:
		case <-timer.C:
		}
	}
	_ = c.Close()
	return n, net.ErrClosed
}

func (c *faultyConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// refusals are what a server says at times in place of an answer.
var refusals = []int{400, 401, 403, 404, 405, 406, 408, 429, 500, 502, 503, 504, 202, 204, 302}

// refuse refuses one request in ten, and lets one in forty wait.
func refuse(d *dice, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch d.roll(40) {
		case 0:
			_, _ = io.Copy(io.Discard, r.Body) // else net/http does not notice that the client has left
			<-r.Context().Done()
		case 1, 2, 3, 4:
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(refusals[d.roll(len(refusals))])
		default:
			next.ServeHTTP(w, r)
		}
	})
}
