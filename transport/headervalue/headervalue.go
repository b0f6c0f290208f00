// Package headervalue writes values of MCP messages as HTTP header values.
package headervalue

import (
	"encoding/base64"
	"strings"
)

// Encode returns value in a form fit for a header: as it is when it is visible
// ASCII and blanks, none of them at its ends, else the Base64 of its UTF-8
// between the markers =?base64? and ?=. A plain value that looks like the
// encoded form is encoded too, so that decoding gives it back.
//
// Source: MCP 2026-07-28, streamable-http, "Value Encoding".
func Encode(value string) string {
	if plain(value) {
		return value
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="
}

// plain reports whether value can travel as it is.
func plain(value string) bool {
	for i := range len(value) {
		if value[i] < ' ' || value[i] > '~' {
			return false
		}
	}
	if strings.TrimSpace(value) != value {
		return false
	}
	return !(strings.HasPrefix(value, "=?base64?") && strings.HasSuffix(value, "?="))
}

// IsToken reports whether name can be a header's name.
//
// Source: RFC 9110, 5.6.2.
func IsToken(name string) bool {
	for i := range len(name) {
		c := name[i]
		alphanumeric := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !alphanumeric && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return name != ""
}
