package target

import (
	"fmt"
	"net/netip"
)

// An Error means that a policy refused a target. Nothing was sent there.
type Error struct {
	// Origin is the scheme, host and port of the URL that was refused, or ""
	// where a connection was; userinfo, path and query are left out.
	Origin string
	// Addr is the address that was refused, zero when the URL was refused for
	// another reason.
	Addr   netip.Addr
	Reason Reason
}

func (e *Error) Error() string {
	switch {
	case !e.Addr.IsValid():
		return fmt.Sprintf("the target policy refuses %s: %s", e.Origin, e.Reason)
	case e.Origin == "":
		return fmt.Sprintf("the target policy refuses %s: it is %s", e.Addr, e.Reason)
	default:
		return fmt.Sprintf("the target policy refuses %s: %s is %s", e.Origin, e.Addr, e.Reason)
	}
}
