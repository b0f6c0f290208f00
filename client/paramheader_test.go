package client_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// annotated are input schemas with x-mcp-header, and why they are invalid; ""
// for valid ones. M-HTTP-11, each rule a row.
var annotated = map[string]struct{ schema, reason string }{
	"a string":                {`{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}`, ""},
	"an integer":              {`{"properties":{"a":{"type":"integer","x-mcp-header":"A"}}}`, ""},
	"a boolean":               {`{"properties":{"a":{"type":"boolean","x-mcp-header":"A"}}}`, ""},
	"every token character":   {"{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"!#$%&'*+-.^_`|~09azAZ\"}}}", ""},
	"nested by properties":    {`{"properties":{"a":{"type":"object","properties":{"b":{"properties":{"c":{"type":"string","x-mcp-header":"C"}}}}}}}`, ""},
	"a property of that name": {`{"properties":{"x-mcp-header":{"type":"string"}}}`, ""},
	"one of a keyword's name": {`{"properties":{"items":{"type":"string","x-mcp-header":"A"},"default":{"type":"string","x-mcp-header":"B"}}}`, ""},
	"data that looks like it": {`{"properties":{"a":{"const":{"x-mcp-header":"A"},"default":{"x-mcp-header":""},"enum":[{"x-mcp-header":1}],"examples":[{"x-mcp-header":"A"}]}}}`, ""},
	"an escaped keyword":      {`{"properties":{"a":{"type":"string","x-mcp-h\u0065ader":"A"}}}`, ""},
	"a schema without any":    {`{"properties":{"a":{"type":"number"}}}`, ""},
	"no schema":               {`null`, ""},

	"a number":              {`{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`, "no string, integer or boolean"},
	"an object":             {`{"properties":{"a":{"type":"object","x-mcp-header":"A"}}}`, "no string, integer or boolean"},
	"an array":              {`{"properties":{"a":{"type":"array","x-mcp-header":"A"}}}`, "no string, integer or boolean"},
	"null":                  {`{"properties":{"a":{"type":"null","x-mcp-header":"A"}}}`, "no string, integer or boolean"},
	"no type":               {`{"properties":{"a":{"x-mcp-header":"A"}}}`, "no string, integer or boolean"},
	"several types":         {`{"properties":{"a":{"type":["string","null"],"x-mcp-header":"A"}}}`, "no string, integer or boolean"},
	"empty":                 {`{"properties":{"a":{"type":"string","x-mcp-header":""}}}`, `"" is not a header name`},
	"a space":               {`{"properties":{"a":{"type":"string","x-mcp-header":"A B"}}}`, "is not a header name"},
	"a colon":               {`{"properties":{"a":{"type":"string","x-mcp-header":"A:"}}}`, "is not a header name"},
	"a line break":          {`{"properties":{"a":{"type":"string","x-mcp-header":"A\r\nX: 1"}}}`, "is not a header name"},
	"a control character":   {`{"properties":{"a":{"type":"string","x-mcp-header":"A\u0007"}}}`, "is not a header name"},
	"not ASCII":             {`{"properties":{"a":{"type":"string","x-mcp-header":"Ä"}}}`, "is not a header name"},
	"not a string":          {`{"properties":{"a":{"type":"string","x-mcp-header":true}}}`, "is not a string"},
	"null for a name":       {`{"properties":{"a":{"type":"string","x-mcp-header":null}}}`, "is not a string"},
	"twice":                 {`{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"A"}}}`, "repeats another"},
	"twice by case":         {`{"properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"object","properties":{"c":{"type":"string","x-mcp-header":"rEGION"}}}}}`, "repeats another"},
	"the root itself":       {`{"type":"string","x-mcp-header":"A"}`, "not reached from the root"},
	"items":                 {`{"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}`, "not reached from the root"},
	"properties in items":   {`{"properties":{"a":{"items":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}}}`, "not reached from the root"},
	"prefixItems":           {`{"properties":{"a":{"prefixItems":[{"type":"string","x-mcp-header":"A"}]}}}`, "not reached from the root"},
	"contains":              {`{"properties":{"a":{"contains":{"type":"string","x-mcp-header":"A"}}}}`, "not reached from the root"},
	"oneOf":                 {`{"oneOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`, "not reached from the root"},
	"anyOf":                 {`{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`, "not reached from the root"},
	"allOf":                 {`{"allOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`, "not reached from the root"},
	"not":                   {`{"not":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}`, "not reached from the root"},
	"if":                    {`{"if":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}`, "not reached from the root"},
	"then":                  {`{"then":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}`, "not reached from the root"},
	"else":                  {`{"else":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}`, "not reached from the root"},
	"$defs behind a $ref":   {`{"$defs":{"d":{"type":"string","x-mcp-header":"A"}},"properties":{"a":{"$ref":"#/$defs/d"}}}`, "not reached from the root"},
	"definitions":           {`{"definitions":{"d":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}}`, "not reached from the root"},
	"additionalProperties":  {`{"additionalProperties":{"type":"string","x-mcp-header":"A"}}`, "not reached from the root"},
	"patternProperties":     {`{"patternProperties":{"^a":{"type":"string","x-mcp-header":"A"}}}`, "not reached from the root"},
	"propertyNames":         {`{"propertyNames":{"type":"string","x-mcp-header":"A"}}`, "not reached from the root"},
	"dependentSchemas":      {`{"dependentSchemas":{"a":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}}`, "not reached from the root"},
	"one good, one bad":     {`{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"number","x-mcp-header":"B"}}}`, "no string, integer or boolean"},
	"too deep to look into": {strings.Repeat(`{"properties":{"p":`, 40) + `{"type":"string","x-mcp-header":"A"}` + strings.Repeat(`}}`, 40), "nests deeper than the limit"},
}

// listed is a tools/list result with a tool for each of annotated.
func listed() string {
	var tools []string
	for name, tc := range annotated {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"inputSchema":%s}`, name, tc.schema))
	}
	slices.Sort(tools)
	return `{"tools":[` + strings.Join(tools, ",") + `]}`
}

// M-HTTP-11, M-HTTP-12: one bad tool costs itself alone, with one warning that
// says which and why.
func TestToolsWithInvalidHeaderAnnotationsAreLeftOut(t *testing.T) {
	var log bytes.Buffer
	s := overHTTP(t, fault.Modern().With(fault.Script{protocol.MethodListTools: {{fault.Result(listed())}}}))
	c := s.connected(t, client.WithLogger(slog.New(slog.NewJSONHandler(&log, nil))))
	r, err := c.ListTools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	bad := 0
	for name, tc := range annotated {
		if tc.reason == "" {
			want = append(want, name)
		} else {
			bad++
		}
	}
	for _, tool := range r.Tools.Items {
		got = append(got, tool.Name)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if len(r.Tools.Dropped) != bad {
		t.Errorf("%d tools dropped, want %d", len(r.Tools.Dropped), bad)
	}
	warnings := map[string]string{}
	for line := range strings.Lines(log.String()) {
		var entry struct{ Level, Msg, Reason string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		if entry.Level != "WARN" || entry.Msg != "left out a tool" {
			t.Errorf("logged %s", line)
		}
		for name := range annotated {
			if strings.Contains(entry.Reason, fmt.Sprintf("tool %q:", name)) {
				if warnings[name] != "" {
					t.Errorf("two warnings for %s", name)
				}
				warnings[name] = entry.Reason
			}
		}
	}
	for name, tc := range annotated {
		if tc.reason == "" != (warnings[name] == "") || !strings.Contains(warnings[name], tc.reason) {
			t.Errorf("the warning for %s is %q, want %q in it", name, warnings[name], tc.reason)
		}
	}
}

// Headers exist over modern HTTP alone: elsewhere annotations mean nothing.
func TestHeaderAnnotationsMeanNothingElsewhere(t *testing.T) {
	script := fault.Script{protocol.MethodListTools: {{fault.Result(listed())}}, protocol.MethodCallTool: {
		{fault.Content("done")}, {fault.Error(protocol.CodeHeaderMismatch, "a code without meaning here")},
	}}
	for name, s := range map[string]*scripted{
		"legacy HTTP":  overHTTP(t, fault.Legacy("2025-11-25").With(script)),
		"legacy stdio": overStdio(t, fault.Legacy("2025-11-25").With(script)),
		"modern stdio": overStdio(t, fault.Modern().With(script)),
	} {
		t.Run(name, func(t *testing.T) {
			c := s.connected(t)
			r, err := c.ListTools(t.Context())
			if err != nil || len(r.Tools.Items) != len(annotated) || len(r.Tools.Dropped) != 0 {
				t.Fatalf("%d tools, %d dropped, %v", len(r.Tools.Items), len(r.Tools.Dropped), err)
			}
			if _, err := c.CallTool(t.Context(), "a string", map[string]string{"a": "x"}); err != nil {
				t.Error(err)
			}
			for name := range s.await(t, protocol.MethodCallTool, 1).Header {
				if strings.HasPrefix(name, "Mcp-Param-") {
					t.Errorf("sent %s", name)
				}
			}
			if _, err := c.CallTool(t.Context(), "a string", nil); code(err) != protocol.CodeHeaderMismatch {
				t.Errorf("CallTool: %v", err)
			}
			if n := s.Count(protocol.MethodListTools); n != 1 {
				t.Errorf("%d lists: -32020 means nothing here", n)
			}
		})
	}
}

const mirrorSchema = `{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},
	"limit":{"type":"integer","x-mcp-header":"Limit"},
	"dry":{"type":"boolean","x-mcp-header":"Dry-Run"},
	"tenant":{"type":"object","properties":{"id":{"type":"string","x-mcp-header":"Tenant"},"region":{"type":"string"}}},
	"a.b":{"type":"string","x-mcp-header":"Dotted"},
	"":{"type":"string","x-mcp-header":"Nameless"}}}`

func mirrorList() fault.Answer {
	return fault.Answer{fault.Result(`{"tools":[{"name":"echo","inputSchema":` + mirrorSchema + `}]}`)}
}

// mirrored returns the Mcp-Param-* headers of a request.
func mirrored(h http.Header) map[string]string {
	found := map[string]string{}
	for name, values := range h {
		if short, ok := strings.CutPrefix(name, "Mcp-Param-"); ok {
			found[short] = strings.Join(values, "|")
		}
	}
	return found
}

// M-HTTP-10, M-HTTP-13, M-HTTP-14, M-HTTP-16, M-HTTP-17, B105.
func TestArgumentsAreMirroredAtTheirExactPath(t *testing.T) {
	for name, tc := range map[string]struct {
		arguments string
		want      map[string]string
	}{
		"nothing given":              {`{}`, map[string]string{}},
		"null is none":               {`{"region":null,"limit":null,"dry":null,"tenant":null}`, map[string]string{}},
		"one of each":                {`{"region":"eu","limit":7,"dry":false,"tenant":{"id":"t"}}`, map[string]string{"Region": "eu", "Limit": "7", "Dry-Run": "false", "Tenant": "t"}},
		"true":                       {`{"dry":true}`, map[string]string{"Dry-Run": "true"}},
		"an empty text is a value":   {`{"region":""}`, map[string]string{"Region": ""}},
		"the same name elsewhere":    {`{"id":"x","tenant":{"region":"y","limit":3}}`, map[string]string{}},
		"a path that is no object":   {`{"tenant":["id"]}`, map[string]string{}},
		"a dot is part of a name":    {`{"a.b":"x","a":{"b":"y"}}`, map[string]string{"Dotted": "x"}},
		"a property without name":    {`{"":"x"}`, map[string]string{"Nameless": "x"}},
		"negative and zero":          {`{"limit":-0}`, map[string]string{"Limit": "0"}},
		"a float that is whole":      {`{"limit":3.0}`, map[string]string{"Limit": "3"}},
		"an exponent":                {`{"limit":1.5e3}`, map[string]string{"Limit": "1500"}},
		"the largest integer":        {`{"limit":9007199254740991}`, map[string]string{"Limit": "9007199254740991"}},
		"the smallest integer":       {`{"limit":-9007199254740991}`, map[string]string{"Limit": "-9007199254740991"}},
		"not ASCII":                  {`{"region":"Zürich"}`, map[string]string{"Region": "=?base64?WsO8cmljaA==?="}},
		"blanks around":              {`{"region":" a "}`, map[string]string{"Region": "=?base64?IGEg?="}},
		"blanks within":              {`{"region":"a b"}`, map[string]string{"Region": "a b"}},
		"a line break":               {`{"region":"a\r\nX-Evil: 1"}`, map[string]string{"Region": "=?base64?YQ0KWC1FdmlsOiAx?="}},
		"what looks encoded (B104)":  {`{"region":"=?base64?eA==?="}`, map[string]string{"Region": "=?base64?PT9iYXNlNjQ/ZUE9PT89?="}},
		"a list where a text is due": {`{"region":["a"]}`, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := overHTTP(t, fault.Modern().With(fault.Script{protocol.MethodListTools: {mirrorList()}}))
			c := s.connected(t)
			if _, err := c.ListTools(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := c.CallTool(t.Context(), "echo", []byte(tc.arguments)); err != nil {
				t.Fatal(err)
			}
			r := s.await(t, protocol.MethodCallTool, 1)
			if diff := cmp.Diff(tc.want, mirrored(r.Header)); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
			if got := member(t, r.Body, "params", "arguments"); got != tc.arguments {
				t.Errorf("the arguments became %s", got)
			}
		})
	}
}

// M-HTTP-15: what a header can't carry is not sent at all.
func TestIntegersThatNoHeaderCanCarryAreRefused(t *testing.T) {
	s := overHTTP(t, fault.Modern().With(fault.Script{protocol.MethodListTools: {mirrorList()}}))
	c := s.connected(t)
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, limit := range []string{"9007199254740992", "-9007199254740992", "9007199254740993", "1e400", "0.5", "9223372036854775807"} {
		_, err := c.CallTool(t.Context(), "echo", []byte(`{"limit":`+limit+`}`))
		if err == nil || !containsAll(err.Error(), "limit") {
			t.Errorf("%s: %v", limit, err)
		}
	}
	if n := s.Count(protocol.MethodCallTool); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// Every leg of a call has the headers, and only calls of the tool do.
func TestRetriesWithInputCarryTheHeadersToo(t *testing.T) {
	s := overHTTP(t, modernCalls(inputRequired(`"s"`, "k", asksForm), inputRequired(`"s"`), fault.Answer{fault.Content("done")}).
		With(fault.Script{protocol.MethodListTools: {mirrorList()}}))
	c := s.connected(t, client.WithHandler(accepts(nil)))
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CallTool(t.Context(), "echo", map[string]string{"region": "eu"}); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 3; n++ {
		if got := mirrored(s.await(t, protocol.MethodCallTool, n).Header); got["Region"] != "eu" {
			t.Errorf("leg %d has %v", n, got)
		}
	}
	if _, err := c.CallTool(t.Context(), "other", map[string]string{"region": "eu"}); err != nil {
		t.Fatal(err)
	}
	if got := mirrored(s.await(t, protocol.MethodCallTool, 4).Header); len(got) != 0 {
		t.Errorf("another tool has %v", got)
	}
}

// M-HTTP-19, B106: a refusal of the headers leads to one list and one retry.
func TestAHeaderMismatchListsTheToolsAndRetriesOnce(t *testing.T) {
	mismatch := fault.Answer{fault.Status(400), fault.Error(protocol.CodeHeaderMismatch, "Mcp-Param-Region is missing")}
	done := fault.Answer{fault.Content("done")}
	for name, tc := range map[string]struct {
		calls, lists []fault.Answer
		wantCalls    int
		wantLists    int
		fails        bool
	}{
		"never listed":          {[]fault.Answer{mismatch, done}, []fault.Answer{mirrorList()}, 2, 1, false},
		"refused again":         {[]fault.Answer{mismatch}, []fault.Answer{mirrorList()}, 2, 1, true},
		"the list can't be had": {[]fault.Answer{mismatch}, []fault.Answer{{fault.Error(-32603, "no")}}, 1, 1, true},
		"on a second page": {[]fault.Answer{mismatch, done}, []fault.Answer{
			{fault.Result(`{"tools":[],"nextCursor":"2"}`)}, mirrorList()}, 2, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := overHTTP(t, fault.Modern().With(fault.Script{protocol.MethodCallTool: tc.calls, protocol.MethodListTools: tc.lists}))
			_, err := s.connected(t).CallTool(t.Context(), "echo", map[string]string{"region": "eu"})
			if tc.fails != (code(err) == protocol.CodeHeaderMismatch) || !tc.fails && err != nil {
				t.Errorf("CallTool: %v", err)
			}
			if calls, lists := s.Count(protocol.MethodCallTool), s.Count(protocol.MethodListTools); calls != tc.wantCalls || lists != tc.wantLists {
				t.Errorf("%d calls and %d lists, want %d and %d", calls, lists, tc.wantCalls, tc.wantLists)
			}
			if tc.wantCalls == 2 {
				first, second := s.await(t, protocol.MethodCallTool, 1), s.await(t, protocol.MethodCallTool, 2)
				if len(mirrored(first.Header)) != 0 || mirrored(second.Header)["Region"] != "eu" || first.ID == second.ID {
					t.Errorf("first %v id %s, second %v id %s", mirrored(first.Header), first.ID, mirrored(second.Header), second.ID)
				}
			}
		})
	}
}

// A tool that was valid and is not any more is called without its headers.
func TestAToolThatBecameInvalidIsForgotten(t *testing.T) {
	s := overHTTP(t, fault.Modern().With(fault.Script{protocol.MethodListTools: {
		mirrorList(), {fault.Result(`{"tools":[{"name":"echo","inputSchema":{"x-mcp-header":"Root"}}]}`)},
	}}))
	c := s.connected(t)
	for range 2 {
		if _, err := c.ListTools(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.CallTool(t.Context(), "echo", map[string]string{"region": "eu"}); err != nil {
		t.Fatal(err)
	}
	if got := mirrored(s.await(t, protocol.MethodCallTool, 1).Header); len(got) != 0 {
		t.Errorf("sent %v", got)
	}
}

// The iterator leaves them out as the page does.
func TestTheIteratorLeavesInvalidToolsOut(t *testing.T) {
	s := overHTTP(t, fault.Modern().With(fault.Script{protocol.MethodListTools: {{fault.Result(
		`{"tools":[{"name":"bad","inputSchema":{"x-mcp-header":"Root"}},null,{"name":"good"}]}`)}}}))
	var got []string
	for tool, err := range s.connected(t).Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, tool.Name)
	}
	if diff := cmp.Diff([]string{"good"}, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}
