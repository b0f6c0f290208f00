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
	bytes int // of names and schemas
}

// maxToolbook bounds what a toolbook holds in bytes: a server may list other tools
// each time. What makes room is only checked less, until it is listed again.
const maxToolbook = 64 << 20

// toolBytes is about what a tool costs beside its name and schema.
const toolBytes = 256

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
	old := b.tools[tool.Name]
	b.forget(tool.Name)
	if len(headers) == 0 && len(tool.OutputSchema) == 0 {
		return
	}
	if b.tools == nil {
		b.tools = make(map[string]*listedTool)
	}
	listed := &listedTool{headers: headers}
	switch {
	case len(tool.OutputSchema) == 0:
	case old != nil && old.output != nil && string(old.output.raw) == string(tool.OutputSchema):
		listed.output = old.output
	default: // a copy, since the whole list is in memory as long as a part of it
		listed.output = &outputSchema{raw: tool.OutputSchema.Clone()}
	}
	b.bytes += listed.size(tool.Name)
	for name := range b.tools {
		if b.bytes <= maxToolbook {
			break
		}
		b.forget(name)
	}
	b.tools[tool.Name] = listed
}

// drop forgets a tool.
func (b *toolbook) drop(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget(name)
}

// forget is drop for who holds the lock.
func (b *toolbook) forget(name string) {
	if listed := b.tools[name]; listed != nil {
		b.bytes -= listed.size(name)
		delete(b.tools, name)
	}
}

// size is about what a tool under a name costs.
func (t *listedTool) size(name string) int {
	size := len(name) + toolBytes*(1+len(t.headers))
	if t.output != nil {
		size += len(t.output.raw)
	}
	return size
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
