package client_test

import (
	"errors"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/stdio"
)

// soonLate is a probe timeout that passes before a process has started.
var soonLate = client.WithProbeTimeout(time.Millisecond)

// B001, B006, M-VER-04, M-VER-07, M-VER-08, M-VER-09, M-VER-10: one probe
// comes before anything else, and any answer that no modern server would give
// is legacy, silence too.
func TestProbeOverStdio(t *testing.T) {
	for name, tc := range map[string]struct {
		answer fault.Answer
		want   opening
	}{
		"a DiscoverResult is modern":              {fault.Answer{fault.Discover("2026-07-28", "2025-11-25")}, becomesModern},
		"an id that became a string is the same":  {fault.Answer{fault.Message(`{"jsonrpc":"2.0","id":"${id}","result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}}`)}, becomesModern},
		"slow bytes are a DiscoverResult, too":    {fault.Answer{fault.Slow(0), fault.Discover("2026-07-28")}, becomesModern},
		"an empty list of versions is no verdict": {fault.Answer{fault.Discover()}, failsWith("verdict invalid_discover")},
		"other modern versions leave none":        {fault.Answer{fault.Discover("2027-01-01")}, failsWith("verdict no_common_version")},
		"legacy versions only are legacy":         {fault.Answer{fault.Discover("2025-11-25")}, becomesLegacy},
		"another result is legacy":                {fault.Answer{fault.Result(`{}`)}, becomesLegacy},
		"-32022 without a common version is none": {fault.Answer{fault.Unsupported("2027-01-01")}, failsWith("verdict no_common_version")},
		"-32022 with legacy versions is legacy":   {fault.Answer{fault.Unsupported("2025-06-18")}, becomesLegacy},
		"-32021 is an error":                      {fault.Answer{fault.Error(-32021, "no")}, failsWith("verdict missing_capability")},
		"-32020 is an error":                      {fault.Answer{fault.Error(-32020, "no")}, failsWith("verdict header_mismatch")},
		"-32601 is legacy":                        {fault.Answer{fault.Error(-32601, "no")}, becomesLegacy},
		"-32600 is legacy":                        {fault.Answer{fault.Error(-32600, "no")}, becomesLegacy},
		"-32602 is legacy":                        {fault.Answer{fault.Error(-32602, "no")}, becomesLegacy},
		"-32000 is legacy":                        {fault.Answer{fault.Error(-32000, "method not found")}, becomesLegacy},
		"-32603 is legacy":                        {fault.Answer{fault.Error(-32603, "no")}, becomesLegacy},
		"code 0 is legacy":                        {fault.Answer{fault.Error(0, "invalid during session initialization")}, becomesLegacy},
		"silence is legacy":                       {fault.Answer{}, becomesLegacy},
		"an answer to another request is silence": {fault.Answer{fault.Message(`{"jsonrpc":"2.0","id":99,"result":{"supportedVersions":["2026-07-28"]}}`)}, becomesLegacy},
		"a wrong-case result is silence":          {fault.Answer{fault.Message(`{"jsonrpc":"2.0","id":${id},"Result":{"supportedVersions":["2026-07-28"]}}`)}, becomesLegacy},
		"a result said twice is silence":          {fault.Answer{fault.Message(`{"jsonrpc":"2.0","id":${id},"result":{},"result":{}}`)}, becomesLegacy},
		"a batch is silence":                      {fault.Answer{fault.Message(`[{"jsonrpc":"2.0","id":${id},"result":{}}]`)}, becomesLegacy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := overStdio(t, answering(tc.answer))
			timeout := client.WithProbeTimeout(never)
			if tc.want == becomesLegacy { // silent ones need it to pass, the others don't mind
				timeout = client.WithProbeTimeout(300 * time.Millisecond)
			}
			if diff := cmp.Diff(tc.want, s.open(t, timeout)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n := s.Count(fault.Start); n != 1 {
				t.Errorf("%d starts, want 1", n)
			}
		})
	}
}

