package client

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// A server that lists other tools each time costs no more memory than a bound.
func TestAToolbookIsBounded(t *testing.T) {
	var book toolbook
	schema := jsontext.Value(`{"description":"` + strings.Repeat("x", 1<<20) + `"}`)
	for i := range 2 * maxToolbook / len(schema) {
		name := fmt.Sprint("tool ", i)
		book.note(&protocol.Tool{Name: name, OutputSchema: schema}, nil)
		book.note(&protocol.Tool{Name: name, OutputSchema: schema}, nil) // counts once
		if book.get(name) == nil {
			t.Fatalf("%s is not kept", name)
		}
		if book.bytes > maxToolbook || book.bytes < len(book.tools)*len(schema) {
			t.Fatalf("%d tools of %d bytes, counted as %d", len(book.tools), len(schema), book.bytes)
		}
	}
	for name := range book.tools {
		book.drop(name)
	}
	if book.bytes != 0 {
		t.Errorf("%d bytes are left of nothing", book.bytes)
	}
}

// A schema is compiled once, however often an unchanged tool is listed and
// called; a changed one is compiled anew.
func TestAnUnchangedOutputSchemaIsCompiledOnce(t *testing.T) {
	var book toolbook
	result := &protocol.CallToolResult{StructuredContent: jsontext.Value(`1`)}
	compiled := func(schema string, headers ...paramHeader) *compiledSchema {
		t.Helper()
		book.note(&protocol.Tool{Name: "a", OutputSchema: jsontext.Value(schema)}, headers)
		if err := book.get("a").check(result); err != nil {
			t.Fatal(err)
		}
		return book.get("a").output.schema
	}
	first := compiled(`{"type":"integer"}`)
	if compiled(`{"type":"integer"}`) != first {
		t.Error("the unchanged schema was compiled again")
	}
	if compiled(`{"type":"integer"}`, paramHeader{name: "Mcp-Param-A", path: []string{"a"}}) != first {
		t.Error("the unchanged schema was compiled again when a header came")
	}
	if compiled(`{"type":["integer"]}`) == first {
		t.Error("the changed schema was not compiled")
	}
	book.note(&protocol.Tool{Name: "a"}, nil)
	if err := book.get("a").check(&protocol.CallToolResult{}); err != nil {
		t.Errorf("a schema that is gone is still checked: %v", err)
	}
}
