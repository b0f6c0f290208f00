package faultsuite_test

import (
	"slices"

	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
)

// A flaw is something that a server can do wrong.
type flaw struct {
	name string
	at   []place
	// only is where it exists; nil for everywhere.
	only []wire
	// during is when it matters; nil for always.
	during []phase
	// over is set when nothing of the answer comes after it, or in its stead.
	over bool
	// silent is set where only the client's own time ends the wait.
	silent func(c cell) bool
	// leave is what ends the wait in place of time, if anything.
	leave leaving
	steps func(c cell) fault.Answer
	// means is what a call that meets it ends in.
	means meaning
}

// A leaving is what a program does while a server is silent.
type leaving uint8

const (
	stays   leaving = iota // until the deadline
	cancels                // it cancels the call
	closes                 // it closes the client
)

// flaws are all that is known to go wrong.
var flaws = slices.Concat(connectionFlaws, wireFlaws, statusFlaws, typeFlaws, messageFlaws, eventFlaws)

// impossible says why there can't be the flaw in c; "" if there can.
func (f flaw) impossible(c cell) string {
	switch {
	case !slices.Contains(f.at, c.place):
		return "it does not happen there"
	case f.only != nil && !slices.Contains(f.only, c.wire):
		return "the transport has nothing like it"
	case f.during != nil && !slices.Contains(f.during, c.phase):
		return "it does not happen then"
	case !c.hasMessage() && !f.over && c.place != header:
		return "there is no message to be wrong"
	case f.leave == cancels && !slices.Contains([]phase{probe, initialize, initialized, list, call, progress, listen}, c.phase):
		return "the program does not wait for it"
	case f.leave == closes && !slices.Contains([]phase{list, call, progress, listen, stream}, c.phase):
		return "there is no client yet, or no more"
	case f.name == "silence" && c.place == after && c.wire == jsonWire:
		return "the connection is free again, and what is silent is the next answer"
	case f.leave != stays && c.place == after:
		return "the wait is over"
	case c.phase == initialized && !c.wire.isHTTP() && f.leave == cancels:
		return "a notification over stdio is not waited for"
	default:
		return ""
	}
}

// isSilent reports whether only the client's own time ends the wait.
func (c cell) isSilent() bool {
	return c.place != after && c.fault.silent != nil && c.fault.silent(c)
}

// exit makes the server end, where it is a process.
func (c cell) exit(status int) fault.Step {
	if c.wire.isHTTP() {
		return fault.Stderr("") // nothing
	}
	return fault.Exit(status)
}

func steps(s ...fault.Step) func(cell) fault.Answer { return func(cell) fault.Answer { return s } }

func always(cell) bool { return true }

// Where a flaw exists.
var (
	overHTTP  = []wire{jsonWire, eventWire}
	overStdio = []wire{stdioWire}
	onStreams = []wire{eventWire, stdioWire}
)

// A meaning is what a call ends in that meets a flaw.
type meaning func(cell) kind

// same is what it means everywhere.
func same(k kind) meaning { return func(cell) kind { return k } }

// each is what it means over each wire.
func each(json, events, line kind) meaning {
	return func(c cell) kind { return map[wire]kind{jsonWire: json, eventWire: events, stdioWire: line}[c.wire] }
}

// eras is what it means in each era.
func eras(modern, legacy kind) meaning {
	return func(c cell) kind {
		if c.era == negotiation.EraModern {
			return modern
		}
		return legacy
	}
}
