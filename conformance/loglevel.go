package conformance

import "slices"

// logLevels are the severities of a log message, least first.
//
// Source: MCP 2026-07-28, server/utilities/logging, "Log Levels".
var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// logs reports whether a message of level passes a threshold. An empty
// threshold lets nothing pass.
func logs(threshold, level string) bool {
	limit, at := slices.Index(logLevels, threshold), slices.Index(logLevels, level)
	return limit >= 0 && at >= limit
}
