package fault

import (
	"encoding/json"
	"fmt"
	"time"
)

// A Step is one thing that a server does about a request.
//
// In the texts that steps write, ${id} stands for the request's id as JSON
// ("null" if it has none), ${params} for its params, ${n} for how many requests
// of the same method there have been, and ${fill:N} for N times the letter x.
type Step func(*exchange) error

// Message writes a message, whatever it says: as the JSON body or an event
// over HTTP, as a line over stdio. A script is not checked; all the rules of
// JSON-RPC can be broken here.
func Message(text string) Step {
	return func(e *exchange) error { return e.write(message, e.expand(text)) }
}

// Result answers the request with a result, which is JSON text.
func Result(result string) Step {
	return Message(`{"jsonrpc":"2.0","id":${id},"result":` + result + `}`)
}

// Error answers the request with an error. Data is JSON text, one at most.
func Error(code int64, message string, data ...string) Step {
	quoted, err := json.Marshal(message)
	if err != nil {
		panic(err) // a string always encodes
	}
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":${id},"error":{"code":%d,"message":%s`, code, quoted)
	if len(data) > 0 {
		text += `,"data":` + data[0]
	}
	return Message(text + `}}`)
}

// Raw writes text as it is: to the body over HTTP, to standard output over
// stdio, where the newline of a line is the script's business.
func Raw(text string) Step {
	return func(e *exchange) error { return e.write(raw, e.expand(text)) }
}

// Forever writes text again and again, until the client leaves.
func Forever(text string) Step {
	return func(e *exchange) error {
		chunk := e.expand(text)
		for {
			if err := e.write(raw, chunk); err != nil {
				return err
			}
			if err := e.peer.flush(); err != nil {
				return err
			}
		}
	}
}

// Cut makes the next text that is written stop after n bytes; a negative n
// leaves out that many at its end. Over HTTP the connection is cut when the
// answer is over, and a JSON body still announces its whole length. Over stdio
// a line that is cut has no newline.
func Cut(n int) Step {
	return func(e *exchange) error {
		e.cut, e.cutting = n, true
		return nil
	}
}

// Slow makes what is written afterwards go out in single bytes, pause apart.
func Slow(pause time.Duration) Step {
	return func(e *exchange) error {
		e.pause, e.slow = pause, true
		return nil
	}
}

// After waits until the client has sent method, at least once: to this process,
// or over HTTP to this server.
func After(method string) Step {
	return func(e *exchange) error {
		return e.wait(func(l *log) bool { return l.seen(e.record.Process, method) })
	}
}

// Answered waits until the server has answered method, at least once: this
// process, or over HTTP this server. What the client makes of it meanwhile is
// open.
func Answered(method string) Step {
	return func(e *exchange) error {
		return e.wait(func(l *log) bool { return l.answered(e.record.Process, method) })
	}
}

// Hold waits until the test calls Server.Release with the same name.
func Hold(name string) Step {
	return func(e *exchange) error {
		return e.wait(func(l *log) bool { return l.released[name] })
	}
}

// Pause waits for d. Prefer After, Answered and Hold, which take no time.
func Pause(d time.Duration) Step {
	return func(e *exchange) error {
		if err := e.peer.flush(); err != nil {
			return err
		}
		return e.sleep(d)
	}
}

// Silence waits until the client leaves, or the server is closed. What was
// written before stays without an end.
func Silence() Step {
	return func(e *exchange) error {
		return e.wait(func(*log) bool { return false })
	}
}

// Reset breaks the connection: over HTTP with a TCP reset, over stdio by
// closing standard output while the process lives on.
func Reset() Step {
	return func(e *exchange) error { return e.peer.reset() }
}

// Exit ends the process with a status. Over HTTP the server drops all
// connections and listens no more.
func Exit(status int) Step {
	return func(e *exchange) error { return e.peer.exit(status) }
}

// Stderr writes text to standard error. It does nothing over HTTP.
func Stderr(text string) Step {
	return func(e *exchange) error { return e.peer.stderr(e.expand(text)) }
}