func TestTheNarrowRuleOverStdioTakesMethodNotFoundOnly(t *testing.T) {
	for name, tc := range map[string]struct {
		answer fault.Answer
		want   opening
	}{
		"-32601 is legacy": {fault.Answer{fault.Error(-32601, "no")}, becomesLegacy},
		"-32000 is none":   {fault.Answer{fault.Error(-32000, "no")}, failsWith("verdict refused")},
		"an exit is none":  {fault.Answer{fault.Exit(1)}, failsWith("verdict refused")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := overStdio(t, answering(tc.answer))
			if diff := cmp.Diff(tc.want, s.open(t, client.WithRule(negotiation.RuleNarrow))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// B002: some legacy servers leave when their first message is not initialize.
func TestAProcessThatLeavesOnTheProbeIsStartedOnceMore(t *testing.T) {
	for name, answer := range map[string]fault.Answer{
		"with status 1":    {fault.Stderr("expected initialize\n"), fault.Exit(1)},
		"with status 0":    {fault.Exit(0)},
		"in mid-message":   {fault.Cut(10), fault.Error(-32601, "no"), fault.Exit(1)},
		"after some noise": {fault.Raw("panic: unknown method\n"), fault.Exit(101)},
		"by its output":    {fault.Reset()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := overStdio(t, answering(answer))
			if diff := cmp.Diff(becomesLegacy, s.open(t)); diff != "" {
				t.Errorf("first Connect (-want +got):\n%s", diff)
			}
			if n := s.Count(fault.Start); n != 2 {
				t.Errorf("%d starts, want 2", n)
			}
			if got := s.await(t, protocol.MethodInitialize, 1).Process; got != 2 {
				t.Errorf("process %d was initialized, want 2", got)
			}
			again := opening{Methods: initOnly, Opened: "legacy 2025-11-25", Remembered: "legacy 2025-11-25"}
			if diff := cmp.Diff(again, s.open(t)); diff != "" {
				t.Errorf("second Connect (-want +got):\n%s", diff)
			}
			if n := s.Count(fault.Start); n != 3 {
				t.Errorf("%d starts after the second Connect, want 3", n)
			}
		})
	}
}

// B002, B008.
func TestAProcessThatLeavesTwiceReportsBothAttempts(t *testing.T) {
	s := overStdio(t, fault.Script{
		protocol.MethodDiscover:   {{fault.Stderr("what is discover?\n"), fault.Exit(3)}},
		protocol.MethodInitialize: {{fault.Stderr("no license\n"), fault.Exit(4)}},
	})
	_, err := s.connect(t)
	if got := kindOf(err); got != "exit exit status 4, also exit exit status 3" {
		t.Errorf("Connect: %s (%v)", got, err)
	}
	if !errors.Is(err, transport.ErrClosed) {
		t.Error("the error does not match ErrClosed")
	}
	if !containsAll(err.Error(), "exit status 4", "no license", "exit status 3", "what is discover?") {
		t.Errorf("the error says %q", err)
	}
	if n := s.Count(fault.Start); n != 2 {
		t.Errorf("%d starts, want 2", n)
	}
	if got := s.remembered(t); got != "nothing" {
		t.Errorf("remembered %s", got)
	}
}

// B069.
func TestAProcessThatFailsAtItsStartSaysWhy(t *testing.T) {
	s := overStdio(t, fault.Script{fault.Start: {{fault.Stderr("missing file\n"), fault.Exit(3)}}})
	_, err := s.connect(t)
	exit, ok := errors.AsType[*stdio.ExitError](err)
	if !ok || exit.State == nil || exit.State.ExitCode() != 3 || exit.Stderr != "missing file\n" {
		t.Fatalf("Connect: %#v", err)
	}
	if !containsAll(err.Error(), "exit status 3", "missing file") {
		t.Errorf("the error says %q", err)
	}
	if len(s.Methods()) != 0 || s.remembered(t) != "nothing" {
		t.Errorf("the server saw %v, remembered is %s", s.Methods(), s.remembered(t))
	}
}

// B069.
func TestACommandThatDoesNotExistIsAStartError(t *testing.T) {
	tr, err := stdio.New(exec.Command("/nowhere/mcp-server", "--token", "secret"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Connect(t.Context(), tr, client.WithEraCache(erecache.New(time.Now)))
	if !errors.As(err, new(*stdio.StartError)) || !errors.As(err, new(*client.ConnectError)) {
		t.Errorf("Connect: %#v", err)
	}
	if !containsAll(err.Error(), "mcp-server") || containsAll(err.Error(), "secret") {
		t.Errorf("the error says %q", err)
	}
}

// B069, L-CAN-08: and initialize is not cancelled.
func TestASilentProcessHitsTheConnectLimit(t *testing.T) {
	s := overStdio(t, fault.Script{
		fault.Start:               {{fault.Stderr("waiting for the database\n")}},
		protocol.MethodDiscover:   {{}},
		protocol.MethodInitialize: {{}},
	})
	err := outOfTime(t, s, func() bool { return s.Count(protocol.MethodInitialize) > 0 })
	if failed, ok := errors.AsType[*client.ConnectError](err); !ok || failed.Stderr != "waiting for the database\n" {
		t.Errorf("the error lacks the stderr tail: %v", err)
	}
	if got := s.remembered(t); got != "nothing" {
		t.Errorf("remembered %s", got)
	}
	for _, method := range s.Methods() {
		if method == protocol.MethodCancelled {
			t.Error("initialize was cancelled")
		}
	}
}

func TestAProcessThatNeverReadsHitsTheConnectLimit(t *testing.T) {
	s := overStdio(t, fault.Script{fault.Start: {{fault.Silence()}}}, stdio.WithShutdown(0, 0))
	outOfTime(t, s, func() bool { return true })
}

// outOfTime connects to a silent process until both of its openings have met the
// limit, the process having come so far as reached says, and returns the error. The
// time that this takes is for the machine to say.
func outOfTime(t *testing.T, s *scripted, reached func() bool) error {
	t.Helper()
	for limit := 200 * time.Millisecond; ; limit *= 2 {
		_, err := s.connect(t, soonLate, client.WithConnectTimeout(limit))
		switch got := kindOf(err); {
		case got == "timeout, also timeout" && reached():
			return err
		case got != "timeout" && got != "timeout, also timeout":
			t.Fatalf("Connect: %s (%v)", got, err)
		}
	}
}

// B039, B059, B063, B073, B079, B091, B092: what is no message is skipped, and
// what nobody asked for ignored, wherever it stands.
func TestNoiseDoesNotDisturbAConnection(t *testing.T) {
	for name, noise := range map[string]string{
		"a banner":               "Server version 1.2\n",
		"an empty line":          "\n",
		"a byte order mark":      "\uFEFF\n",
		"no UTF-8":               "\xff\xfe\n",
		"half a message":         `{"jsonrpc":"2.0","id":1` + "\n",
		"a number":               "42\n",
		"a list":                 "[]\n",
		"null":                   "null\n",
		"a result without an id": `{"jsonrpc":"2.0","result":null}` + "\n",
		"an error without an id": `{"jsonrpc":"2.0","error":{"code":-32601,"message":"?"}}` + "\n",
		"an error with id null":  `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}}` + "\n",
		"a foreign result":       `{"jsonrpc":"2.0","id":4711,"result":{}}` + "\n",
		"a result for a string":  `{"jsonrpc":"2.0","id":"abc","result":{}}` + "\n",
		"a notification":         `{"jsonrpc":"2.0","method":"editor/logLine","params":{"type":3}}` + "\n",
		"an unknown token":       `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tool-call-4","progress":1}}` + "\n",
		"a log message":          `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}` + "\n",
		"a wide line":            "${fill:300000}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := fault.Script{
				fault.Start:                {{fault.Raw(noise)}},
				protocol.MethodInitialized: {{fault.Raw(noise)}},
				protocol.MethodListTools:   {{fault.Raw(noise), fault.Tools("echo")}},
			}
			for era, base := range map[string]fault.Script{"modern": fault.Modern(), "legacy": fault.Legacy("2025-11-25")} {
				s := overStdio(t, base.With(script))
				c, err := s.connect(t)
				if err != nil {
					t.Errorf("%s: %v", era, err)
					continue
				}
				if r, err := c.ListTools(t.Context()); err != nil || len(r.Tools.Items) != 1 || c.Era().String() != era {
					t.Errorf("%s: listed %+v, %v in the %s era", era, r, err, c.Era())
				}
			}
		})
	}
}

// B064, B-STD-03.
func TestAFloodOnStderrBlocksNothing(t *testing.T) {
	flood := fault.Stderr("${fill:262144}")
	s := overStdio(t, fault.Script{
		protocol.MethodDiscover:  {{flood, fault.Discover("2026-07-28")}},
		protocol.MethodListTools: {{flood, fault.Tools("echo"), flood}},
	})
	c := s.connected(t)
	for range 3 {
		if _, err := c.ListTools(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheTimeForConnectingEndsASilentProbe(t *testing.T) {
	s := overStdio(t, fault.Dual().With(fault.Script{protocol.MethodDiscover: {{fault.Silence()}}}))
	_, err := s.connect(t, client.WithConnectTimeout(100*time.Millisecond))
	if !errors.As(err, new(*transport.TimeoutError)) {
		t.Errorf("%v is no *TimeoutError", err)
	}
}
