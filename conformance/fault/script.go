package fault

import "maps"

// A Script says what a server does: the answers by method. The first answer
// goes to the first request, the second to the second, and the last one stays.
// Counting goes on when a process is started again.
//
// What a script leaves out is answered as a well-behaved server would: a
// request with -32601 (over HTTP with status 404), a notification with nothing
// (202), GET and DELETE with 405, EOF and Signal with an exit.
type Script map[string][]Answer

// An Answer is what is done about one request, step by step.
type Answer []Step

// Keys of a Script, beside methods. They are keys of records too.
const (
	// Any answers every method that the script does not name.
	Any = "*"
	// Start is a new process, before it reads anything. Over HTTP it does not
	// happen.
	Start = "START"
	// EOF is the end of a process's input.
	EOF = "EOF"
	// Signal is a SIGTERM or an interrupt to a process.
	Signal = "SIGNAL"
	// GET and DELETE are HTTP requests without a message.
	GET    = "GET"
	DELETE = "DELETE"
	// Response is the client's answer to a request of the server.
	Response = "RESPONSE"
	// Unreadable is something from the client that is no JSON-RPC message.
	Unreadable = "UNREADABLE"
)

// With returns a script that answers as overlay where that has answers, else
// as s.
func (s Script) With(overlay Script) Script {
	merged := maps.Clone(s)
	if merged == nil {
		merged = make(Script, len(overlay))
	}
	maps.Copy(merged, overlay)
	return merged
}

// answer returns what to do about the n-th record with a key, counted from 1.
func (s Script) answer(r Record, n int) Answer {
	answers, ok := s[r.Key]
	if !ok && r.isRequest() {
		answers, ok = s[Any]
	}
	if !ok {
		return unscripted(r)
	}
	if len(answers) == 0 {
		return nil
	}
	return answers[min(n, len(answers))-1]
}

// unscripted is what a well-behaved server does.
func unscripted(r Record) Answer {
	switch {
	case r.Key == EOF:
		return Answer{Exit(0)}
	case r.Key == Signal:
		return Answer{Exit(143)} // what a shell reports for SIGTERM
	case r.Key == GET, r.Key == DELETE:
		return Answer{Status(405), Header("Allow", "POST")}
	case r.Key == Unreadable:
		return Answer{Status(400), Error(-32700, "not a JSON-RPC message")}
	case r.isRequest():
		return Answer{Status(404), Error(-32601, "method not found")}
	default:
		return Answer{Status(202)}
	}
}
