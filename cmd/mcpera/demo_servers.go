package main

import (
	"log"
	"net/http"
	"os"
	"os/exec"

	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/stdio"
)

// A demoServer is a server to visit, and what the visit must find.
type demoServer struct {
	name      string
	transport string
	wantEra   string
	wantTrips int
	dial      func() (transport.Transport, error)
}

// kinds of servers. A dual-era server is modern to who can be.
var kinds = []struct {
	name      string
	era       conformance.Era
	wantEra   string
	wantTrips int // server/discover, and initialize after it in the legacy era
}{
	{"modern", conformance.Modern, "modern", 1},
	{"legacy", conformance.Legacy, "legacy", 2},
	{"dual-era", conformance.Both, "modern", 1},
}

// startServers starts three servers inside this process, and describes three
// more that start when they are dialed. stop ends the former.
func startServers() (servers []demoServer, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	var stops []func()
	stop = func() {
		for _, s := range stops {
			s()
		}
	}
	for _, k := range kinds {
		url, stopOne, err := startHTTP(k.era)
		if err != nil {
			stop()
			return nil, nil, err
		}
		stops = append(stops, stopOne)
		servers = append(servers, demoServer{k.name, "http", k.wantEra, k.wantTrips, func() (transport.Transport, error) {
			return mcphttp.New(url)
		}})
	}
	for _, k := range kinds {
		servers = append(servers, demoServer{k.name, "stdio", k.wantEra, k.wantTrips, func() (transport.Transport, error) {
			return stdio.New(exec.Command(self, "serve", "--stdio", "--era", k.era.String()))
		}})
	}
	return servers, stop, nil
}

// startHTTP starts a reference server on a free loopback port.
func startHTTP(era conformance.Era) (url string, stop func(), err error) {
	server := conformance.New(conformance.WithEra(era))
	l, err := listen("127.0.0.1:0", &http.Server{Handler: server, ErrorLog: log.New(log.Writer(), "mcpera: ", 0)})
	if err != nil {
		server.Close()
		return "", nil, err
	}
	return l.url, func() {
		server.Close()
		_ = l.close() // the visits would have met its error
	}, nil
}
