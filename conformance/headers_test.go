package conformance

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

func TestCheckHeaders(t *testing.T) {
	const call = `{"name":"t","arguments":{"region":"eu","limit":42.0,"dryRun":false,"tenant":{"id":"ü"}}}`
	callHeaders := []string{
		"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "t",
		"Mcp-Param-Region", "eu", "Mcp-Param-Limit", "42", "Mcp-Param-Dry-Run", "false", "Mcp-Param-Tenant-Id", "=?base64?w7w=?=",
	}
	annotations, err := paramHeaders(jsontext.Value(headerSchema))
	if err != nil {
		t.Fatal(err)
	}
	// change edits the headers: "-" deletes, "+x" adds a second value.
	type change map[string]string
	for name, tc := range map[string]struct {
		method, params, version string
		headers                 []string
		change                  change
		want                    int64
	}{
		"all headers agree":                          {want: 0},
		"names are case-insensitive":                 {change: change{"mcp-METHOD": "tools/call"}, want: 0},
		"1: the version header is missing":           {change: change{"Mcp-Protocol-Version": "-"}, want: -32020},
		"1: the version header appears twice":        {change: change{"Mcp-Protocol-Version": "+2026-07-28"}, want: -32020},
		"1: the version header disagrees":            {change: change{"Mcp-Protocol-Version": "2025-11-25"}, want: -32020},
		"1 before 2: a mismatch of unknown versions": {version: "2030-01-01", change: change{"Mcp-Protocol-Version": "2031-01-01"}, want: -32020},
		"2: the version is not spoken":               {version: "2030-01-01", change: change{"Mcp-Protocol-Version": "2030-01-01"}, want: -32022},
		"2: a legacy version has no modern form":     {version: "2025-11-25", change: change{"Mcp-Protocol-Version": "2025-11-25"}, want: -32022},
		"2 before 3: an unknown version, no method":  {version: "2030-01-01", change: change{"Mcp-Protocol-Version": "2030-01-01", "Mcp-Method": "-"}, want: -32022},
		"3: the method header is missing":            {change: change{"Mcp-Method": "-"}, want: -32020},
		"3: the method header appears twice":         {change: change{"Mcp-Method": "+tools/call"}, want: -32020},
		"3: the method header differs in case":       {change: change{"Mcp-Method": "Tools/Call"}, want: -32020},
		"4: the name header is missing":              {change: change{"Mcp-Name": "-"}, want: -32020},
		"4: the name header appears twice":           {change: change{"Mcp-Name": "+t"}, want: -32020},
		"4: the name header disagrees":               {change: change{"Mcp-Name": "u"}, want: -32020},
		"4: the name header may be Base64":           {change: change{"Mcp-Name": "=?base64?dA==?="}, want: 0},
		"4: the name header is broken Base64":        {change: change{"Mcp-Name": "=?base64?dA?="}, want: -32020},
		"4: the body has no name":                    {params: `{}`, want: -32020},
		"4: resources/read mirrors the uri":          {method: "resources/read", params: `{"uri":"t"}`, want: 0},
		"4: resources/read with another uri":         {method: "resources/read", params: `{"uri":"x"}`, want: -32020},
		"4: prompts/get mirrors the name":            {method: "prompts/get", params: `{"name":"t"}`, want: 0},
		"4: tasks/get mirrors the task id":           {method: "tasks/get", params: `{"taskId":"t"}`, want: 0},
		"4: tasks/update mirrors the task id":        {method: "tasks/update", params: `{"taskId":"x"}`, want: -32020},
		"4: tasks/cancel mirrors the task id":        {method: "tasks/cancel", params: `{"taskId":"x"}`, want: -32020},
		"4: a list method has no name":               {method: "tools/list", params: `{}`, change: change{"Mcp-Name": "-"}, want: 0},
		"5: a parameter header is missing":           {change: change{"Mcp-Param-Region": "-"}, want: -32020},
		"5: a parameter header appears twice":        {change: change{"Mcp-Param-Region": "+eu"}, want: -32020},
		"5: a parameter header disagrees":            {change: change{"Mcp-Param-Region": "us"}, want: -32020},
		"5: a nested parameter header disagrees":     {change: change{"Mcp-Param-Tenant-Id": "u"}, want: -32020},
		"5: a number compares by value":              {change: change{"Mcp-Param-Limit": "42.0"}, want: 0},
		"5: another number disagrees":                {change: change{"Mcp-Param-Limit": "43"}, want: -32020},
		"5: a number in other words disagrees":       {change: change{"Mcp-Param-Limit": "forty-two"}, want: -32020},
		"5: a boolean has one spelling":              {change: change{"Mcp-Param-Dry-Run": "False"}, want: -32020},
		"5: a header without an argument":            {params: `{"name":"t","arguments":{}}`, want: -32020},
		"5: a header for a null argument":            {params: strings.Replace(call, `"eu"`, "null", 1), want: -32020},
		"5: no header for a null argument":           {params: strings.Replace(call, `"eu"`, "null", 1), change: change{"Mcp-Param-Region": "-"}, want: 0},
		"5: a header that no annotation names":       {change: change{"Mcp-Param-Other": "x"}, want: 0},
		"5: an argument that has no header form":     {params: strings.Replace(call, `"eu"`, `["eu"]`, 1), want: -32020},
		"5: a header with bytes outside ASCII":       {change: change{"Mcp-Param-Region": "\xc3\xbc"}, want: -32020},
		"5: only tools/call has parameter headers":   {method: "prompts/get", params: `{"name":"t"}`, change: change{"Mcp-Param-Region": "x"}, want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			method, params, version := tc.method, tc.params, tc.version
			if method == "" {
				method = "tools/call"
			}
			if params == "" {
				params = call
			}
			if version == "" {
				version = "2026-07-28"
			}
			h := http.Header{}
			for i := 0; i < len(callHeaders); i += 2 {
				h.Set(callHeaders[i], callHeaders[i+1])
			}
			if method != "tools/call" {
				h.Set("Mcp-Method", method)
			}
			for name, value := range tc.change {
				switch {
				case value == "-":
					h.Del(name)
				case strings.HasPrefix(value, "+"):
					h.Add(name, value[1:])
				default:
					h.Set(name, value)
				}
			}
			m := &protocol.Message{ID: protocol.NumberID(1), Method: method, Params: jsontext.Value(params)}
			e := checkHeaders(h, m, version, []string{"2026-07-28", "2025-11-25"}, func(string) []paramHeader { return annotations })
			var got int64
			if e != nil {
				got = e.Code
			}
			if got != tc.want {
				t.Errorf("code = %d (%v), want %d", got, e, tc.want)
			}
		})
	}
}

