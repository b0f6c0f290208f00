package headervalue_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/transport/headervalue"
)

// M-HTTP-09, M-HTTP-16, M-HTTP-17, M-HTTP-18, B102, B103, B104: what goes into
// a header as it is, and what as Base64.
func TestEncode(t *testing.T) {
	for name, tc := range map[string]struct{ value, want string }{
		// Source: MCP 2026-07-28, streamable-http, "Encoding examples".
		"plain ASCII":              {"us-west1", "us-west1"},
		"beyond ASCII":             {"Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="},
		"blanks around":            {" padded ", "=?base64?IHBhZGRlZCA=?="},
		"a line break":             {"line1\nline2", "=?base64?bGluZTEKbGluZTI=?="},
		"what looks encoded":       {"=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="},
		"nothing":                  {"", ""},
		"blanks inside":            {"a  b", "a  b"},
		"a leading blank":          {" a", "=?base64?IGE=?="},
		"a trailing blank":         {"a ", "=?base64?YSA=?="},
		"only a blank":             {" ", "=?base64?IA==?="},
		"a tab":                    {"a\tb", "=?base64?YQli?="},
		"DEL":                      {"a\x7f", "=?base64?YX8=?="},
		"NUL":                      {"\x00", "=?base64?AA==?="},
		"the last plain character": {"~", "~"},
		"a header injection":       {"a\r\nX-Evil: 1", "=?base64?YQ0KWC1FdmlsOiAx?="},
		"the encoded form itself":  {"=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="},
		"markers that overlap":     {"=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="},
		"only the first marker":    {"=?base64?x", "=?base64?x"},
		"only the last marker":     {"x?=", "x?="},
		"markers in capitals":      {"=?BASE64?x?=", "=?BASE64?x?="},
		"what is not UTF-8":        {"\xff", "=?base64?/w==?="},
	} {
		t.Run(name, func(t *testing.T) {
			if got := headervalue.Encode(tc.value); got != tc.want {
				t.Errorf("Encode(%q) = %q, want %q", tc.value, got, tc.want)
			}
		})
	}
}

// decodeValue is what a server does with a header value.
func decodeValue(value string) (string, error) {
	encoded, ok := strings.CutPrefix(value, "=?base64?")
	if !ok || !strings.HasSuffix(encoded, "?=") {
		return value, nil
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(encoded, "?="))
	return string(raw), err
}

func FuzzEncode(f *testing.F) {
	for _, seed := range []string{"", "us-west1", "世界", " a", "a\r\nb", "=?base64?x?=", "=?base64?=", "\xff\t"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		encoded := headervalue.Encode(value)
		if !visible(encoded) || strings.TrimSpace(encoded) != encoded {
			t.Errorf("Encode(%q) = %q, which no header can carry unchanged", value, encoded)
		}
		if got, err := decodeValue(encoded); err != nil || got != value {
			t.Errorf("Encode(%q) = %q decodes to %q, %v", value, encoded, got, err)
		}
	})
}

// visible reports whether value is visible ASCII and blanks.
func visible(value string) bool {
	for _, b := range []byte(value) {
		if b < ' ' || b > '~' {
			return false
		}
	}
	return true
}

func TestIsToken(t *testing.T) {
	for name, want := range map[string]bool{
		"": false, "X-Region": true, "!#$%&'*+-.^_`|~09azAZ": true,
		"a b": false, "a:": false, "a\r\n": false, "(a)": false, "Grüße": false, "\x7f": false, "a\x80": false,
	} {
		if got := headervalue.IsToken(name); got != want {
			t.Errorf("IsToken(%q) = %v, want %v", name, got, want)
		}
	}
}
