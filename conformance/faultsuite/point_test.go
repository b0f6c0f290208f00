package faultsuite_test

import (
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
)

// A wire is a transport, with the form of its answers.
type wire string

const (
	jsonWire  wire = "HTTP JSON"
	eventWire wire = "HTTP events"
	stdioWire wire = "stdio"
)

var wires = []wire{jsonWire, eventWire, stdioWire}

func (w wire) isHTTP() bool { return w != stdioWire }

// A place is where in an answer a fault strikes.
type place string

const (
	before  place = "before the headers"
	header  place = "in the headers"
	body    place = "in the body"
	between place = "between events"
	after   place = "after the response"
)

var places = []place{before, header, body, between, after}

// A phase is what of a connection a fault strikes.
type phase string

const (
	probe       phase = "probe"
	initialize  phase = "initialize"
	initialized phase = "initialized"
	list        phase = "list"     // idempotent: it may be sent again
	call        phase = "call"     // must not be
	progress    phase = "progress" // a call whose answer tells how far it is
	listen      phase = "listen"   // modern subscription
	stream      phase = "stream"   // legacy GET
	closing     phase = "close"    // DELETE, or the end of a process's input
	signalled   phase = "signal"   // to a process that ignored the end of its input
)

var phases = []phase{probe, initialize, initialized, list, call, progress, listen, stream, closing, signalled}

// key is the record that the fault answers.
func (c cell) key() string {
	switch c.phase {
	case probe:
		return "server/discover"
	case initialize:
		return "initialize"
	case initialized:
		return "notifications/initialized"
	case list:
		return "tools/list"
	case call, progress:
		return "tools/call"
	case listen:
		return "subscriptions/listen"
	case stream:
		return fault.GET
	case signalled:
		return fault.Signal
	default:
		if c.wire.isHTTP() {
			return fault.DELETE
		}
		return fault.EOF
	}
}

// impossible says why there can't be such a cell; "" if there can.
func (c cell) impossible() string {
	modern := c.era == negotiation.EraModern
	switch p := c.phase; {
	case modern && (p == initialize || p == initialized || p == stream):
		return "the modern era has no such step"
	case !modern && p == listen:
		return "the legacy era has no such request"
	case !c.wire.isHTTP() && p == stream:
		return "a process has no stream but its output"
	case c.wire.isHTTP() && p == signalled:
		return "a signal is for processes"
	case c.wire.isHTTP() && modern && p == closing:
		return "a modern client does not take leave over HTTP"
	case p == progress && c.wire == jsonWire:
		return "one JSON body has no room for progress"
	case (p == listen || p == stream) && c.wire == jsonWire:
		return "a subscription is a stream"
	case (p == initialized || p == closing || p == signalled) && (c.place == body || c.place == between):
		return "its answer has no message"
	case p == initialized && c.wire == eventWire, p == closing && c.wire == eventWire:
		return "its answer has no form, and HTTP JSON has it already"
	case c.place == header && !c.wire.isHTTP():
		return "lines have no headers"
	case c.place == between && c.wire == jsonWire:
		return "one JSON body has no events"
	case c.place == after && p == stream:
		return "a stream that nobody asked anything on has no response"
	case c.place == after && (p == closing || p == signalled):
		return "nobody is left to see it"
	}
	if why := c.memory.impossible(c); why != "" {
		return why
	}
	return c.fault.impossible(c)
}
