package faultsuite_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/stdio"
)

// soon is a backoff that takes no time worth speaking of.
var soon = transport.Backoff{Max: time.Millisecond, MaxAfter: time.Millisecond}

// maxMessage is below what "more than the limit" sends, and no less than what
// a probe may bring.
const maxMessage = 1 << 20

// A scripted server and what a client needs to know of it.
type scripted struct {
	*fault.Server
	key  erecache.Key
	open func() (transport.Transport, error)
}

// serve starts the cell's server, until the test is over.
func (c cell) serve(t *testing.T) scripted {
	t.Helper()
	if !c.wire.isHTTP() {
		srv := fault.NewStdio(c.script())
		t.Cleanup(srv.Close)
		opts := []stdio.Option{stdio.WithMaxMessage(maxMessage)}
		if (c.phase == closing || c.phase == signalled) && c.fault.over {
			opts = append(opts, stdio.WithShutdown(brief, brief))
		}
		return scripted{srv.Server, erecache.CommandKey(srv.Command().Args...), func() (transport.Transport, error) {
			return stdio.New(srv.Command(), opts...)
		}}
	}
	srv := fault.NewHTTP(c.script())
	t.Cleanup(srv.Close)
	u, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	return scripted{srv.Server, erecache.KeyOf(u), func() (transport.Transport, error) {
		return mcphttp.New(srv.URL, mcphttp.WithMaxMessage(maxMessage), mcphttp.WithBackoff(soon), mcphttp.WithRetries(1))
	}}
}
