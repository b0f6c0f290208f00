package conformance

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// paramHeaderPrefix begins the name of a header that mirrors a tool argument.
const paramHeaderPrefix = "Mcp-Param-"

// A paramHeader is one x-mcp-header annotation: the argument at path is
// mirrored into the header name.
type paramHeader struct {
	name string // Mcp-Param-Region
	path []string
	kind string // string, integer or boolean
}

var errMisplaced = errors.New("x-mcp-header stands where no chain of properties leads")

// paramHeaders reads the annotations of an input schema. It fails when one of
// them is invalid, which makes the tool definition invalid.
//
// Source: MCP 2026-07-28, Streamable HTTP, "Schema Extension".
func paramHeaders(schema jsontext.Value) ([]paramHeader, error) {
	if schema.Kind() != '{' {
		return nil, nil
	}
	found, err := headersBelow(schema, nil)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool, len(found))
	for _, h := range found {
		key := strings.ToLower(h.name)
		if seen[key] {
			return nil, fmt.Errorf("x-mcp-header %s appears twice", h.name)
		}
		seen[key] = true
	}
	return found, nil
}

// headersBelow collects the annotations of one schema, path being the chain
// of properties that led to it.
func headersBelow(schema jsontext.Value, path []string) ([]paramHeader, error) {
	members, err := parseObject(schema)
	if err != nil {
		return nil, nil // true, false and nonsense hold no annotations
	}
	var found []paramHeader
	for _, m := range members {
		switch m.name {
		case "x-mcp-header":
			h, err := readAnnotation(members, path)
			if err != nil {
				return nil, err
			}
			found = append(found, h)
		case "properties":
			below, err := headersOfProperties(m.value, path)
			if err != nil {
				return nil, err
			}
			found = append(found, below...)
		case "const", "default", "enum", "examples": // data, not schemas
		default:
			if annotated(m.value) {
				return nil, errMisplaced
			}
		}
	}
	return found, nil
}

func headersOfProperties(properties jsontext.Value, path []string) ([]paramHeader, error) {
	members, err := parseObject(properties)
	if err != nil {
		return nil, err
	}
	var found []paramHeader
	for _, m := range members {
		below, err := headersBelow(m.value, append(path[:len(path):len(path)], m.name))
		if err != nil {
			return nil, err
		}
		found = append(found, below...)
	}
	return found, nil
}

func readAnnotation(schema object, path []string) (paramHeader, error) {
	name, ok := jsonString(schema.get("x-mcp-header"))
	kind, _ := jsonString(schema.get("type"))
	switch {
	case len(path) == 0:
		return paramHeader{}, errMisplaced
	case !ok || !isToken(name):
		return paramHeader{}, fmt.Errorf("x-mcp-header of %q is no header name", path)
	case kind != "string" && kind != "integer" && kind != "boolean":
		return paramHeader{}, fmt.Errorf("x-mcp-header of %q needs type string, integer or boolean", path)
	}
	return paramHeader{paramHeaderPrefix + name, path, kind}, nil
}

// annotated reports whether an annotation hides anywhere inside a value.
func annotated(v jsontext.Value) bool {
	switch v.Kind() {
	case '{':
		members, _ := parseObject(v)
		for _, m := range members {
			if m.name == "x-mcp-header" || annotated(m.value) {
				return true
			}
		}
	case '[':
		var items []jsontext.Value
		_ = json.Unmarshal(v, &items) // valid JSON; a failure leaves no items
		for _, item := range items {
			if annotated(item) {
				return true
			}
		}
	}
	return false
}

// isToken reports whether s is a token of RFC 9110, section 5.6.2.
func isToken(s string) bool {
	for _, b := range []byte(s) {
		letter := b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(b)) {
			return false
		}
	}
	return s != ""
}

// valueAt returns the argument at path, or nil when it is absent or null.
func valueAt(arguments jsontext.Value, path []string) jsontext.Value {
	for _, name := range path {
		members, err := parseObject(arguments)
		if err != nil {
			return nil
		}
		arguments = members.get(name)
	}
	if arguments.Kind() == 'n' {
		return nil
	}
	return arguments
}

// mirrors reports whether a decoded header value is the argument's. Whole
// numbers compare by value, so 42 and 42.0 are one.
func mirrors(header string, argument jsontext.Value) bool {
	switch argument.Kind() {
	case '"':
		s, ok := jsonString(argument)
		return ok && s == header
	case '0':
		want, ok := jsonInt(argument)
		got, gotOK := wholeNumber(header)
		return ok && gotOK && got == want
	case 't', 'f':
		return header == string(argument)
	default:
		return false // an object or array has no header form
	}
}
