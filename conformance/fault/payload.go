package fault

import (
	"encoding/json"
	"fmt"
)

// Discover answers server/discover with a DiscoverResult that lists versions.
// It may not be kept: its ttlMs is 0.
func Discover(versions ...string) Step {
	return Result(`{"resultType":"complete","supportedVersions":` + list(versions) +
		`,"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private",` +
		`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scripted","version":"1.0"}}}`)
}

// Unsupported answers with -32022 and the versions that would do.
func Unsupported(versions ...string) Step {
	return Error(-32022, "unsupported protocol version", `{"supported":`+list(versions)+`}`)
}

// Initialize answers initialize with an InitializeResult.
func Initialize(version string) Step {
	return Result(`{"protocolVersion":"` + version + `","capabilities":{"tools":{}},` +
		`"serverInfo":{"name":"scripted","version":"1.0"}}`)
}

// Tools answers tools/list with tools of these names, on one page.
func Tools(names ...string) Step {
	tools := make([]map[string]any, len(names))
	for i, name := range names {
		tools[i] = map[string]any{"name": name, "inputSchema": map[string]string{"type": "object"}}
	}
	return Result(`{"resultType":"complete","tools":` + list(tools) + `}`)
}

// Content answers tools/call with a text.
func Content(text string) Step {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always encodes
	}
	return Result(fmt.Sprintf(`{"resultType":"complete","content":[{"type":"text","text":%s}]}`, quoted))
}

// list returns items as a JSON array, never null.
func list[T any](items []T) string {
	text, err := json.Marshal(append([]T{}, items...))
	if err != nil {
		panic(err) // names and versions always encode
	}
	return string(text)
}

// Modern is a well-behaved server of the modern era with one tool, "echo". It
// refuses initialize. Change it with Script.With.
func Modern() Script {
	return Script{
		"server/discover": {{Discover("2026-07-28")}},
		"tools/list":      {{Tools("echo")}},
		"tools/call":      {{Content("done")}},
	}
}

// Legacy is a well-behaved server of the legacy era with one tool, "echo",
// that answers initialize with version. Change it with Script.With.
func Legacy(version string) Script {
	return Script{
		"server/discover": {{Error(-32601, "method not found")}},
		"initialize":      {{Initialize(version)}},
		"ping":            {{Result(`{}`)}},
		"tools/list":      {{Tools("echo")}},
		"tools/call":      {{Content("done")}},
	}
}

// Dual is a server that takes either opening, as most modern servers do: a
// client that wrongly falls back to initialize gets along with it. Change it
// with Script.With.
func Dual() Script {
	return Legacy("2025-11-25").With(Modern())
}
