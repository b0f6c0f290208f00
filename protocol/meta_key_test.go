package protocol_test

import (
	"strings"
	"testing"

	"github.com/mcpera/mcpera/protocol"
)

func TestCheckMetaKey(t *testing.T) {
	for _, key := range []string{
		"a", "A9", "a-b_c.d", "9lives", "traceparent", "tracestate", "baggage",
		"com.example/a", "com.example/", "localhost/a", "a-1.b-2.c3/x",
		"mcp.example/a", "com.example.mcp/a", // the second label is what is reserved
		"com.mcpera/a", "com.mcp-tools/a",
	} {
		if err := protocol.CheckMetaKey(key); err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
	for key, why := range map[string]string{
		"":                             "grammar",
		"-a":                           "grammar",
		"a-":                           "grammar",
		".a":                           "grammar",
		"a b":                          "grammar",
		"a\n":                          "grammar",
		"é":                            "grammar",
		"/a":                           "grammar",
		"com.example/a/b":              "grammar",
		"9com.example/a":               "grammar",
		"com.-x/a":                     "grammar",
		"com.x-/a":                     "grammar",
		"com..example/a":               "grammar",
		"com_x/a":                      "grammar",
		"io.modelcontextprotocol/a":    "reserved",
		"dev.mcp/":                     "reserved",
		"org.modelcontextprotocol.x/a": "reserved",
		"com.mcp.tools/a":              "reserved",
		protocol.MetaServerInfo:        "reserved",
		protocol.MetaProgressToken:     "set by the client",
	} {
		if err := protocol.CheckMetaKey(key); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want it to say %q", key, err, why)
		}
	}
}
