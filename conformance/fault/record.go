package fault

import (
	"fmt"
	"net/http"

	"github.com/mcpera/mcpera/protocol"
)

// A Record is one thing that the client did, or that became of a process.
type Record struct {
	// Key says what it is: a JSON-RPC method, one of the constants of a Script,
	// Left, or Gone.
	Key string
	// Process tells which start of the command it belongs to, counted from 1;
	// it is 0 over HTTP.
	Process int
	// PID is the process's id, 0 over HTTP.
	PID int
	// ID is the JSON text of the message's id; "" when it has none.
	ID string
	// Header is that of the HTTP request; nil over stdio.
	Header http.Header
	// Body is the message as it came. For Left it is that of the request whose
	// answer the client did not wait for.
	Body string
}

// Keys of records that nothing can be answered to.
const (
	// Left: the client closed the HTTP connection before the answer was over.
	Left = "LEFT"
	// Gone: a process has ended.
	Gone = "GONE"
)

// String returns the record in one line, without header values.
func (r Record) String() string {
	where := "HTTP"
	if r.Process > 0 {
		where = fmt.Sprintf("process %d", r.Process)
	}
	return fmt.Sprintf("%s: %s %s", where, r.Key, r.Body)
}

// isMessage reports whether the client sent it as a message.
func (r Record) isMessage() bool {
	switch r.Key {
	case Start, EOF, Signal, GET, DELETE, Left, Gone:
		return false
	default:
		return true
	}
}

// isRequest reports whether the client waits for an answer to it.
func (r Record) isRequest() bool { return r.ID != "" && r.Key != Response }

// recordOf reads a message. It keeps what it can't read.
func recordOf(body []byte) Record {
	r := Record{Key: Unreadable, Body: string(body)}
	m, err := protocol.Decode(body)
	if err != nil {
		return r
	}
	r.Key, r.ID = Response, m.ID.String()
	if !m.IsResponse() {
		r.Key = m.Method
	}
	return r
}
