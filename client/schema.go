package client

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcpera/mcpera/protocol"
)

// Bounds on what validating costs: of a schema its bytes and how deep it nests,
// of a value how deep it nests. See checkCost too.
const (
	maxSchema      = 1 << 20
	maxSchemaDepth = 64
	maxValueDepth  = 256
)

// The dialects that can be validated, 2020-12 and draft-07, in the spelling of
// the validator.
const (
	dialect2020 = "https://json-schema.org/draft/2020-12/schema"
	dialect07   = "http://json-schema.org/draft-07/schema#"
)

// dialect returns the spelling of a $schema that the validator knows; none
// stands for 2020-12.
//
// Source: MCP 2026-07-28, basic, "JSON Schema Usage".
func dialect(named string) (string, error) {
	_, name, _ := strings.Cut(strings.TrimSuffix(named, "#"), "://")
	switch {
	case named == "", name == "json-schema.org/draft/2020-12/schema":
		return dialect2020, nil
	case name == "json-schema.org/draft-07/schema":
		return dialect07, nil
	default:
		return "", fmt.Errorf("the schema's dialect %s is not supported", protocol.Quote(named))
	}
}

// A compiledSchema is ready to validate with.
type compiledSchema struct {
	root     *jsonschema.Schema
	resolved *jsonschema.Resolved
}

// compileSchema makes a schema ready to validate with. No $ref is ever
// fetched: one that points outside the schema is an error, and so is a dialect
// that can't be validated.
func compileSchema(raw jsontext.Value) (*compiledSchema, error) {
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
	var err error
	if s.Schema, err = dialect(s.Schema); err != nil {
		return nil, err
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("the schema can't be used: %w", err)
	}
	return &compiledSchema{&s, resolved}, nil
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

// validate checks a JSON value.
func (s *compiledSchema) validate(value jsontext.Value) error {
	deep := depth(value)
	if deep > maxValueDepth {
		return fmt.Errorf("the value nests deeper than the limit of %d", maxValueDepth)
	}
	if err := checkCost(s.root, deep); err != nil {
		return fmt.Errorf("the schema can't be used: %w", err)
	}
	var instance any
	if err := stdjson.Unmarshal(value, &instance); err != nil {
		return err
	}
	return s.resolved.Validate(instance)
}

// completeForm fills an accepted form with the schema's defaults and checks it
// against the schema, so that no server gets an answer that it did not ask for.
//
// Source: MCP 2026-07-28, client/elicitation, "Requested Schema".
func completeForm(req *protocol.ElicitRequest, given *protocol.ElicitResult) (*protocol.ElicitResult, error) {
	result := *given
	if err := checkAction(result.Action); err != nil {
		return nil, err
	}
	if result.Action != protocol.ElicitAccept {
		result.Content = nil
		return &result, nil
	}
	result.Content = make(map[string]any, len(given.Content))
	maps.Copy(result.Content, given.Content)
	if len(req.RequestedSchema) == 0 {
		return &result, nil
	}
	if err := fillDefaults(result.Content, req.RequestedSchema); err != nil {
		return nil, err
	}
	schema, err := compileSchema(req.RequestedSchema)
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(result.Content)
	if err != nil {
		return nil, err
	}
	if err := schema.validate(encoded); err != nil {
		return nil, fmt.Errorf("the answer does not fit the requested schema: %w", err)
	}
	return &result, nil
}

// fillDefaults gives the fields of a form that have no value the default of
// their schema, as it stands there.
func fillDefaults(content map[string]any, schema jsontext.Value) error {
	var form struct {
		Properties map[string]jsontext.Value `json:"properties"`
	}
	if err := json.Unmarshal(schema, &form); err != nil {
		return fmt.Errorf("the schema can't be read: %w", err)
	}
	for name, property := range form.Properties {
		var field struct {
			Default jsontext.Value `json:"default"`
		}
		if _, given := content[name]; given || property.Kind() != '{' {
			continue
		}
		if err := json.Unmarshal(property, &field); err != nil {
			return fmt.Errorf("the schema can't be read: %w", err)
		}
		if field.Default != nil {
			content[name] = field.Default
		}
	}
	return nil
}

// completeVisit checks the answer to an elicitation by URL. It has no content:
// what the user did there is not for us to say.
func completeVisit(given *protocol.ElicitResult) (*protocol.ElicitResult, error) {
	result := *given
	result.Content = nil
	return &result, checkAction(result.Action)
}

func checkAction(action string) error {
	switch action {
	case protocol.ElicitAccept, protocol.ElicitDecline, protocol.ElicitCancel:
		return nil
	default:
		return fmt.Errorf("the action %s is none of accept, decline and cancel", protocol.Quote(action))
	}
}

// An OutputError means that a tool's structured content does not fit the output
// schema that the server listed. The result is returned beside it, and it is
// for the program to decide whether to use it.
//
// Source: MCP 2026-07-28, server/tools, "Output Schema".
type OutputError struct {
	Tool string // the tool's name
	Err  error  // what does not fit, or why the schema can't be used; never nil
}

// maxMismatch bounds how much of Err its text repeats: the validator quotes values
// and schemas whole.
const maxMismatch = 1000

func (e *OutputError) Error() string {
	why := e.Err.Error()
	if len(why) > maxMismatch {
		why = strings.ToValidUTF8(why[:maxMismatch], "") + "…"
	}
	return fmt.Sprintf("tool %s: the result does not fit its output schema: %s", protocol.Quote(e.Tool), why)
}

// Unwrap returns the cause.
func (e *OutputError) Unwrap() error { return e.Err }

var errNoStructured = errors.New("structuredContent is missing")
