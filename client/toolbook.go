package client

import (
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcpera/mcpera/protocol"
)

// A toolbook holds what a listed tool says about calling it. It is filled by
// every list that the program reads.
type toolbook struct {
	mu    sync.Mutex
	tools map[string]*listedTool
}

// A listedTool is what CallTool needs of a tool.
type listedTool struct {
	headers []paramHeader
	output  jsontext.Value

	compile sync.Once
	schema  *jsonschema.Resolved
	err     error
}

// note keeps what a list says. An unchanged tool keeps its compiled schema.
func (b *toolbook) note(tool *protocol.Tool, headers []paramHeader) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tools == nil {
		b.tools = make(map[string]*listedTool)
	}
	if old := b.tools[tool.Name]; old != nil && string(old.output) == string(tool.OutputSchema) && len(old.headers) == 0 && len(headers) == 0 {
		return
	}
	b.tools[tool.Name] = &listedTool{headers: headers, output: tool.OutputSchema}
}

// drop forgets a tool.
func (b *toolbook) drop(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.tools, name)
}

// get returns what is known of a tool; nil when it was never listed.
func (b *toolbook) get(name string) *listedTool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tools[name]
}

// check validates a result's structured content, if the tool was listed with
// an output schema. The schema is compiled once.
func (t *listedTool) check(r *protocol.CallToolResult) error {
	if t == nil || len(t.output) == 0 || r.IsError {
		return nil
	}
	t.compile.Do(func() { t.schema, t.err = compileSchema(t.output) })
	switch {
	case t.err != nil:
		return t.err
	case r.StructuredContent == nil:
		return errNoStructured
	default:
		return validate(t.schema, r.StructuredContent)
	}
}
