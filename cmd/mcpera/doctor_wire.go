package main

import (
	"crypto/tls"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpera/mcpera/client"
)

// A wire is an HTTP transport that notes how the server is reached, and the
// names of headers. It is used concurrently.
type wire struct {
	base *http.Transport

	mu      sync.Mutex
	begun   map[string]time.Time // steps of the first connection
	steps   []step
	sent    map[string]bool // names of headers
	session bool            // the server gave a session id
	stream  int             // the status of the stream outside of calls, 0 for none asked for
}

func newWire() *wire {
	return &wire{
		base:  http.DefaultTransport.(*http.Transport).Clone(),
		begun: make(map[string]time.Time),
		sent:  make(map[string]bool),
	}
}

// CloseIdleConnections lets go of the connections.
func (w *wire) CloseIdleConnections() { w.base.CloseIdleConnections() }

// RoundTrip sends the request and notes what is of interest.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	w.noteSent(req.Header)
	resp, err := w.base.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), w.trace())))
	if err == nil {
		w.noteAnswer(req.Method, resp)
	}
	return resp, err
}

func (w *wire) noteSent(header http.Header) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name := range header {
		w.sent[name] = true
	}
}

func (w *wire) noteAnswer(method string, resp *http.Response) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.session = w.session || resp.Header.Get("Mcp-Session-Id") != ""
	if method == http.MethodGet {
		w.stream = resp.StatusCode
	}
}

// trace notes the steps of a connection.
func (w *wire) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { w.begin("address") },
		DNSDone: func(info httptrace.DNSDoneInfo) {
			var addresses []string
			for _, a := range info.Addrs {
				addresses = append(addresses, a.String())
			}
			w.end("address", strings.Join(addresses, ", "), info.Err)
		},
		ConnectStart: func(_, addr string) { w.begin("connection") },
		ConnectDone:  func(_, addr string, err error) { w.end("connection", "to "+addr, err) },

		TLSHandshakeStart: func() { w.begin("TLS") },
		TLSHandshakeDone:  func(state tls.ConnectionState, err error) { w.end("TLS", describeTLS(state), err) },
	}
}

// begin and end note a step, the first of its name that came to a good end.
func (w *wire) begin(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun[name] = time.Now()
}

func (w *wire) end(name, text string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := step{Name: name, Text: clean(text), Millis: millis(time.Since(w.begun[name]))}
	if err != nil {
		s.Text, s.Problem = clean(err.Error()), true
	}
	i := slices.IndexFunc(w.steps, func(s step) bool { return s.Name == name })
	switch {
	case i < 0:
		w.steps = append(w.steps, s)
	case w.steps[i].Problem:
		w.steps[i] = s
	}
}

func describeTLS(state tls.ConnectionState) string {
	s := tls.VersionName(state.Version)
	if state.NegotiatedProtocol != "" {
		s += ", " + state.NegotiatedProtocol
	}
	if len(state.PeerCertificates) > 0 {
		s += ", the certificate is good until " + state.PeerCertificates[0].NotAfter.Format(time.DateOnly)
	}
	return s
}

// seen returns what was noted so far.
func (w *wire) seen() (steps []step, headers []string, session bool, stream int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.steps), slices.Sorted(maps.Keys(w.sent)), w.session, w.stream
}

// exchanges notes the requests of a connection in the making, and how long
// their answers took. It is used concurrently.
type exchanges struct {
	mu      sync.Mutex
	stopped bool
	sent    map[string]time.Time // by id
	steps   []step
}

func (x *exchanges) observe(e client.Event) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.stopped || e.Method == "" || e.ID == "":
	case e.Kind == client.Sent:
		if x.sent == nil {
			x.sent = make(map[string]time.Time)
		}
		x.sent[e.ID] = time.Now()
	case e.Kind == client.Received:
		text := e.Answer
		if e.Status != 0 {
			text = strings.TrimSpace(fmt.Sprintf("HTTP %d %s", e.Status, clean(e.ContentType))) + ": " + text
		}
		x.steps = append(x.steps, step{Name: e.Method, Text: text, Millis: millis(time.Since(x.sent[e.ID]))})
	}
}

// stop ends the notes: what follows is asked by doctor itself.
func (x *exchanges) stop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stopped = true
}

func (x *exchanges) seen() []step {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.steps)
}
