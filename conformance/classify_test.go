package conformance

import (
	"strings"
	"testing"

	"github.com/mcpera/mcpera/protocol"
)

const (
	pv   = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
	caps = `"io.modelcontextprotocol/clientCapabilities":{}`
)

func request(method, meta string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"_meta":{` + meta + `}}}`
}

func TestClassify(t *testing.T) {
	for name, tc := range map[string]struct {
		eras    Era
		message string
		header  string
		want    Era
		code    int64
	}{
		"both keys are modern":                           {message: request("tools/list", pv+","+caps), want: Modern},
		"both keys make even initialize modern":          {message: request("initialize", pv+","+caps), want: Modern},
		"both keys make a notification modern":           {message: strings.Replace(request("notifications/x", pv+","+caps), `"id":1,`, "", 1), want: Modern},
		"the version alone is refused":                   {message: request("tools/list", pv), code: -32602},
		"the capabilities alone are refused":             {message: request("tools/list", caps), code: -32602},
		"one key is refused on discover too":             {message: request("server/discover", pv), code: -32602},
		"neither key on discover is modern":              {message: request("server/discover", ""), want: Modern},
		"discover without params is modern":              {message: `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, want: Modern},
		"discover with a legacy header is modern":        {message: request("server/discover", ""), header: "2025-11-25", want: Modern},
		"discover with a modern header lacks its keys":   {message: request("server/discover", ""), header: "2026-07-28", code: -32602},
		"neither key is legacy":                          {message: request("tools/list", ""), want: Legacy},
		"a modern header alone makes nothing modern":     {message: request("tools/list", ""), header: "2026-07-28", want: Legacy},
		"_meta that is no object holds no keys":          {message: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":7}}`, want: Legacy},
		"params that are no object hold no keys":         {message: `{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, want: Legacy},
		"a response is legacy":                           {message: `{"jsonrpc":"2.0","id":1,"result":{}}`, want: Legacy},
		"a version that is no string is refused":         {message: request("tools/list", `"io.modelcontextprotocol/protocolVersion":1,`+caps), code: -32602},
		"capabilities that are no object are refused":    {message: request("tools/list", pv+`,"io.modelcontextprotocol/clientCapabilities":[]`), code: -32602},
		"a clientInfo that is no object is refused":      {message: request("tools/list", pv+","+caps+`,"io.modelcontextprotocol/clientInfo":"x"`), code: -32602},
		"a log level of its own invention is refused":    {message: request("tools/list", pv+","+caps+`,"io.modelcontextprotocol/logLevel":"loud"`), code: -32602},
		"a log level that is no string is refused":       {message: request("tools/list", pv+","+caps+`,"io.modelcontextprotocol/logLevel":3`), code: -32602},
		"every log level is taken":                       {message: request("tools/list", pv+","+caps+`,"io.modelcontextprotocol/logLevel":"emergency"`), want: Modern},
		"a legacy-only server does not look at the keys": {eras: Legacy, message: request("tools/list", pv), want: Legacy},
		"a modern-only server wants the keys":            {eras: Modern, message: request("tools/list", ""), code: -32602},
		"a modern-only server knows initialize":          {eras: Modern, message: request("initialize", ""), want: Legacy},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := protocol.Decode([]byte(tc.message))
			if err != nil {
				t.Fatal(err)
			}
			env, e := classify(tc.eras, m, tc.header)
			switch {
			case e == nil && tc.code != 0:
				t.Errorf("classified as %v, want error %d", env.era, tc.code)
			case e != nil && e.Code != tc.code:
				t.Errorf("error %d (%s), want %d", e.Code, e.Message, tc.code)
			case e == nil && env.era != tc.want:
				t.Errorf("era = %v, want %v", env.era, tc.want)
			}
		})
	}
}

func TestMetadataErrorsNameTheKeyAndNotItsValue(t *testing.T) {
	e := serve(t)
	for key, value := range map[string]string{
		"io.modelcontextprotocol/protocolVersion":    `{"secret":1}`,
		"io.modelcontextprotocol/clientCapabilities": `"secret"`,
		"io.modelcontextprotocol/clientInfo":         `"secret"`,
		"io.modelcontextprotocol/logLevel":           `"secret"`,
	} {
		t.Run(key, func(t *testing.T) {
			meta := map[string]string{"io.modelcontextprotocol/protocolVersion": `"2026-07-28"`, "io.modelcontextprotocol/clientCapabilities": "{}"}
			meta[key] = value
			var members []string
			for k, v := range meta {
				members = append(members, `"`+k+`":`+v)
			}
			a := e.post(request("tools/list", strings.Join(members, ",")), modernHeaders("tools/list", "")...)
			if a.Status != 400 || a.code() != -32602 {
				t.Fatalf("status %d, body %s", a.Status, a.Body)
			}
			if !strings.Contains(a.Msg.Error.Message, key) || strings.Contains(a.Body, "secret") {
				t.Errorf("message %q", a.Msg.Error.Message)
			}
		})
	}
}
