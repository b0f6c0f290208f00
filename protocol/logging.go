package protocol

import "github.com/go-json-experiment/json/jsontext"

// Methods of the logging feature.
const (
	MethodSetLevel   = "logging/setLevel" // legacy
	MethodLogMessage = "notifications/message"
)

// A LogLevel is a syslog severity.
//
// Source: MCP 2026-07-28, server/utilities/logging; RFC 5424, 6.2.1.
type LogLevel string

// The levels, least severe first.
const (
	LogDebug     LogLevel = "debug"
	LogInfo      LogLevel = "info"
	LogNotice    LogLevel = "notice"
	LogWarning   LogLevel = "warning"
	LogError     LogLevel = "error"
	LogCritical  LogLevel = "critical"
	LogAlert     LogLevel = "alert"
	LogEmergency LogLevel = "emergency"
)

// A LogMessage is one line of a server's log. Data is any JSON value.
type LogMessage struct {
	Level  LogLevel       `json:"level"`
	Logger string         `json:"logger,omitempty"`
	Data   jsontext.Value `json:"data,omitzero"`
	Meta   Meta           `json:"_meta,omitzero"`
	Extra  jsontext.Value `json:",embed"`
}

// SetLevelParams set the level of a legacy session.
type SetLevelParams struct {
	Level LogLevel `json:"level"`
}
