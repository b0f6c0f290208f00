package client

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpera/mcpera/protocol"
)

// ExpandTemplate returns the URI that a resource template gives for values: a
// string for each variable, or a []string for one that takes a list. A variable
// without a value expands to nothing, as RFC 6570 has it; a value without a
// variable is an error, since it is most often a misspelling.
//
// Source: MCP 2026-07-28, server/resources, "Resource Templates"; RFC 6570.
func ExpandTemplate(t *protocol.ResourceTemplate, values map[string]any) (string, error) {
	template, err := uritemplate.New(t.URITemplate)
	if err != nil {
		return "", fmt.Errorf("resource template %s: %w", protocol.Quote(t.Name), err)
	}
	known := make(map[string]bool)
	for _, name := range template.Varnames() {
		known[name] = true
	}
	expanded := make(uritemplate.Values, len(values))
	for name, value := range values {
		if !known[name] {
			return "", fmt.Errorf("resource template %s has no variable %s", protocol.Quote(t.Name), protocol.Quote(name))
		}
		var err error
		switch v := value.(type) {
		case string:
			v, err = bytewise(v, t.URITemplate)
			expanded.Set(name, uritemplate.String(v))
		case []string:
			list := make([]string, len(v))
			for i := 0; i < len(v) && err == nil; i++ {
				list[i], err = bytewise(v[i], t.URITemplate)
			}
			expanded.Set(name, uritemplate.List(list...))
		default:
			err = fmt.Errorf("it is a %T, not a string or a []string", value)
		}
		if err != nil {
			return "", fmt.Errorf("resource template %s: variable %s: %w", protocol.Quote(t.Name), protocol.Quote(name), err)
		}
	}
	return template.Expand(expanded)
}

// prefixed finds a prefix modifier, such as {var:3}.
var prefixed = regexp.MustCompile(`:[0-9]+[,}]`)

// bytewise returns value with a character for each of its bytes. The package
// uritemplate encodes code points where RFC 6570 has the bytes of UTF-8, so that
// a letter could come out as a slash; for characters below U+0100 both are the
// same. It counts characters in prefixes, which then would be bytes.
func bytewise(value, template string) (string, error) {
	if !utf8.ValidString(value) || strings.Contains(value, "\x00") {
		return "", errors.New("it is not text in UTF-8, or holds a NUL")
	}
	widened := make([]rune, len(value))
	for i := range len(value) {
		widened[i] = rune(value[i])
	}
	if len(widened) > utf8.RuneCountInString(value) && prefixed.MatchString(template) {
		return "", errors.New("prefixes of text that is not ASCII are not supported")
	}
	return string(widened), nil
}
