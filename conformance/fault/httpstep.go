package fault

// Status sets the HTTP status: by default 200. It does nothing over stdio.
func Status(code int) Step {
	return func(e *exchange) error {
		e.peer.status(code)
		return nil
	}
}

// Header sets an HTTP header; an empty value removes it, such as the
// Content-Type that the server chooses. It does nothing over stdio.
func Header(name, value string) Step {
	return func(e *exchange) error {
		e.peer.header(name, value)
		return nil
	}
}

// Stream makes the HTTP answer an event stream, and each message that follows
// an event of it. It does nothing over stdio, which is one stream anyway.
func Stream() Step {
	return func(e *exchange) error { return e.peer.stream() }
}

// Wire writes text on the TCP connection, in place of an HTTP response: half a
// status line, say. The connection is closed when the answer is over. It does
// nothing over stdio.
func Wire(text string) Step {
	return func(e *exchange) error { return e.write(wire, e.expand(text)) }
}
