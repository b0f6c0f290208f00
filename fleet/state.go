package fleet

import "time"

// A Status says what a server is doing.
type Status string

// The statuses of a server.
const (
	Idle       Status = "idle"       // not connected, for no bad reason
	Connecting Status = "connecting" // an attempt is under way
	Connected  Status = "connected"
	// Failed: the last attempt failed, or the connection was lost, or the
	// server's description is no good. But for the last, the next call tries
	// again.
	Failed   Status = "failed"
	Disabled Status = "disabled"
)

// A State is a server as it is now.
type State struct {
	Server string
	Status Status
	Err    error     // why it is Failed, else nil
	Since  time.Time // when the status began
}
