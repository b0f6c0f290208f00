package conformance

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// The wrapper of a header value that is not plain ASCII.
//
// Source: MCP 2026-07-28, Streamable HTTP, "Value Encoding".
const (
	base64Prefix = "=?base64?"
	base64Suffix = "?="
)

// decodeHeaderValue returns the text that a header value stands for: itself,
// or the UTF-8 text inside the Base64 wrapper. It fails on bytes that a header
// may not hold and on a wrapper whose contents are no strict Base64.
func decodeHeaderValue(value string) (string, bool) {
	for _, b := range []byte(value) {
		if (b < 0x20 || b > 0x7E) && b != '\t' {
			return "", false
		}
	}
	inner, ok := strings.CutPrefix(value, base64Prefix)
	if !ok {
		return value, true
	}
	if inner, ok = strings.CutSuffix(inner, base64Suffix); !ok {
		return value, true
	}
	text, err := base64.StdEncoding.Strict().DecodeString(inner)
	if err != nil || strings.ContainsAny(inner, "\r\n") || !utf8.Valid(text) {
		return "", false
	}
	return string(text), true
}
