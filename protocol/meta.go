package protocol

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Reserved _meta keys. The first three travel on every modern request.
//
// Source: MCP 2026-07-28, basic, "_meta".
const (
	MetaProtocolVersion    = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo         = "io.modelcontextprotocol/clientInfo"
	MetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaLogLevel           = "io.modelcontextprotocol/logLevel"
	MetaServerInfo         = "io.modelcontextprotocol/serverInfo"
	MetaSubscriptionID     = "io.modelcontextprotocol/subscriptionId"
	MetaProgressToken      = "progressToken"
)

// Meta is a _meta object, kept as the JSON text it came in. The nil Meta is
// an absent one.
type Meta jsontext.Value

// Get returns the value at key, or nil when the key is absent or m is not an
// object.
func (m Meta) Get(key string) jsontext.Value {
	if !jsontext.Value(m).IsValid() {
		return nil
	}
	for name, value := range members(jsontext.Value(m)) {
		if string(name) == key {
			return value.Clone()
		}
	}
	return nil
}

// Decode reads the value at key into v and reports whether it was there and
// had v's shape.
func (m Meta) Decode(key string, v any) bool {
	value := m.Get(key)
	return value != nil && json.Unmarshal(value, v) == nil
}

// MarshalJSON returns the JSON text, null for a nil Meta.
func (m Meta) MarshalJSON() ([]byte, error) { return jsontext.Value(m).MarshalJSON() }

// UnmarshalJSON keeps a copy of data.
func (m *Meta) UnmarshalJSON(data []byte) error { return (*jsontext.Value)(m).UnmarshalJSON(data) }
