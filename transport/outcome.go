package transport

import (
	"errors"
	"fmt"
	"mime"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

// ErrorOf returns the error that o means for a call of req at target, or nil
// when o holds the response with a result. A refusal is judged by its HTTP
// status even when its body is a JSON-RPC error, which is then the cause.
func ErrorOf(target Target, req *Request, o negotiation.Outcome) error {
	if o.Failure != negotiation.NoFailure {
		return failureError(target, req, o)
	}
	cause := o.Err
	switch m := o.Message; {
	case m != nil && m.Error != nil:
		cause = m.Error
	case m == nil && len(o.Body) > 0: // its own words tell more than why they are no message
		cause = fmt.Errorf("the server said %s", protocol.Quote(o.Body))
	}
	switch s := o.Status; {
	case s == 401, s == 403:
		return &AuthError{Origin: target.String(), Method: req.Method, Status: s, Challenge: o.Challenge, Err: cause}
	case s == 408, s == 429, s >= 502 && s <= 504, s >= 500 && o.Message == nil:
		return &UnavailableError{
			Origin: target.String(), Method: req.Method, Status: s,
			Attempts: o.Attempts, RetryAfter: o.RetryAfter, Err: cause,
		}
	}
	if o.Message == nil {
		return noMessageError(target, req, o)
	}
	return responseError(target, req, o)
}

// failureError is ErrorOf for an exchange without a complete answer.
func failureError(target Target, req *Request, o negotiation.Outcome) error {
	switch o.Failure {
	case negotiation.Canceled:
		return fmt.Errorf("%s: %s: %w", target, req.Method, o.Err)
	case negotiation.TimedOut:
		return &TimeoutError{Origin: target.String(), Method: req.Method, Err: o.Err}
	case negotiation.Closed:
		return fmt.Errorf("%s: %w", req.Method, o.Err)
	default:
		return &UnavailableError{
			Origin: target.String(), Method: req.Method, Status: o.Status,
			Attempts: o.Attempts, RetryAfter: o.RetryAfter, Err: o.Err,
		}
	}
}

// noMessageError is ErrorOf for an answer that holds no JSON-RPC message.
func noMessageError(target Target, req *Request, o negotiation.Outcome) error {
	said := ""
	if len(o.Body) > 0 {
		said = protocol.Quote(o.Body)
	}
	if unusable(o) {
		err := o.Err
		if err == nil {
			err = errors.New("there is none")
		}
		return &MessageError{Origin: target.String(), Method: req.Method, Status: o.Status, Said: said, Err: err}
	}
	e := &StatusError{
		Origin: target.String(), Method: req.Method, Status: o.Status,
		ContentType: o.ContentType, Location: o.Location, Said: said,
	}
	if o.Location != "" && len(o.Body) == 0 { // else it says why the body is no message
		e.Err = o.Err
	}
	return e
}

// unusable reports whether o is an attempt at a message, rather than an HTTP
// answer that comes from something else.
func unusable(o negotiation.Outcome) bool {
	if o.Status == 0 || errors.As(o.Err, new(*LimitError)) {
		return true
	}
	mediaType, _, _ := mime.ParseMediaType(o.ContentType)
	return o.Err != nil && o.Status/100 == 2 &&
		(mediaType == "application/json" || mediaType == "text/event-stream")
}

// responseError is ErrorOf for a JSON-RPC message.
func responseError(target Target, req *Request, o negotiation.Outcome) error {
	m := o.Message
	idless := m.Error != nil && (m.ID.IsZero() || m.ID.IsNull())
	switch {
	case !m.IsResponse():
		return &MessageError{
			Origin: target.String(), Method: req.Method, Status: o.Status,
			Err: fmt.Errorf("a %s where the response is due", protocol.Quote(m.Method)),
		}
	case !req.ID.Matches(m.ID) && !idless:
		return &MessageError{
			Origin: target.String(), Method: req.Method, Status: o.Status,
			Err: fmt.Errorf("it answers id %s, the request's is %s", protocol.Quote(m.ID.String()), req.ID),
		}
	case m.Error != nil:
		return &ServerError{Origin: target.String(), Method: req.Method, Status: o.Status, Err: m.Error}
	default:
		return nil
	}
}
