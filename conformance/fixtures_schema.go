package conformance

import (
	"context"

	"github.com/mcpera/mcpera/protocol"
)

// schemaTools have input schemas worth a look.
func schemaTools() []Tool {
	return []Tool{
		{Definition: define("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", wideSchema), Run: showArguments},
		{Definition: define("test_header_params", "Mirrors arguments into headers.", headerSchema), Run: showArguments},
	}
}

const (
	wideSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},
			"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
		"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
		"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
		"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`
	headerSchema = `{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},
		"limit":{"type":"integer","x-mcp-header":"Limit"},
		"dryRun":{"type":"boolean","x-mcp-header":"Dry-Run"},
		"tenant":{"type":"object","properties":{"id":{"type":"string","x-mcp-header":"Tenant-Id"}}},
		"query":{"type":"string"}},"required":["region"]}`
)

// showArguments returns the arguments as they came.
func showArguments(_ context.Context, c *Call) (*protocol.CallToolResult, error) {
	return Text(string(c.Arguments)), nil
}

// changeTools make the server tell its clients of a change.
func (s *Server) changeTools() []Tool {
	return []Tool{
		{Definition: define("test_trigger_tool_change", "Tells clients that the tools changed.", ""), Run: does(s.NotifyToolsChanged)},
		{Definition: define("test_trigger_prompt_change", "Tells clients that the prompts changed.", ""), Run: does(s.NotifyPromptsChanged)},
		{Definition: define("test_trigger_resource_change", "Tells clients that the resources changed.", ""), Run: does(s.NotifyResourcesChanged)},
		{Definition: define("test_trigger_resource_update", "Tells subscribers that test://watched-resource changed.", ""),
			Run: does(func() { s.NotifyResourceUpdated("test://watched-resource") })},
	}
}

func does(f func()) Run {
	return func(context.Context, *Call) (*protocol.CallToolResult, error) {
		f()
		return Text("Done."), nil
	}
}
