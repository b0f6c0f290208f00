package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// idleTime is when the second address closes a connection that is not in use.
const idleTime = 50 * time.Millisecond

// ServeHTTP serves sites on two ports of the loopback interface, writes their
// addresses to standard output, and ends when standard input does. The second
// closes idle connections soon.
func ServeHTTP() error {
	sites := new(sites)
	for _, idle := range []time.Duration{0, idleTime} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		s := &http.Server{Handler: sites, IdleTimeout: idle, ReadHeaderTimeout: time.Minute, ConnState: sites.count}
		go func() { _ = s.Serve(l) }() // ends with the process
		fmt.Println(l.Addr())
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// sites are made when they are first asked for.
type sites struct {
	byPath      sync.Map // of *Site
	connections atomic.Int64
}

func (s *sites) count(_ net.Conn, state http.ConnState) {
	if state == http.StateNew {
		s.connections.Add(1)
	}
}

// site returns the site at a path: /modern/20, or /legacy/20/1048576 for one
// that has a text of so many bytes too.
func (s *sites) site(path string) *Site {
	if site, ok := s.byPath.Load(path); ok {
		return site.(*Site)
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	var numbers []int
	for _, part := range parts[1:] {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 {
		return nil
	}
	site, _ := s.byPath.LoadOrStore(path, NewSite(parts[0] == "modern", numbers[0], numbers[1:]...))
	return site.(*Site)
}

func (s *sites) ServeHTTP(w http.ResponseWriter, hreq *http.Request) {
	if hreq.URL.Path == "/connections" {
		fmt.Fprint(w, s.connections.Load())
		return
	}
	site := s.site(hreq.URL.Path)
	switch {
	case site == nil:
		http.NotFound(w, hreq)
		return
	case hreq.Method == http.MethodGet: // no stream outside of requests
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case hreq.Method == http.MethodDelete:
		return
	}
	var r request
	if err := json.NewDecoder(hreq.Body).Decode(&r); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if len(r.ID) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if r.Method == "initialize" {
		w.Header().Set("Mcp-Session-Id", "one")
	}
	if r.Params.Name == EchoSSE || reports(&r) > 0 {
		stream(w, site, &r)
		return
	}
	body := site.response(nil, &r)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

// stream answers with an event stream.
func stream(w http.ResponseWriter, site *Site, r *request) {
	w.Header().Set("Content-Type", "text/event-stream")
	var event []byte
	n := reports(r)
	for i := 1; i <= n; i++ {
		event = append(report(append(event[:0], "event: message\ndata: "...), r, i, n), "\n\n"...)
		_, _ = w.Write(event)
	}
	event = append(site.response(append(event[:0], "event: message\ndata: "...), r), "\n\n"...)
	_, _ = w.Write(event)
}
