package client_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// X-SKL-01: what an extension defines can be asked for, in either era.
func TestRequestSendsWhatNoMethodIsFor(t *testing.T) {
	const result = `{"resultType":"complete","skills":[{"uri":"skill://a"}],"n":9007199254740993}`
	for era, script := range map[string]fault.Script{"modern": fault.Modern(), "legacy": fault.Legacy("2025-11-25")} {
		t.Run(era, func(t *testing.T) {
			overBoth(t, script.With(fault.Script{"skills/list": {{fault.Result(result)}}}), func(t *testing.T, s *scripted) {
				got, err := s.connected(t).Request(t.Context(), "skills/list", map[string]any{"tag": "x"}, client.Meta("com.example/k", 1))
				if err != nil || string(got) != result {
					t.Errorf("%s, %v", got, err)
				}
				sent := s.await(t, "skills/list", 1)
				if member(t, sent.Body, "params", "tag") != `"x"` || member(t, sent.Body, "params", "_meta", "com.example/k") != "1" {
					t.Errorf("sent %s", sent.Body)
				}
			})
		})
	}
}

func TestWhatRequestRefuses(t *testing.T) {
	s := overHTTP(t, fault.Modern())
	c := s.connected(t)
	for name, tc := range map[string]struct {
		method string
		params any
		want   string
	}{
		"a tool call":               {protocol.MethodCallTool, nil, "CallTool"},
		"another opening":           {protocol.MethodInitialize, nil, "Connect"},
		"a subscription":            {protocol.MethodListen, nil, "Subscribe"},
		"a notification":            {"notifications/skills", nil, "no request"},
		"no method":                 {"", nil, "ASCII"},
		"a blank":                   {"skills list", nil, "ASCII"},
		"a line break":              {"skills\r\nX: y", nil, "ASCII"},
		"what is no ASCII":          {"skills/größe", nil, "ASCII"},
		"params that are no object": {"skills/list", []int{1}, "not as an object"},
		"params that are no JSON":   {"skills/list", json.RawMessage(`{"a":`), "encode"},
		"a _meta in them":           {"skills/list", map[string]any{"_meta": 1}, "option Meta"},
	} {
		if _, err := c.Request(t.Context(), tc.method, tc.params); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if sent := s.Methods(); len(sent) != 1 {
		t.Errorf("sent %q", sent)
	}
	_, err := c.Request(t.Context(), "skills/list", nil)
	if server, ok := errors.AsType[*transport.ServerError](err); !ok || server.Err.Code != protocol.CodeMethodNotFound {
		t.Errorf("a server without it: %v", err)
	}
}
