package client

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport/headervalue"
)

// A paramHeader mirrors one argument of a tool into an HTTP header.
//
// Source: MCP 2026-07-28, streamable-http, "Custom Headers from Tool
// Parameters".
type paramHeader struct {
	name string   // Mcp-Param-{Name}
	path []string // the chain of properties to the argument
}

const annotation = "x-mcp-header"

// paramHeaders returns the headers that a tool's input schema asks for, or why
// its annotations are invalid, which makes the tool unusable over HTTP.
func paramHeaders(schema jsontext.Value) ([]paramHeader, error) {
	if !bytes.Contains(schema, []byte(`"`+annotation+`"`)) && !bytes.Contains(schema, []byte(`\u`)) {
		return nil, nil // spares almost every tool the walk
	}
	if depth(schema) > maxSchemaDepth {
		return nil, fmt.Errorf("its schema nests deeper than the limit of %d", maxSchemaDepth)
	}
	w := headerWalk{seen: make(map[string]bool)}
	if err := w.schema(schema, nil, true); err != nil {
		return nil, err
	}
	return w.found, nil
}

type headerWalk struct {
	found []paramHeader
	seen  map[string]bool // header names in lower case
}

// schema walks one schema. reachable says that only properties keywords lead
// here from the root: anywhere else an annotation is invalid.
func (w *headerWalk) schema(raw jsontext.Value, path []string, reachable bool) error {
	if raw.Kind() != '{' {
		return nil
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(raw, &members); err != nil {
		return err
	}
	if name, ok := members[annotation]; ok {
		if err := w.annotated(name, members["type"], path, reachable); err != nil {
			return err
		}
	}
	for keyword, value := range members {
		var err error
		switch keyword {
		case annotation, "default", "const", "enum", "examples":
		case "properties":
			err = w.properties(value, path, reachable)
		case "$defs", "definitions", "patternProperties", "dependentSchemas":
			err = w.properties(value, path, false)
		default:
			err = w.elsewhere(value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *headerWalk) properties(raw jsontext.Value, path []string, reachable bool) error {
	if raw.Kind() != '{' {
		return nil
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(raw, &members); err != nil {
		return err
	}
	for name, value := range members {
		if err := w.schema(value, append(path[:len(path):len(path)], name), reachable); err != nil {
			return err
		}
	}
	return nil
}

// elsewhere walks what stands under any other keyword: a schema or a list of
// them, for items, composition, conditions and the like.
func (w *headerWalk) elsewhere(raw jsontext.Value) error {
	switch raw.Kind() {
	case '{':
		return w.schema(raw, nil, false)
	case '[':
		var list []jsontext.Value
		if err := json.Unmarshal(raw, &list); err != nil {
			return err
		}
		for _, value := range list {
			if err := w.elsewhere(value); err != nil {
				return err
			}
		}
	}
	return nil
}

// annotated checks one annotation and keeps it.
func (w *headerWalk) annotated(raw, typ jsontext.Value, path []string, reachable bool) error {
	var name, kind string
	if json.Unmarshal(raw, &name) != nil || raw.Kind() != '"' {
		return errors.New(annotation + " is not a string")
	}
	if !headervalue.IsToken(name) {
		return fmt.Errorf("%s %s is not a header name", annotation, protocol.Quote(name))
	}
	if !reachable || len(path) == 0 {
		return fmt.Errorf("%s %s is not reached from the root by properties alone", annotation, protocol.Quote(name))
	}
	if json.Unmarshal(typ, &kind) != nil || kind != "string" && kind != "integer" && kind != "boolean" {
		return fmt.Errorf("%s %s is on a property that is no string, integer or boolean", annotation, protocol.Quote(name))
	}
	lower := strings.ToLower(name)
	if w.seen[lower] {
		return fmt.Errorf("%s %s repeats another", annotation, protocol.Quote(name))
	}
	w.seen[lower] = true
	w.found = append(w.found, paramHeader{name: "Mcp-Param-" + name, path: path})
	return nil
}

// mirror returns the headers for a call with these arguments: none for an
// argument that is absent or null.
func mirror(headers []paramHeader, arguments jsontext.Value) (map[string]string, error) {
	if len(headers) == 0 {
		return nil, nil
	}
	mirrored := make(map[string]string, len(headers))
	for _, h := range headers {
		value := at(arguments, h.path)
		switch value.Kind() {
		case '"':
			var s string
			if err := json.Unmarshal(value, &s); err != nil {
				return nil, err
			}
			mirrored[h.name] = headervalue.Encode(s)
		case 't', 'f':
			mirrored[h.name] = string(value)
		case '0':
			decimal, err := decimal(string(value))
			if err != nil {
				return nil, fmt.Errorf("argument %s: %w", strings.Join(h.path, "."), err)
			}
			mirrored[h.name] = decimal
		}
	}
	return mirrored, nil
}

// at returns the value at a path of object members, nil when it is not there.
func at(value jsontext.Value, path []string) jsontext.Value {
	for _, name := range path {
		if value.Kind() != '{' {
			return nil
		}
		var members map[string]jsontext.Value
		if json.Unmarshal(value, &members) != nil {
			return nil
		}
		value = members[name]
	}
	return value
}

// maxInteger is the largest integer that a header may carry: 2^53-1.
const maxInteger = 1<<53 - 1

// decimal returns a JSON number as a decimal integer.
func decimal(number string) (string, error) {
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || f != math.Trunc(f) {
		return "", errors.New("a header can only carry a whole number")
	}
	if math.Abs(f) > maxInteger {
		return "", errors.New("a header can't carry an integer beyond 2^53-1")
	}
	return strconv.FormatInt(int64(f), 10), nil
}
