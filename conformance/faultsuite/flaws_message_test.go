package faultsuite_test

import (
	"strings"
	"time"

	"github.com/mcpera/mcpera/conformance/fault"
)

// messageFlaws are what comes in place of a response.
var messageFlaws = []flaw{
	instead("nothing", each(status, unavailable, timeout), ``),
	instead("a foreign id", each(message, message, timeout), `{"jsonrpc":"2.0","id":99,"result":{}}`),
	instead("the id as a string", same(ok), `{"jsonrpc":"2.0","id":"${id}","result":{}}`), // it names no other request
	instead("no id", each(message, message, timeout), `{"jsonrpc":"2.0","result":{}}`),
	instead("an error with id null", each(server, server, timeout), `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`),
	instead("a name in the wrong case", same(message), `{"jsonrpc":"2.0","id":${id},"Result":{}}`),
	instead("a name twice", same(message), `{"jsonrpc":"2.0","id":${id},"result":{},"result":{}}`),
	instead("result and error", same(message), `{"jsonrpc":"2.0","id":${id},"result":{},"error":{"code":1,"message":"no"}}`),
	instead("neither result nor error", each(message, message, timeout), `{"jsonrpc":"2.0","id":${id}}`),
	instead("no version", each(message, message, timeout), `{"id":${id},"result":{}}`),
	instead("version 1.0", each(message, message, timeout), `{"jsonrpc":"1.0","id":${id},"result":{}}`),
	instead("a batch", same(message), `[{"jsonrpc":"2.0","id":${id},"result":{}}]`),
	instead("an empty batch", each(message, message, timeout), `[]`),
	instead("a result that is null", same(message), `{"jsonrpc":"2.0","id":${id},"result":null}`),
	instead("a result that is a string", same(message), `{"jsonrpc":"2.0","id":${id},"result":"done"}`),
	instead("a result that is empty", same(ok), `{"jsonrpc":"2.0","id":${id},"result":{}}`),
	instead("a result of an unknown type", eras(message, ok), `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"riddle"}}`),
	instead("a result that wants input of nobody", eras(message, ok), `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"input_required","inputRequests":{}}}`),
	instead("members of the wrong type", same(message), `{"jsonrpc":"2.0","id":${id},"result":{"content":1,"tools":2,"protocolVersion":3,"supportedVersions":4}}`),
	instead("an error without a message", same(server), `{"jsonrpc":"2.0","id":${id},"error":{"code":-32603}}`),
	instead("an error that is a string", same(message), `{"jsonrpc":"2.0","id":${id},"error":"no"}`),
	instead("an internal error", same(server), `{"jsonrpc":"2.0","id":${id},"error":{"code":-32603,"message":"no"}}`),
	instead("an error of its own", same(server), `{"jsonrpc":"2.0","id":${id},"error":{"code":4711,"message":"no","data":{"a":[1]}}}`),
	instead(noVersion, same(server), `{"jsonrpc":"2.0","id":${id},"error":{"code":-32022,"message":"no","data":{"supported":["1999-01-01"]}}}`),
	instead("a request", each(message, unavailable, timeout), `{"jsonrpc":"2.0","id":7,"method":"ping"}`),
	instead("half of it, as if whole", each(message, message, timeout), `{"jsonrpc":"2.0","id":${id},"resu`),
	instead("text", each(message, message, timeout), `Internal Server Error`),
	instead("what is not UTF-8", same(message), "{\"jsonrpc\":\"2.0\",\"id\":${id},\"result\":{\"a\":\"\xff\"}}"),
	instead("zeros", each(message, message, timeout), strings.Repeat("\x00", 100)),
	instead("a number that is too large", same(ok), `{"jsonrpc":"2.0","id":${id},"result":{"n":1e99999}}`),
	instead("a deep nest", same(message), `{"jsonrpc":"2.0","id":${id},"result":`+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+`}`),
	instead("more than the limit", same(limited), `{"jsonrpc":"2.0","id":${id},"result":{"padding":"${fill:1100000}"}}`),
}

// noVersion is what only a modern server says: that it has no version in common.
const noVersion = "an error about versions"

// instead is a flaw of the message itself. A line on a stream that all share
// is silence where it can't be told which request it answers.
func instead(name string, means meaning, text string) flaw {
	return flaw{
		name: name, at: []place{body}, steps: steps(fault.Message(text)), means: means,
		silent: func(c cell) bool { return means(c) == timeout },
	}
}

// eventFlaws are what comes beside a response that is as it should be.
var eventFlaws = []flaw{
	beside("noise", same(ok), fault.Raw("nonsense\n\n")),
	beside("comments", same(ok), fault.Raw(": ping\n\n")),
	beside("an event that is no message", each(message, message, ok), fault.Message(`{nonsense`)),
	beside("a foreign response", each(message, message, ok), fault.Message(`{"jsonrpc":"2.0","id":99,"result":{}}`)),
	beside("an unknown notification", same(ok), fault.Message(`{"jsonrpc":"2.0","method":"notifications/riddle"}`)),
	beside("a request", same(ok), fault.Message(`{"jsonrpc":"2.0","id":"s1","method":"ping"}`)),
	beside("an unknown request", same(ok), fault.Message(`{"jsonrpc":"2.0","id":"s2","method":"riddle"}`)),
	beside("progress of nothing", same(ok), fault.Message(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":99,"progress":1}}`)),
	beside("progress that is none", same(ok), fault.Message(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{},"progress":"far"}}`)),
	beside("a cancellation of what is under way", same(ok), fault.Message(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`)),
	beside("an event above the limit", same(limited), fault.Message(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"${fill:1100000}"}}`)),
	{
		name: "noise without end", at: []place{between, after}, over: true, silent: always, means: same(timeout),
		only: onStreams, steps: steps(fault.Forever(": noise\n\n")),
	},
	{
		name: "progress without end", at: []place{between}, during: []phase{progress}, over: true, silent: always, means: same(timeout),
		only: onStreams, steps: func(c cell) fault.Answer {
			line := progressNote + "\n"
			if c.wire == eventWire {
				line = "data: " + line + "\n"
			}
			return fault.Answer{fault.Forever(line)}
		},
	},
	{
		name: "a second response", at: []place{after}, only: onStreams, means: same(ok),
		steps: steps(fault.Error(-32603, "no")),
	},
	{
		name: "slow events", at: []place{between}, only: []wire{eventWire}, means: same(ok),
		steps: steps(fault.Slow(100 * time.Microsecond)),
	},
}

// beside is a flaw of a stream whose response still comes.
func beside(name string, means meaning, s fault.Step) flaw {
	return flaw{name: name, at: []place{between, after}, only: onStreams, steps: steps(s), means: means}
}
