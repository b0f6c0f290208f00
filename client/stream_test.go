package client_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance"
)

// legacyServer serves the legacy era, with the GET that opens the server's
// stream in the hands of open.
func legacyServer(t *testing.T, open func(w http.ResponseWriter, r *http.Request, server http.Handler)) string {
	t.Helper()
	server := conformance.New(conformance.WithEra(conformance.Legacy))
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			open(w, r, server)
			return
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.Close()
		web.Close()
	})
	return web.URL
}

// Many servers ask the user something on their stream while a call is under way.
// What they ask before the stream is open is lost.
func TestConnectReturnsWithTheServersStreamOpen(t *testing.T) {
	var opened atomic.Bool
	url := legacyServer(t, func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		opened.Store(true)
		server.ServeHTTP(w, r)
	})
	c, err := client.Connect(t.Context(), httpTransport(t, url))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if !opened.Load() {
		t.Error("the first call could be made before the server's stream was asked for")
	}
}

func TestConnectDoesNotInsistOnTheServersStream(t *testing.T) {
	url := legacyServer(t, func(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
		<-r.Context().Done() // not even the head of a response
	})
	c, err := client.Connect(t.Context(), httpTransport(t, url))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Error(err)
	}
}
