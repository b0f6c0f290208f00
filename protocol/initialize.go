package protocol

import "github.com/go-json-experiment/json/jsontext"

// Methods of the legacy handshake.
const (
	MethodInitialize  = "initialize"
	MethodInitialized = "notifications/initialized"
)

// InitializeParams opens a legacy session.
//
// Source: MCP 2025-11-25, lifecycle, "Initialization".
type InitializeParams struct {
	ProtocolVersion string             `json:"protocolVersion"`
	Capabilities    ClientCapabilities `json:"capabilities"`
	ClientInfo      Implementation     `json:"clientInfo"`
}

// An InitializeResult is a legacy server's answer to initialize.
type InitializeResult struct {
	ProtocolVersion string             `json:"protocolVersion"`
	Capabilities    ServerCapabilities `json:"capabilities"`
	ServerInfo      Implementation     `json:"serverInfo"`
	Instructions    string             `json:"instructions,omitempty"`
	Meta            Meta               `json:"_meta,omitzero"`
	Extra           jsontext.Value     `json:",embed"`
}
