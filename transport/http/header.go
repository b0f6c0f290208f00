package http

import (
	"net/http"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/headervalue"
)

// Header names of MCP.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerSession = "Mcp-Session-Id"
)

// setHeaders writes the headers of one POST.
func setHeaders(h http.Header, req *transport.Request) {
	h["Content-Type"] = contentJSON
	h["Accept"] = acceptBoth
	setConnectionHeaders(h, req)
	if req.Era != negotiation.EraModern {
		return
	}
	h[headerMethod] = []string{req.Method}
	if req.Name != "" {
		h[headerName] = []string{headervalue.Encode(req.Name)}
	}
	for name, value := range req.Params {
		h.Set(name, value)
	}
}

// setConnectionHeaders writes the headers that every message of a connection
// has. A legacy initialize carries neither version nor session.
func setConnectionHeaders(h http.Header, req *transport.Request) {
	if req.Version != "" {
		h[headerVersion] = []string{req.Version}
	}
	if req.Era != negotiation.EraModern && req.Session != "" {
		h[headerSession] = []string{req.Session}
	}
}

// Shared header values; net/http only reads them.
var (
	contentJSON = []string{"application/json"}
	// Some servers answer with the type that comes first.
	acceptBoth = []string{"application/json, text/event-stream"}
)
