package faultsuite_test

import (
	"strings"
	"time"

	"github.com/mcpera/mcpera/conformance/fault"
)

// connectionFlaws are what becomes of a connection.
var connectionFlaws = []flaw{
	{name: "silence", at: places, over: true, silent: always, steps: steps(fault.Silence()), means: same(timeout)},
	{name: "silence until the caller cancels", at: places, over: true, leave: cancels, steps: steps(fault.Silence()), means: same(canceled)},
	{name: "silence until the client closes", at: places, over: true, leave: closes, steps: steps(fault.Silence()), means: same(closed)},
	{name: "end", at: places, only: overHTTP, over: true, steps: end, means: same(unavailable)},
	{name: "reset", at: places, over: true, steps: steps(fault.Reset()), means: each(unavailable, unavailable, exited)},
	{name: "exit", at: places, over: true, steps: steps(fault.Stderr("out of memory\n"), fault.Exit(3)), means: each(unavailable, unavailable, exited)},
}

// end ends the answer where it stands.
func end(c cell) fault.Answer {
	if c.place == before {
		return fault.Answer{fault.Wire("")}
	}
	return nil
}

// wireFlaws are bytes that no HTTP server should send.
var wireFlaws = []flaw{
	{name: "another protocol", at: []place{before}, only: overHTTP, over: true, steps: steps(fault.Wire("SSH-2.0-OpenSSH_9.6\r\n")), means: same(unavailable)},
	{name: "a protocol that was not asked for", at: []place{before}, only: overHTTP, over: true,
		steps: steps(fault.Wire("HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\nhello")), means: same(status)},
	{name: "interim answers only", at: []place{before}, only: overHTTP, over: true,
		steps: steps(fault.Wire(strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 100))), means: same(unavailable)},
	{name: "a header without a colon", at: []place{header}, only: overHTTP, over: true, steps: steps(fault.Wire("\r\n\r\n")), means: same(unavailable)},
	{name: "a header without end", at: []place{header}, only: overHTTP, over: true, steps: steps(fault.Wire("pe: ${fill:1100000}")), means: same(unavailable)},
	{name: "a slow refusal", at: []place{header}, only: overHTTP, over: true,
		steps: steps(fault.Slow(100*time.Microsecond), fault.Wire("pe: text/plain\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno")), means: same(status)},
	{name: "slow bytes", at: []place{before}, steps: steps(fault.Slow(100 * time.Microsecond)), means: same(ok)},
	{name: "a banner", at: []place{before}, only: overStdio, steps: steps(fault.Raw("Listening\n{\"level\":\"info\"}\n[1]\n\n")), means: same(ok)},
	{name: "a flood on stderr", at: []place{before, between, after}, only: overStdio, steps: steps(fault.Stderr("${fill:1000000}")), means: same(ok)},
}
