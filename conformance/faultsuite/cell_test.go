package faultsuite_test

import (
	"slices"
	"strings"

	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
)

// A cell is one fault at one point of one kind of connection.
type cell struct {
	wire  wire
	era   negotiation.Era
	phase phase
	place place
	fault flaw
	// memory is what is remembered of the server.
	memory memory
	slack  uint // how often its brief deadline was too short; see brief
}

func (c cell) String() string {
	parts := []string{string(c.wire), c.era.String(), string(c.phase), string(c.place), c.fault.name}
	if c.memory != nothing {
		parts = append(parts, string(c.memory))
	}
	return strings.Join(parts, "/")
}

// cells are all that can be.
func cells() (all []cell) {
	for _, w := range wires {
		for _, era := range []negotiation.Era{negotiation.EraModern, negotiation.EraLegacy} {
			for _, p := range phases {
				for _, at := range places {
					for _, f := range flaws {
						for _, m := range memories {
							if c := (cell{wire: w, era: era, phase: p, place: at, fault: f, memory: m}); c.impossible() == "" {
								all = append(all, c)
							}
						}
					}
				}
			}
		}
	}
	return all
}

// points counts the pairs of a fault and a point, whatever transport and era.
func points(all []cell) int {
	seen := make(map[string]bool)
	for _, c := range all {
		seen[string(c.phase)+"/"+string(c.place)+"/"+c.fault.name] = true
	}
	return len(seen)
}

// session is what the legacy server over HTTP calls its sessions.
const session = "session"

// script is a server that behaves well but for the fault. It takes either
// opening in the modern era, so that a wrong fallback to initialize works, and
// shows.
func (c cell) script() fault.Script {
	s := fault.Script{}
	for _, p := range []phase{probe, initialize, list, call} {
		well := cell{wire: c.wire, era: c.era, phase: p}
		s[well.key()] = []fault.Answer{slices.Concat(well.head(), well.whole())}
	}
	if c.memory == wrong && c.era == negotiation.EraModern {
		delete(s, "initialize") // or what is remembered would do
	}
	if c.phase == signalled {
		s[fault.EOF] = []fault.Answer{{fault.Silence()}}
	}
	struck := []fault.Answer{c.answer()}
	if c.phase == call || c.phase == progress {
		struck = append(struck, s[c.key()]...) // what comes later is well
	}
	return s.With(fault.Script{c.key(): struck})
}

// answer is the answer with the fault in it.
func (c cell) answer() fault.Answer {
	wrong, head, note, whole := c.fault.steps(c), c.head(), c.note(), c.whole()
	switch {
	case c.place == before && !c.fault.over:
		return slices.Concat(wrong, head, note, whole)
	case c.place == header && c.fault.over:
		return slices.Concat(fault.Answer{fault.Wire("HTTP/1.1 200 OK\r\nContent-Ty")}, wrong)
	case c.place == body && c.fault.over:
		return slices.Concat(head, fault.Answer{fault.Cut(20)}, c.first(), wrong)
	case c.place == body:
		return slices.Concat(head, wrong)
	case c.place == between && c.fault.over:
		return slices.Concat(head, note, wrong)
	case c.place == between:
		return slices.Concat(head, note, wrong, whole)
	case c.place == after && c.wire == jsonWire:
		return slices.Concat(head, fault.Answer{fault.Cut(1 << 20)}, whole, wrong) // no cut, but a body that says its length
	case c.place == after:
		return slices.Concat(head, note, whole, wrong)
	default:
		return wrong
	}
}

// head is what comes before the first message.
func (c cell) head() (steps fault.Answer) {
	if c.phase == initialize {
		steps = append(steps, fault.Header("Mcp-Session-Id", session))
	}
	if c.wire == eventWire && c.hasMessage() {
		steps = append(steps, fault.Stream())
	}
	return steps
}

// hasMessage reports whether the answer holds a message.
func (c cell) hasMessage() bool {
	return c.phase != initialized && c.phase != closing && c.phase != signalled
}

// note is a message that comes before the response, where there is room for it.
func (c cell) note() fault.Answer {
	switch {
	case c.wire == jsonWire, !c.hasMessage(), c.phase == probe, c.phase == initialize:
		return nil
	case c.phase == progress:
		return fault.Answer{fault.Message(progressNote)}
	case c.phase == listen:
		return fault.Answer{fault.Message(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{` +
			`"_meta":{"io.modelcontextprotocol/subscriptionId":${id}},"notifications":{"toolsListChanged":true}}}`)}
	default:
		return fault.Answer{fault.Message(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"soon"}}`)}
	}
}

const progressNote = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${id},"progress":${n}}}`

// first is the first message of the answer.
func (c cell) first() fault.Answer {
	if c.phase == listen || c.phase == stream {
		return c.note()
	}
	return c.whole()
}

// whole is the response of a server without a fault.
func (c cell) whole() fault.Answer {
	switch c.phase {
	case probe:
		if c.era == negotiation.EraModern {
			return fault.Answer{fault.Discover("2026-07-28")}
		}
		return fault.Answer{fault.Error(-32601, "method not found")}
	case initialize:
		return fault.Answer{fault.Initialize("2025-11-25")}
	case list:
		return fault.Answer{fault.Tools("echo")}
	case call, progress:
		return fault.Answer{fault.Content("done")}
	case listen:
		return fault.Answer{fault.Result(`{"resultType":"complete"}`)}
	case stream:
		return slices.Concat(c.note(), fault.Answer{fault.Silence()})
	case initialized:
		return fault.Answer{fault.Status(202)}
	default:
		return fault.Answer{fault.Status(204), c.exit(0)}
	}
}
