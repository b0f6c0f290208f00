package main

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/mcpera/mcpera/protocol"
)

func TestCapabilityNames(t *testing.T) {
	for in, want := range map[string]string{
		`{}`:           "",
		`{"tools":{}}`: "tools",
		`{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{},"completions":{}}`:                                              "tools (list changes), resources (subscriptions), prompts, completions, logging",
		`{"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"extensions":{"b/x\u001b":{},"a/x":{}},"experimental":{"later":{}}}`: "resources (list changes, subscriptions), prompts (list changes), a/x, b/x, later",
	} {
		var c protocol.ServerCapabilities
		if err := json.Unmarshal([]byte(in), &c); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(capabilityNames(c), ", "); got != want {
			t.Errorf("capabilityNames(%s) = %q, want %q", in, got, want)
		}
	}
}
