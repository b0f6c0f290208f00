package faultsuite_test

import (
	"slices"

	"github.com/mcpera/mcpera/negotiation"
)

// want is what the call that meets the fault ends in: any of these.
func (c cell) want() []kind {
	means := c.fault.means(c)
	switch c.phase {
	case probe:
		return append(c.wantProbe(means), c.alsoRemembered(means)...)
	case initialize:
		if c.place != after && means == ok && c.place == body {
			return []kind{message} // an InitializeResult needs a version
		}
	case initialized:
		return c.wantInitialized(means)
	case listen:
		return c.wantListen(means)
	case stream, closing, signalled:
		if c.fault.leave == closes {
			return []kind{ok, closed}
		}
		return c.orGone(ok) // calls do not need it
	}
	switch {
	case c.place == after:
		return c.orGone(ok)
	case c.refused():
		return []kind{ok}
	default:
		return []kind{means}
	}
}

// orGone adds what a call meets whose server has just gone.
func (c cell) orGone(want ...kind) []kind {
	switch c.fault.name {
	case "exit", "reset":
		return append(want, exited, unavailable)
	case "end":
		// A connection that the server has closed may be taken for the next call
		// before its end is seen, and a call is never sent twice.
		return append(want, unavailable)
	case "an event above the limit", "more than the limit": // a process that floods is ended
		return append(want, limited)
	default:
		return want
	}
}

// wantProbe is what Connect ends in: a refusal or an outage is its error,
// whatever else is said leads to initialize, which either server takes.
func (c cell) wantProbe(means kind) []kind {
	switch {
	case c.place == after:
		return c.orGone(ok)
	case c.place == body && slices.Contains([]string{
		noVersion, "members of the wrong type", "a result of an unknown type", "a result that wants input of nobody",
	}, c.fault.name):
		return []kind{undecided} // it speaks of versions, as only a modern server does
	case c.spoilsNext() && means == timeout:
		return []kind{timeout}
	case means == timeout && c.wire.isHTTP():
		return []kind{unavailable}
	case means == unavailable, means == auth, means == canceled:
		return []kind{means}
	default:
		return c.orGone(ok)
	}
}

// wantInitialized is what Connect ends in. Over stdio nobody waits for what
// becomes of a notification, and over HTTP any 2xx will do.
func (c cell) wantInitialized(means kind) []kind {
	switch {
	case !c.wire.isHTTP(), c.place == after:
		return c.orGone(ok)
	case c.place == header && slices.Contains([]string{"201", "202 without a body", "204", "206", "a slow refusal"}, c.fault.name):
		return []kind{ok}
	default:
		return []kind{means}
	}
}

// wantListen is what a subscription ends in. It is opened again where the
// connection broke; the program leaves one that is granted and lost for the
// second time.
func (c cell) wantListen(means kind) []kind {
	switch {
	case c.place == after:
		return []kind{ended}
	case c.place == between && (means == unavailable || means == exited || means == limited):
		return []kind{ok, means}
	case c.place == between && means == timeout:
		return []kind{canceled, timeout} // once it is granted silence is no fault, and the program has had enough
	case means == ok, c.place == body && means == message && c.isResult():
		return []kind{ended} // whatever the result says
	default:
		return []kind{means}
	}
}

// isResult reports whether what comes in place of the response is a result, of
// whatever kind.
func (c cell) isResult() bool {
	return slices.Contains([]string{
		"a result that is null", "a result that is a string", "a result of an unknown type", "a result that wants input of nobody", "members of the wrong type",
	}, c.fault.name)
}

// wantNext is what the call after the one that met the fault may end in.
func (c cell) wantNext() []kind {
	switch {
	case c.fault.leave == closes:
		return []kind{closed}
	case c.fault.name == "exit" && c.wire.isHTTP():
		return []kind{unavailable}
	default:
		return c.orGone(ok)
	}
}

// refused reports whether the server said that it did not take the call, but
// would elsewhere: in a new session, or at another URL.
func (c cell) refused() bool {
	if c.place != header || c.phase != call && c.phase != progress {
		return false
	}
	forgotten := c.era == negotiation.EraLegacy && (c.fault.name == "404" || c.fault.name == "400")
	return forgotten || c.fault.name == "a redirect to itself"
}

// saysNoEra reports whether the fault is a refusal or an outage.
func (c cell) saysNoEra() bool {
	return c.wire.isHTTP() && c.place != after &&
		slices.Contains([]kind{unavailable, auth, timeout, canceled}, c.fault.means(c))
}
