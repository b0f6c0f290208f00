package auth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// A Loopback is a UserAgent for programs on a user's machine: it opens the user's
// browser and receives the answer on a port of this machine, which is open only
// while the user logs in. The zero value is ready.
//
// Source: RFC 8252, 7.3.
type Loopback struct {
	// OpenURL opens a URL in a browser; nil stands for OpenBrowser. Set it to show
	// the URL, say.
	OpenURL func(ctx context.Context, authorizationURL string) error
	// Port is the one to listen on; 0 stands for that of a registered redirect URI
	// if it is free, else any.
	Port int
	// Path is that of the redirect URI; "" stands for "/callback".
	Path string
	// Done is the text that the browser shows in the end; "" stands for one that
	// says that the window can be closed.
	Done string
}

// Open starts to listen; see UserAgent.
func (l Loopback) Open(ctx context.Context, registered []string) (Visit, error) {
	for _, at := range l.addresses(registered) {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(at.address, at.port))
		if err == nil {
			return l.serve(listener, at)
		}
	}
	return nil, errors.New("no port of this machine can be listened on for the answer to a login")
}

// A redirectAddress is a place to listen at, and how it is called in a URI.
type redirectAddress struct{ address, port, host, path string }

// addresses returns where to listen, in order of preference: as configured, at
// a registered URI, anywhere.
func (l Loopback) addresses(registered []string) []redirectAddress {
	path := l.Path
	if path == "" {
		path = "/callback"
	}
	if l.Port != 0 {
		return []redirectAddress{{"127.0.0.1", strconv.Itoa(l.Port), "127.0.0.1", path}}
	}
	anywhere := redirectAddress{"127.0.0.1", "0", "127.0.0.1", path}
	var all []redirectAddress
	for i, at := range loopbackAddresses(registered) {
		if at.port != "" {
			all = append(all, at)
		}
		if i == 0 {
			anywhere, anywhere.port = at, "0"
		}
	}
	return append(all, anywhere)
}

// loopbackAddresses returns the places of those URIs that are on this machine.
func loopbackAddresses(uris []string) []redirectAddress {
	var all []redirectAddress
	for _, raw := range uris {
		u, err := url.Parse(raw)
		if err != nil || u.Scheme != "http" || !isLoopback(u.Hostname()) || u.RawQuery != "" {
			continue
		}
		at := redirectAddress{u.Hostname(), u.Port(), u.Hostname(), u.Path}
		if net.ParseIP(at.address) == nil {
			at.address = "127.0.0.1"
		}
		if at.path == "" {
			at.path = "/"
		}
		all = append(all, at)
	}
	return all
}

// serve receives answers on a listener.
func (l Loopback) serve(listener net.Listener, at redirectAddress) (Visit, error) {
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		_ = listener.Close()
		return nil, err
	}
	v := &loopbackVisit{
		redirectURI: (&url.URL{Scheme: "http", Host: net.JoinHostPort(at.host, port), Path: at.path}).String(),
		path:        at.path, open: l.OpenURL, done: l.Done, answer: make(chan url.Values, 1),
	}
	if v.open == nil {
		v.open = OpenBrowser
	}
	if v.done == "" {
		v.done = "You can close this window and go back to the program."
	}
	v.server = &http.Server{Handler: v, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	v.serving.Go(func() { _ = v.server.Serve(listener) })
	return v, nil
}

// A loopbackVisit is one login with a Loopback.
type loopbackVisit struct {
	redirectURI string
	path        string
	open        func(context.Context, string) error
	done        string

	server  *http.Server
	serving sync.WaitGroup

	mu     sync.Mutex
	state  string // of the request; "" before Go
	answer chan url.Values
}

func (v *loopbackVisit) RedirectURI() string { return v.redirectURI }

func (v *loopbackVisit) Go(ctx context.Context, authorizationURL string) (url.Values, error) {
	u, err := url.Parse(authorizationURL)
	if err != nil {
		return nil, errNotURL
	}
	v.mu.Lock()
	v.state = u.Query().Get("state")
	v.mu.Unlock()
	if err := v.open(ctx, authorizationURL); err != nil {
		return nil, err
	}
	select {
	case answer := <-v.answer:
		return answer, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ServeHTTP takes the answer to this login. What has another state, which any
// page or program can send here, does not disturb it.
func (v *loopbackVisit) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	answer := r.URL.Query()
	v.mu.Lock()
	ours := v.state != "" && subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(v.state)) == 1
	v.mu.Unlock()
	if r.URL.Path != v.path || r.Method != http.MethodGet || !ours {
		http.Error(w, "This is not the login that the program waits for.", http.StatusNotFound)
		return
	}
	select {
	case v.answer <- answer:
	default: // it has come before
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	_, _ = fmt.Fprintf(w, "<!doctype html><title>Login</title><p>%s</p>\n", html.EscapeString(v.done))
}

// Close stops listening, once the browser has its page.
func (v *loopbackVisit) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := v.server.Shutdown(ctx)
	if err != nil {
		err = v.server.Close()
	}
	v.serving.Wait()
	return err
}