func TestHeaderErrorsNameTheHeaderAndNotItsValue(t *testing.T) {
	e := serve(t)
	body := modernBody("tools/call", `"name":"test_header_params","arguments":{"region":"confidential"}`, emptyCaps)
	for header, headers := range map[string][]string{
		"Mcp-Protocol-Version": modernHeaders("tools/call", "test_header_params", "Mcp-Protocol-Version", "secret"),
		"Mcp-Method":           modernHeaders("tools/call", "test_header_params", "Mcp-Method", "secret"),
		"Mcp-Name":             modernHeaders("tools/call", "test_header_params", "Mcp-Name", "secret"),
		"Mcp-Param-Region":     modernHeaders("tools/call", "test_header_params", "Mcp-Param-Region", "secret"),
	} {
		t.Run(header, func(t *testing.T) {
			// The last value wins in this client, so drop the default first.
			headers := dropEarlier(headers)
			a := e.post(body, headers...)
			if a.Status != 400 || a.code() != -32020 {
				t.Fatalf("status %d, body %s", a.Status, a.Body)
			}
			if !strings.Contains(a.Msg.Error.Message, header) {
				t.Errorf("message %q does not name the header", a.Msg.Error.Message)
			}
			if strings.Contains(a.Body, "secret") || strings.Contains(a.Body, "confidential") {
				t.Errorf("body %s repeats a value", a.Body)
			}
		})
	}
}

