package http

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// Header names of MCP.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerSession = "Mcp-Session-Id"
)

// EncodeValue returns value in a form fit for a header: as it is when it is
// visible ASCII, with blanks at its inside at most, else its Base64 between the
// markers =?base64? and ?=. A plain value that looks like the encoded form is
// encoded too, so that decoding gives it back.
//
// Source: MCP 2026-07-28, streamable-http, "Value Encoding".
func EncodeValue(value string) string {
	if plain(value) {
		return value
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="
}

// plain reports whether value can travel as it is.
func plain(value string) bool {
	for i := range len(value) {
		if value[i] < ' ' || value[i] > '~' {
			return false
		}
	}
	if strings.TrimSpace(value) != value {
		return false
	}
	return !(strings.HasPrefix(value, "=?base64?") && strings.HasSuffix(value, "?="))
}

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
		h[headerName] = []string{EncodeValue(req.Name)}
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
