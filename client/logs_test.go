package client_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// logging are steps that log on a call's stream.
func logging(levels ...string) []fault.Step {
	var steps []fault.Step
	for _, level := range levels {
		steps = append(steps, fault.Message(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"`+level+`","logger":"l","data":{"n":9007199254740993}}}`))
	}
	return steps
}

// M-LOG-01, B-CAP-01: a modern call names its level; L-LOG-01: a legacy
// session is set to it once, if the server logs. Levels that nobody asked for
// are not passed on.
func TestLogsAreAskedForAsTheEraHasIt(t *testing.T) {
	either(t, logging("debug", "error", "emergency", "vendor"), func(t *testing.T, s *scripted) {
		c := s.connected(t)
		for range 2 {
			var got []string
			if _, err := c.CallTool(t.Context(), "echo", nil, client.Logs(protocol.LogError, func(m protocol.LogMessage) {
				got = append(got, fmt.Sprint(m.Level, " ", m.Logger, " ", string(m.Data)))
			})); err != nil {
				t.Fatal(err)
			}
			want := []string{`error l {"n":9007199254740993}`, `emergency l {"n":9007199254740993}`, `vendor l {"n":9007199254740993}`}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("logs (-want +got):\n%s", diff)
			}
		}
		level := member(t, s.await(t, protocol.MethodCallTool, 2).Body, "params", "_meta", "io.modelcontextprotocol/logLevel")
		switch c.Era().String() {
		case "modern":
			if level != `"error"` || s.Count(protocol.MethodSetLevel) != 0 {
				t.Errorf("level %s, %d times logging/setLevel", level, s.Count(protocol.MethodSetLevel))
			}
		default:
			if level != "" || s.Count(protocol.MethodSetLevel) != 0 { // it declared no logging
				t.Errorf("level %s, %d times logging/setLevel", level, s.Count(protocol.MethodSetLevel))
			}
		}
	})
}

// A legacy session logs what the most talkative call wants; each call gets what
// it asked for.
func TestALegacySessionsLevelIsThatOfTheMostTalkativeCall(t *testing.T) {
	s := overHTTP(t, fault.Legacy("2025-11-25").With(fault.Script{
		protocol.MethodInitialize: {{fault.Result(`{"protocolVersion":"2025-11-25","capabilities":{"logging":{}},"serverInfo":{"name":"a","version":"1"}}`)}},
		protocol.MethodSetLevel:   {{fault.Result(`{}`)}},
		protocol.MethodCallTool:   {append(append(fault.Answer{fault.Stream()}, logging("info", "alert")...), fault.Content("done"))},
	}))
	c := s.connected(t)
	for _, tc := range []struct {
		level protocol.LogLevel
		want  int
		set   int // how often the level has been set by then
	}{{protocol.LogAlert, 1, 1}, {protocol.LogAlert, 1, 1}, {protocol.LogInfo, 2, 2}, {protocol.LogEmergency, 0, 2}} {
		n := 0
		if _, err := c.CallTool(t.Context(), "echo", nil, client.Logs(tc.level, func(protocol.LogMessage) { n++ })); err != nil {
			t.Fatal(err)
		}
		if n != tc.want || s.Count(protocol.MethodSetLevel) != tc.set {
			t.Errorf("%s: %d messages and the level set %d times, want %d and %d", tc.level, n, s.Count(protocol.MethodSetLevel), tc.want, tc.set)
		}
	}
	if err := c.SetLogLevel(t.Context(), protocol.LogDebug); err != nil {
		t.Error(err)
	}
	if got := member(t, s.await(t, protocol.MethodSetLevel, 3).Body, "params", "level"); got != `"debug"` {
		t.Errorf("set %s", got)
	}
}

// L-HTTP-09: a server may log on its own stream, not the call's.
func TestLogsOnTheServersOwnStreamReachTheCall(t *testing.T) {
	s := overHTTP(t, fault.Legacy("2025-11-25").With(fault.Script{
		fault.GET:               {append(append(fault.Answer{fault.Stream(), fault.After(protocol.MethodCallTool)}, logging("error")...), fault.Silence())},
		protocol.MethodCallTool: {{fault.Hold("logged"), fault.Content("done")}},
	}))
	c := s.connected(t)
	got := 0
	if _, err := c.CallTool(t.Context(), "echo", nil, client.Logs(protocol.LogInfo, func(protocol.LogMessage) {
		got++
		s.Release("logged")
	})); err != nil || got != 1 {
		t.Errorf("%d messages, %v", got, err)
	}
}