// dropEarlier keeps the last value of each header.
func dropEarlier(headers []string) []string {
	last := map[string]int{}
	for i := 0; i < len(headers); i += 2 {
		last[http.CanonicalHeaderKey(headers[i])] = i
	}
	var out []string
	for i := 0; i < len(headers); i += 2 {
		if last[http.CanonicalHeaderKey(headers[i])] == i {
			out = append(out, headers[i], headers[i+1])
		}
	}
	return out
}

func TestAnUnsupportedVersionComesWithTheSupportedOnes(t *testing.T) {
	e := serve(t)
	body := strings.ReplaceAll(modernBody("tools/list", "", emptyCaps), "2026-07-28", "2031-01-01")
	a := e.post(body, "MCP-Protocol-Version", "2031-01-01", "Mcp-Method", "tools/list")
	if a.Status != 400 || a.code() != -32022 {
		t.Fatalf("status %d, body %s", a.Status, a.Body)
	}
	if got := string(a.Msg.Error.Data); got != `{"supported":["2026-07-28","2025-11-25","2025-06-18"],"requested":"2031-01-01"}` {
		t.Errorf("data = %s", got)
	}
}

func TestDecodeHeaderValue(t *testing.T) {
	for name, tc := range map[string]struct {
		in, want string
		ok       bool
	}{
		"plain text is itself":             {"eu west", "eu west", true},
		"a wrapper is decoded":             {"=?base64?SGVsbG8=?=", "Hello", true},
		"a wrapper may hold nothing":       {"=?base64??=", "", true},
		"a wrapper may hold a wrapper":     {"=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?literal?=", true},
		"without the suffix it is literal": {"=?base64?SGVsbG8=", "=?base64?SGVsbG8=", true},
		"without the prefix it is literal": {"SGVsbG8=?=", "SGVsbG8=?=", true},
		"the wrapper is case-sensitive":    {"=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?=", true},
		"missing padding is malformed":     {"=?base64?SGVsbG8?=", "", false},
		"letters outside the alphabet":     {"=?base64?SGVs!!!bG8=?=", "", false},
		"trailing bits that are not zero":  {"=?base64?SGVsbG9=?=", "", false},
		"bytes that are not UTF-8":         {"=?base64?/w==?=", "", false},
		"a byte outside ASCII":             {"\xff", "", false},
		"a control character":              {"a\x01", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := decodeHeaderValue(tc.in)
			if got != tc.want || ok != tc.ok {
				t.Errorf("decodeHeaderValue(%q) = %q, %v; want %q, %v", tc.in, got, ok, tc.want, tc.ok)
			}
		})
	}
}

func TestLegacyVersionHeader(t *testing.T) {
	e := serve(t)
	e.open()
	for name, tc := range map[string]struct {
		body    string
		headers []string
		status  int
		code    int64
	}{
		"a version that is spoken passes":         {legacyBody("ping", "{}"), []string{"MCP-Protocol-Version", "2025-06-18"}, 200, 0},
		"no header passes":                        {legacyBody("ping", "{}"), nil, 200, 0},
		"a version that is not spoken is refused": {legacyBody("ping", "{}"), []string{"MCP-Protocol-Version", "2024-11-05"}, 400, -32600},
		"two headers are refused":                 {legacyBody("ping", "{}"), []string{"MCP-Protocol-Version", "2025-06-18", "MCP-Protocol-Version", "2025-11-25"}, 400, -32600},
		"initialize is exempt":                    {initializeBody, []string{"MCP-Protocol-Version", "1999-01-01"}, 200, 0},
		"the modern headers are not looked at":    {legacyBody("ping", "{}"), []string{"Mcp-Method", "tools/list", "Mcp-Name", "x"}, 200, 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := e.post(tc.body, tc.headers...)
			if a.Status != tc.status || a.code() != tc.code {
				t.Fatalf("status %d, body %s", a.Status, a.Body)
			}
			if tc.code != 0 && string(a.Msg.Error.Data) != `{"supported":["2026-07-28","2025-11-25","2025-06-18"]}` {
				t.Errorf("data = %s", a.Msg.Error.Data)
			}
		})
	}
}
