package client

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcpera/mcpera/protocol"
)

// maxSchema bounds a schema that is compiled, in bytes, and maxSchemaDepth how
// deep it nests: both bound what validating costs.
const (
	maxSchema      = 1 << 20
	maxSchemaDepth = 64
)

// dialects are the values of $schema that can be validated; none stands for
// 2020-12.
//
// Source: MCP 2026-07-28, basic, "JSON Schema Usage".
var dialects = []string{
	"", "https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2020-12/schema#",
	"http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-07/schema",
}

// compileSchema makes a schema ready to validate with. No $ref is ever
// fetched: one that points outside the schema is an error, and so is a dialect
// that can't be validated.
func compileSchema(raw jsontext.Value) (*jsonschema.Resolved, error) {
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("the schema is larger than the limit of %d bytes", maxSchema)
	}
	if depth(raw) > maxSchemaDepth {
		return nil, fmt.Errorf("the schema nests deeper than the limit of %d", maxSchemaDepth)
	}
	var s jsonschema.Schema
	if err := stdjson.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("the schema can't be read: %w", err)
	}
	if !slices.Contains(dialects, s.Schema) {
		return nil, fmt.Errorf("the schema's dialect %s is not supported", protocol.Quote(s.Schema))
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("the schema can't be used: %w", err)
	}
	return resolved, nil
}

// depth returns how deep a JSON value nests.
func depth(raw jsontext.Value) int {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	deepest := 0
	for {
		if _, err := dec.ReadToken(); err != nil {
			return deepest
		}
		deepest = max(deepest, dec.StackDepth())
	}
}

// validate checks a JSON value against a compiled schema.
func validate(schema *jsonschema.Resolved, value jsontext.Value) error {
	var instance any
	if err := stdjson.Unmarshal(value, &instance); err != nil {
		return err
	}
	return schema.Validate(instance)
}

// completeForm fills an accepted form with the schema's defaults and checks it
// against the schema, so that no server gets an answer that it did not ask for.
//
// Source: MCP 2026-07-28, client/elicitation, "Requested Schema".
func completeForm(req *protocol.ElicitRequest, given *protocol.ElicitResult) (*protocol.ElicitResult, error) {
	result := *given
	switch result.Action {
	case protocol.ElicitAccept:
	case protocol.ElicitDecline, protocol.ElicitCancel:
		result.Content = nil
		return &result, nil
	default:
		return nil, fmt.Errorf("the action %s is none of accept, decline and cancel", protocol.Quote(result.Action))
	}
	content, err := plainJSON(result.Content)
	if err != nil {
		return nil, err
	}
	if len(req.RequestedSchema) > 0 {
		schema, err := compileSchema(req.RequestedSchema)
		if err != nil {
			return nil, err
		}
		if err := schema.ApplyDefaults(&content); err != nil {
			return nil, err
		}
		if err := schema.Validate(content); err != nil {
			return nil, fmt.Errorf("the answer does not fit the requested schema: %w", err)
		}
	}
	result.Content = content
	return &result, nil
}

// plainJSON returns a map as JSON decoding would give it.
func plainJSON(m map[string]any) (map[string]any, error) {
	if m == nil {
		return map[string]any{}, nil
	}
	encoded, err := stdjson.Marshal(m)
	if err != nil {
		return nil, err
	}
	var plain map[string]any
	return plain, stdjson.Unmarshal(encoded, &plain)
}

// An OutputError means that a tool's structured content does not fit the output
// schema that the server listed. The result is returned beside it, and it is
// for the program to decide whether to use it.
//
// Source: MCP 2026-07-28, server/tools, "Output Schema".
type OutputError struct {
	Tool string
	Err  error
}

func (e *OutputError) Error() string {
	return fmt.Sprintf("tool %s: the result does not fit its output schema: %v", protocol.Quote(e.Tool), e.Err)
}

// Unwrap returns the cause.
func (e *OutputError) Unwrap() error { return e.Err }

var errNoStructured = errors.New("structuredContent is missing")
