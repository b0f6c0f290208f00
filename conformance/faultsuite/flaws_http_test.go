package faultsuite_test

import (
	"slices"
	"strconv"

	"github.com/mcpera/mcpera/conformance/fault"
)

// statusFlaws are refusals and outages.
var statusFlaws = slices.Concat(
	statuses(unavailable, 408, 429, 500, 501, 502, 503, 504, 520),
	statuses(auth, 401, 403),
	statuses(status, 300, 304, 400, 402, 404, 405, 406, 409, 410, 413, 415, 422, 451),
	// A notification is taken with any 2xx, and a request by none without a message.
	statuses(status, 201, 204, 206),
	[]flaw{
		headed("503 for a long time", unavailable, fault.Status(503), fault.Header("Retry-After", "999999"), fault.Raw("no")),
		headed("429 with a date", unavailable, fault.Status(429), fault.Header("Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT"), fault.Raw("no")),
		headed("401 with a challenge", auth, fault.Status(401), fault.Header("WWW-Authenticate", `Bearer realm="x", scope="`), fault.Raw("no")),
		headed("503 as JSON-RPC", unavailable, fault.Status(503), fault.Error(-32603, "no")),
		headed("403 as JSON-RPC", auth, fault.Status(403), fault.Error(-32003, "no")),
		headed("202 without a body", status, fault.Status(202)),
		headed("a redirect to itself", status, fault.Status(307), fault.Header("Location", "/mcp")),
		headed("a redirect to another origin", status, fault.Status(307), fault.Header("Location", "http://127.0.0.1:1/mcp")),
		headed("a redirect that changes the method", status, fault.Status(302), fault.Header("Location", "/mcp")),
		headed("a redirect to what is no URL", status, fault.Status(308), fault.Header("Location", "http://[::1")),
		headed("a redirect to nowhere", status, fault.Status(308)),
	},
)

// headed is a flaw that stands in the headers; steps are the whole answer.
func headed(name string, means kind, s ...fault.Step) flaw {
	return flaw{name: name, at: []place{header}, only: overHTTP, steps: steps(s...), means: same(means)}
}

func statuses(means kind, codes ...int) (all []flaw) {
	for _, code := range codes {
		said := fault.Raw("no")
		if code == 204 || code == 304 { // they have no body
			said = fault.Stderr("")
		}
		all = append(all, headed(strconv.Itoa(code), means, fault.Status(code), said))
	}
	return all
}

// typeFlaws are good answers under the wrong flag.
var typeFlaws = []flaw{
	typed("no type", "", status),
	typed("HTML", "text/html; charset=utf-8", status),
	typed("bytes", "application/octet-stream", status),
	typed("a charset that is none", "application/json; charset=klingon", message),
	typed("a broken type", "application/json; =", message),
}

// typed is an answer with another Content-Type. A JSON message is one under any
// flag, while events need theirs to be read: they mean what is given.
func typed(name, contentType string, events kind) flaw {
	return flaw{
		name: name, at: []place{header}, only: overHTTP, means: each(ok, events, ok),
		steps: func(c cell) fault.Answer {
			return slices.Concat(fault.Answer{fault.Header("Content-Type", contentType)}, c.head(), c.whole())
		},
	}
}
