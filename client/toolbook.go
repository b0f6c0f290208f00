package client

import (
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// A toolbook holds what a listed tool says about calling it, if it says anything.
// It is filled by every list that the program reads.
type toolbook struct {
	mu    sync.Mutex
	tools map[string]*listedTool
}

// A listedTool is what CallTool needs of a tool.
type listedTool struct {
	headers []paramHeader
	output  *outputSchema // nil when there is none
}

// An outputSchema is compiled when it is first needed, once.
type outputSchema struct {
	raw jsontext.Value

	compile sync.Once
	schema  *compiledSchema
	err     error
}

// note keeps what a list says. An unchanged schema stays compiled.
func (b *toolbook) note(tool *protocol.Tool, headers []paramHeader) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(headers) == 0 && len(tool.OutputSchema) == 0 {
		delete(b.tools, tool.Name)
		return
	}
	if b.tools == nil {
		b.tools = make(map[string]*listedTool)
	}
	listed := &listedTool{headers: headers}
	old := b.tools[tool.Name]
	switch {
	case len(tool.OutputSchema) == 0:
	case old != nil && old.output != nil && string(old.output.raw) == string(tool.OutputSchema):
		listed.output = old.output
	default: // a copy, since the whole list is in memory as long as a part of it
		listed.output = &outputSchema{raw: tool.OutputSchema.Clone()}
	}
	b.tools[tool.Name] = listed
}

// drop forgets a tool.
func (b *toolbook) drop(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.tools, name)
}

// get returns what is known of a tool; nil when that is nothing.
func (b *toolbook) get(name string) *listedTool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tools[name]
}

// check validates a result's structured content, if the tool was listed with
// an output schema.
func (t *listedTool) check(r *protocol.CallToolResult) error {
	if t == nil || t.output == nil || r.IsError {
		return nil
	}
	o := t.output
	o.compile.Do(func() { o.schema, o.err = compileSchema(o.raw) })
	switch {
	case o.err != nil:
		return o.err
	case r.StructuredContent == nil:
		return errNoStructured
	default:
		return o.schema.validate(r.StructuredContent)
	}
}
