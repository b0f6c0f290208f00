package conformance

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// envelope is what a request says about itself: its era, and for a modern one
// the metadata that every modern request carries.
type envelope struct {
	era          Era
	version      string // "" for a server/discover without metadata
	capabilities protocol.ClientCapabilities
	client       protocol.Implementation
	logLevel     string
	meta         protocol.Meta
}

// metaCheck refuses a metadata value of the wrong shape.
type metaCheck struct {
	key  string
	ok   func(jsontext.Value) bool
	want string
}

var metaChecks = []metaCheck{
	{protocol.MetaProtocolVersion, isString, "a string"},
	{protocol.MetaClientCapabilities, isObject, "an object"},
	{protocol.MetaClientInfo, isObject, "an object"},
	{protocol.MetaLogLevel, isLogLevel, "a logging level"},
}

func isString(v jsontext.Value) bool { return v.Kind() == '"' }
func isObject(v jsontext.Value) bool { return v.Kind() == '{' }
func isLogLevel(v jsontext.Value) bool {
	level, ok := jsonString(v)
	return ok && slices.Contains(logLevels, level)
}

// classify decides which era a message belongs to and reads its metadata. No
// I/O, no state. Errors name a key and never its value. HeaderVersion is the
// MCP-Protocol-Version header, "" when there is none.
//
// Source: MCP 2026-07-28, basic, "_meta", and versioning.
func classify(eras Era, m *protocol.Message, headerVersion string) (envelope, *protocol.Error) {
	meta := metaOf(m.Params)
	if eras == Legacy || m.IsResponse() {
		return envelope{era: Legacy, meta: meta}, nil
	}
	version, caps := meta.Get(protocol.MetaProtocolVersion), meta.Get(protocol.MetaClientCapabilities)
	switch {
	case version != nil && caps != nil:
		return readEnvelope(meta)
	case version != nil:
		return envelope{}, missingKey(protocol.MetaClientCapabilities)
	case caps != nil:
		return envelope{}, missingKey(protocol.MetaProtocolVersion)
	case m.Method == protocol.MethodDiscover && isModern(headerVersion):
		// The header calls it a modern request, so it forgot its metadata.
		return envelope{}, missingKey(protocol.MetaProtocolVersion)
	case m.Method == protocol.MethodDiscover:
		return envelope{era: Modern, meta: meta}, nil
	case eras == Modern && m.IsRequest() && m.Method != protocol.MethodInitialize:
		return envelope{}, missingKey(protocol.MetaProtocolVersion)
	default:
		return envelope{era: Legacy, meta: meta}, nil
	}
}

func readEnvelope(meta protocol.Meta) (envelope, *protocol.Error) {
	for _, check := range metaChecks {
		if v := meta.Get(check.key); v != nil && !check.ok(v) {
			return envelope{}, invalidParams("_meta: %s is not %s", check.key, check.want)
		}
	}
	env := envelope{era: Modern, meta: meta}
	env.version, _ = jsonString(meta.Get(protocol.MetaProtocolVersion))
	env.logLevel, _ = jsonString(meta.Get(protocol.MetaLogLevel))
	if !meta.Decode(protocol.MetaClientCapabilities, &env.capabilities) {
		return envelope{}, invalidParams("_meta: %s cannot be read", protocol.MetaClientCapabilities)
	}
	// What a client says of itself is for display: an unreadable name is none.
	meta.Decode(protocol.MetaClientInfo, &env.client)
	return env, nil
}

func missingKey(key string) *protocol.Error { return invalidParams("_meta: %s is missing", key) }

// metaOf returns params._meta, or nil when there is no such object.
func metaOf(params jsontext.Value) protocol.Meta {
	if params.Kind() != '{' {
		return nil
	}
	var p struct {
		Meta protocol.Meta `json:"_meta"`
	}
	if json.Unmarshal(params, &p) != nil || jsontext.Value(p.Meta).Kind() != '{' {
		return nil
	}
	return p.Meta
}
