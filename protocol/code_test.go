package protocol_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/protocol"
)

// M-ERR-01, M-ERR-03: the codes that mean something, and no others.
func TestCodes(t *testing.T) {
	for want, got := range map[int64]int64{
		-32700: protocol.CodeParse,
		-32600: protocol.CodeInvalidRequest,
		-32601: protocol.CodeMethodNotFound,
		-32602: protocol.CodeInvalidParams,
		-32603: protocol.CodeInternal,
		-32020: protocol.CodeHeaderMismatch,
		-32021: protocol.CodeMissingClientCapability,
		-32022: protocol.CodeUnsupportedVersion,
		-32002: protocol.CodeLegacyResourceNotFound,
		-32042: protocol.CodeURLElicitationRequired,
	} {
		if got != want {
			t.Errorf("the code %d is %d", want, got)
		}
	}
}

func TestErrorIsComparesCodes(t *testing.T) {
	err := fmt.Errorf("tools/call: %w", &protocol.Error{Code: -32601, Message: "no such method", Data: jsontext.Value(`{}`)})
	for name, tc := range map[string]struct {
		target error
		want   bool
	}{
		"the sentinel of the code":    {protocol.ErrMethodNotFound, true},
		"an error of the same code":   {&protocol.Error{Code: -32601}, true},
		"the sentinel of another":     {protocol.ErrInvalidParams, false},
		"an error of another code":    {&protocol.Error{Code: -32600, Message: "no such method"}, false},
		"an error of another package": {errors.New("no such method"), false},
	} {
		if got := errors.Is(err, tc.target); got != tc.want {
			t.Errorf("%s: errors.Is is %v", name, got)
		}
	}
	if !errors.Is(&protocol.Error{Code: -32602}, protocol.ErrInvalidParams) {
		t.Error("-32602 is not ErrInvalidParams")
	}
	for want, sentinel := range map[string]error{
		`server error -32601: "method not found"`: protocol.ErrMethodNotFound,
		`server error -32602: "invalid params"`:   protocol.ErrInvalidParams,
	} {
		if sentinel.Error() != want {
			t.Errorf("Error() is %s, want %s", sentinel, want)
		}
	}
}

func TestErrorText(t *testing.T) {
	err := &protocol.Error{Code: -32602, Message: "limit\nmust be \"> 0\""}
	if got, want := err.Error(), `server error -32602: "limit\nmust be \"> 0\""`; got != want {
		t.Errorf("Error() is %s, want %s", got, want)
	}
	err.Message = strings.Repeat("\x1b", 1<<20)
	if n := len(err.Error()); n > 1300 {
		t.Errorf("the text of a long error has %d bytes", n)
	}
}

func TestSupportedVersions(t *testing.T) {
	for name, tc := range map[string]struct {
		code int64
		data string
		want []string
	}{
		"the server's order is kept":          {-32022, `{"supported":["2025-11-25","2026-07-28"],"requested":"x"}`, []string{"2025-11-25", "2026-07-28"}},
		"an empty list is empty":              {-32022, `{"supported":[]}`, []string{}},
		"another error has no list":           {-32602, `{"supported":["2026-07-28"]}`, nil},
		"no data":                             {-32022, ``, nil},
		"data of null":                        {-32022, `null`, nil},
		"data that is a list":                 {-32022, `["2026-07-28"]`, nil},
		"data without the list":               {-32022, `{"requested":"x"}`, nil},
		"a list of null":                      {-32022, `{"supported":null}`, nil},
		"a list that is a string":             {-32022, `{"supported":"2026-07-28"}`, nil},
		"a list with a number":                {-32022, `{"supported":["2026-07-28",1]}`, nil},
		"a list under another spelling":       {-32022, `{"Supported":["2026-07-28"]}`, nil},
		"a list that is there twice":          {-32022, `{"supported":["a"],"supported":["2026-07-28"]}`, nil},
		"members that are not known: skipped": {-32022, `{"x":1,"supported":["2026-07-28"]}`, []string{"2026-07-28"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := &protocol.Error{Code: tc.code, Data: jsontext.Value(tc.data)}
			if diff := cmp.Diff(tc.want, e.SupportedVersions()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestQuote(t *testing.T) {
	full := strings.Repeat("a", 300)
	for name, tc := range map[string]struct{ said, want string }{
		"plain text":                   {"Bad Request", `"Bad Request"`},
		"nothing":                      {"", `""`},
		"line ends and quotes":         {"a\r\n\"b\"", `"a\r\n\"b\""`},
		"a terminal's control code":    {"\x1b[2J", `"\x1b[2J"`},
		"a change of the direction":    {"\u202Egpj", `"\u202egpj"`},
		"bytes that are not UTF-8":     {"\xff", `"\xff"`},
		"text outside ASCII":           {"é漢", `"é漢"`},
		"text of just the bound":       {full, `"` + full + `"`},
		"text one byte past the bound": {full + "b", `"` + full + `"…`},
		"a character across the bound": {full[:299] + "é", `"` + full[:299] + `\xc3"…`},
	} {
		if got := protocol.Quote(tc.said); got != tc.want {
			t.Errorf("%s: Quote is %s, want %s", name, got, tc.want)
		}
		if got := protocol.Quote([]byte(tc.said)); got != tc.want {
			t.Errorf("%s: Quote of bytes is %s, want %s", name, got, tc.want)
		}
	}
}
