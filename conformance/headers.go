package conformance

import (
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// Request headers of the Streamable HTTP transport.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// nameSource maps a method to the parameter that Mcp-Name mirrors.
var nameSource = map[string]string{
	"tools/call":     "name",
	"prompts/get":    "name",
	"resources/read": "uri",
	"tasks/get":      "taskId",
	"tasks/update":   "taskId",
	"tasks/cancel":   "taskId",
}

// checkHeaders compares the headers of a modern request with its body, in
// five steps: version matches, version is spoken, method, name, parameters.
// No I/O, no state; paramsOf gives the annotations of a tool. Errors name a
// header, never its value.
//
// Source: MCP 2026-07-28, Streamable HTTP, "Server Validation".
func checkHeaders(h http.Header, m *protocol.Message, version string, supported []string, paramsOf func(tool string) []paramHeader) *protocol.Error {
	if e := checkEqual(h, headerVersion, version); e != nil {
		return e
	}
	if e := checkVersion(version, supported); e != nil {
		return e
	}
	if e := checkEqual(h, headerMethod, m.Method); e != nil {
		return e
	}
	params, err := parseObject(m.Params)
	if err != nil {
		return invalidParams("params is not an object")
	}
	if e := checkName(h, m.Method, params); e != nil {
		return e
	}
	if m.Method != protocol.MethodCallTool {
		return nil
	}
	tool, _ := jsonString(params.get("name"))
	return checkParams(h, params.get("arguments"), paramsOf(tool))
}

// checkVersion wants a modern version that the server speaks.
func checkVersion(version string, supported []string) *protocol.Error {
	if version == "" || isModern(version) && slices.Contains(supported, version) {
		return nil // "" is a server/discover without metadata
	}
	return unsupportedVersion(version, supported)
}

// checkEqual wants the header once and equal to want, character by character.
func checkEqual(h http.Header, name, want string) *protocol.Error {
	value, e := single(h, name)
	if e == nil && value != want {
		e = headerMismatch("the %s header disagrees with the body", name)
	}
	return e
}

func checkName(h http.Header, method string, params object) *protocol.Error {
	source, ok := nameSource[method]
	if !ok {
		return nil
	}
	value, e := singleDecoded(h, headerName)
	if e != nil {
		return e
	}
	if want, ok := jsonString(params.get(source)); !ok || value != want {
		return headerMismatch("the %s header disagrees with params.%s", headerName, source)
	}
	return nil
}

func checkParams(h http.Header, arguments jsontext.Value, annotations []paramHeader) *protocol.Error {
	for _, a := range annotations {
		argument := valueAt(arguments, a.path)
		if argument == nil {
			if len(h.Values(a.name)) > 0 {
				return headerMismatch("the %s header mirrors an argument that is absent", a.name)
			}
			continue
		}
		value, e := singleDecoded(h, a.name)
		if e != nil {
			return e
		}
		if !mirrors(value, argument) {
			return headerMismatch("the %s header disagrees with its argument", a.name)
		}
	}
	return nil
}

// single returns the header's only value.
func single(h http.Header, name string) (string, *protocol.Error) {
	values := h.Values(name)
	switch len(values) {
	case 0:
		return "", headerMismatch("the %s header is missing", name)
	case 1:
		return values[0], nil
	default:
		return "", headerMismatch("the %s header appears more than once", name)
	}
}

func singleDecoded(h http.Header, name string) (string, *protocol.Error) {
	raw, e := single(h, name)
	if e != nil {
		return "", e
	}
	value, ok := decodeHeaderValue(raw)
	if !ok {
		return "", headerMismatch("the %s header is malformed", name)
	}
	return value, nil
}

// checkLegacyVersion refuses a legacy request whose MCP-Protocol-Version
// header names a version that the server does not speak. initialize, which
// negotiates the version, and a request without the header pass.
func checkLegacyVersion(h http.Header, method string, supported []string) *protocol.Error {
	values := h.Values(headerVersion)
	if method == protocol.MethodInitialize || len(values) == 0 {
		return nil
	}
	if len(values) == 1 && slices.Contains(supported, values[0]) {
		return nil
	}
	e := invalidRequest("the %s header names a version that this server does not speak", headerVersion)
	e.Data = mustEncode(struct {
		Supported []string `json:"supported"`
	}{supported})
	return e
}

// bind decodes params into v.
func bind(params jsontext.Value, v any) *protocol.Error {
	if len(params) == 0 || params.Kind() == 'n' {
		params = jsontext.Value("{}")
	}
	if params.Kind() != '{' {
		return invalidParams("params is not an object")
	}
	if err := json.Unmarshal(params, v); err != nil {
		return invalidParams("params do not fit the method")
	}
	return nil
}
