package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

const here = "https://h"

var (
	target     = transport.Target{URL: &url.URL{Scheme: "https", Host: "h", Path: "/mcp", RawQuery: "key=SECRET"}}
	request    = &transport.Request{ID: protocol.NumberID(7), Method: "tools/call", Session: "SECRET", Body: []byte(`{}`)}
	errBroke   = errors.New("connection reset by peer")
	errNotJSON = errors.New("not a JSON-RPC message")
)

// message decodes a JSON-RPC message.
func message(t *testing.T, text string) *protocol.Message {
	t.Helper()
	m, err := protocol.Decode([]byte(text))
	if err != nil {
		t.Fatalf("Decode(%s): %v", text, err)
	}
	return m
}

// M-HTTP-24, M-HTTP-26, M-ERR-07, B041: which error an answer is, or the lack
// of one.
func TestErrorOf(t *testing.T) {
	const (
		result   = `{"jsonrpc":"2.0","id":7,"result":{}}`
		failure  = `{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"limit must be > 0","data":{"field":"limit"}}}`
		unknown  = `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no such method"}}`
		idless   = `{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error"}}`
		nullID   = `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}`
		page     = "<html>hello</html>"
		asHTML   = "text/html"
		asJSON   = "application/json; charset=utf-8"
		asEvents = "Text/Event-Stream"
	)
	invalid := &protocol.Error{Code: -32602, Message: "limit must be > 0", Data: jsontext.Value(`{"field":"limit"}`)}
	tooLarge := &transport.LimitError{What: "message", Limit: 9}

	for name, tc := range map[string]struct {
		message string // decoded into outcome.Message
		outcome negotiation.Outcome
		want    error // nil, or its type and fields; an Err of words is compared by its text
	}{
		"the result is no error":           {result, negotiation.Outcome{Status: 200}, nil},
		"an id as a string is the same id": {`{"jsonrpc":"2.0","id":"7","result":{}}`, negotiation.Outcome{}, nil},
		"an id with a fraction of zero":    {`{"jsonrpc":"2.0","id":7.0,"result":{}}`, negotiation.Outcome{}, nil},
		"the result at a 4xx is a result":  {result, negotiation.Outcome{Status: 404}, nil},

		"no network": {"", negotiation.Outcome{Failure: negotiation.NetworkError, Err: errBroke, Attempts: 4},
			&transport.UnavailableError{Origin: here, Method: "tools/call", Attempts: 4, Err: errBroke}},
		"broken within the answer": {"", negotiation.Outcome{Failure: negotiation.NetworkError, Status: 200, Err: transport.ErrStreamEnded, Attempts: 1},
			&transport.UnavailableError{Origin: here, Method: "tools/call", Status: 200, Attempts: 1, Err: transport.ErrStreamEnded}},
		"time passed": {"", negotiation.Outcome{Failure: negotiation.TimedOut, Err: context.DeadlineExceeded},
			&transport.TimeoutError{Origin: here, Method: "tools/call", Err: context.DeadlineExceeded}},
		"an unknown failure": {"", negotiation.Outcome{Failure: 99, Err: errBroke},
			&transport.UnavailableError{Origin: here, Method: "tools/call", Err: errBroke}},

		"401 without JSON-RPC repeats the body": {"", negotiation.Outcome{Status: 401, ContentType: asHTML, Body: []byte(page), Err: errNotJSON, Challenge: "Bearer"},
			&transport.AuthError{Origin: here, Method: "tools/call", Status: 401, Challenge: "Bearer", Err: errors.New(`the server said "<html>hello</html>"`)}},
		"401 without a body": {"", negotiation.Outcome{Status: 401},
			&transport.AuthError{Origin: here, Method: "tools/call", Status: 401}},
		"403 with JSON-RPC keeps its error": {failure, negotiation.Outcome{Status: 403},
			&transport.AuthError{Origin: here, Method: "tools/call", Status: 403, Err: invalid}},
		"403 with a result is a refusal": {result, negotiation.Outcome{Status: 403},
			&transport.AuthError{Origin: here, Method: "tools/call", Status: 403}},
		"403 with a body above the limit": {"", negotiation.Outcome{Status: 403, Err: tooLarge},
			&transport.AuthError{Origin: here, Method: "tools/call", Status: 403, Err: tooLarge}},
		"408": {"", negotiation.Outcome{Status: 408, Attempts: 1},
			&transport.UnavailableError{Origin: here, Method: "tools/call", Status: 408, Attempts: 1}},
		"429 keeps the delay": {"", negotiation.Outcome{Status: 429, RetryAfter: time.Minute, Attempts: 4},
			&transport.UnavailableError{Origin: here, Method: "tools/call", Status: 429, Attempts: 4, RetryAfter: time.Minute}},
		"500 without JSON-RPC": {"", negotiation.Outcome{Status: 500, Body: []byte("down"), Err: errNotJSON},
			&transport.UnavailableError{Origin: here, Method: "tools/call", Status: 500, Err: errors.New(`the server said "down"`)}},
		"500 with JSON-RPC is the server's error": {failure, negotiation.Outcome{Status: 500},
			&transport.ServerError{Origin: here, Method: "tools/call", Status: 500, Err: invalid}},
		"503 with JSON-RPC is an outage": {failure, negotiation.Outcome{Status: 503},
			&transport.UnavailableError{Origin: here, Method: "tools/call", Status: 503, Err: invalid}},
		"502 is an outage": {failure, negotiation.Outcome{Status: 502},
			&transport.UnavailableError{Origin: here, Method: "tools/call", Status: 502, Err: invalid}},
		"504 is an outage": {failure, negotiation.Outcome{Status: 504},
			&transport.UnavailableError{Origin: here, Method: "tools/call", Status: 504, Err: invalid}},
		"505 with JSON-RPC is the server's error": {failure, negotiation.Outcome{Status: 505},
			&transport.ServerError{Origin: here, Method: "tools/call", Status: 505, Err: invalid}},
		"599 without JSON-RPC": {"", negotiation.Outcome{Status: 599},
			&transport.UnavailableError{Origin: here, Method: "tools/call", Status: 599}},

		"a redirect names its target": {"", negotiation.Outcome{Status: 301, Location: "https://h/mcp/"},
			&transport.StatusError{Origin: here, Method: "tools/call", Status: 301, Location: "https://h/mcp/"}},
		"a web page says its type and words": {"", negotiation.Outcome{Status: 200, ContentType: asHTML, Body: []byte(page), Err: errNotJSON},
			&transport.StatusError{Origin: here, Method: "tools/call", Status: 200, ContentType: asHTML, Said: `"<html>hello</html>"`}},
		"words without a type": {"", negotiation.Outcome{Status: 200, Body: []byte("hello"), Err: errNotJSON},
			&transport.StatusError{Origin: here, Method: "tools/call", Status: 200, Said: `"hello"`}},
		"202 to a request": {"", negotiation.Outcome{Status: 202},
			&transport.StatusError{Origin: here, Method: "tools/call", Status: 202}},
		"404 of a web server": {"", negotiation.Outcome{Status: 404, ContentType: asHTML, Body: []byte(page), Err: errNotJSON},
			&transport.StatusError{Origin: here, Method: "tools/call", Status: 404, ContentType: asHTML, Said: `"<html>hello</html>"`}},
		"404 with broken JSON": {"", negotiation.Outcome{Status: 404, ContentType: asJSON, Body: []byte("{"), Err: errNotJSON},
			&transport.StatusError{Origin: here, Method: "tools/call", Status: 404, ContentType: asJSON, Said: `"{"`}},

		"broken JSON": {"", negotiation.Outcome{Status: 200, ContentType: asJSON, Body: []byte("{"), Err: errNotJSON},
			&transport.MessageError{Origin: here, Method: "tools/call", Status: 200, Said: `"{"`, Err: errNotJSON}},
		"a broken event": {"", negotiation.Outcome{Status: 200, ContentType: asEvents, Body: []byte("{"), Err: errNotJSON},
			&transport.MessageError{Origin: here, Method: "tools/call", Status: 200, Said: `"{"`, Err: errNotJSON}},
		"a broken line of a process": {"", negotiation.Outcome{Body: []byte("{"), Err: errNotJSON},
			&transport.MessageError{Origin: here, Method: "tools/call", Said: `"{"`, Err: errNotJSON}},
		"nothing at all": {"", negotiation.Outcome{},
			&transport.MessageError{Origin: here, Method: "tools/call", Err: errors.New("there is none")}},
		"a message above the limit": {"", negotiation.Outcome{Status: 200, ContentType: asJSON, Err: tooLarge},
			&transport.MessageError{Origin: here, Method: "tools/call", Status: 200, Err: tooLarge}},
		"above the limit at a 400": {"", negotiation.Outcome{Status: 400, ContentType: asHTML, Err: tooLarge},
			&transport.MessageError{Origin: here, Method: "tools/call", Status: 400, Err: tooLarge}},

		"a foreign id names both": {`{"jsonrpc":"2.0","id":"other","result":{}}`, negotiation.Outcome{Status: 200},
			&transport.MessageError{Origin: here, Method: "tools/call", Status: 200, Err: errors.New(`it answers id "\"other\"", the request's is 7`)}},
		"a foreign id of an error": {`{"jsonrpc":"2.0","id":8,"error":{"code":1,"message":"x"}}`, negotiation.Outcome{Status: 400},
			&transport.MessageError{Origin: here, Method: "tools/call", Status: 400, Err: errors.New(`it answers id "8", the request's is 7`)}},
		"a result without an id": {`{"jsonrpc":"2.0","result":{}}`, negotiation.Outcome{Status: 200},
			&transport.MessageError{Origin: here, Method: "tools/call", Status: 200, Err: errors.New(`it answers id "", the request's is 7`)}},
		"an error without an id": {idless, negotiation.Outcome{Status: 400},
			&transport.ServerError{Origin: here, Method: "tools/call", Status: 400, Err: &protocol.Error{Code: -32700, Message: "parse error"}}},
		"an error with the id null": {nullID, negotiation.Outcome{Status: 400},
			&transport.ServerError{Origin: here, Method: "tools/call", Status: 400, Err: &protocol.Error{Code: -32000, Message: "no session"}}},
		"an error at a 4xx keeps all it says": {failure, negotiation.Outcome{Status: 400},
			&transport.ServerError{Origin: here, Method: "tools/call", Status: 400, Err: invalid}},
		"a 404 that says what was not found": {unknown, negotiation.Outcome{Status: 404},
			&transport.ServerError{Origin: here, Method: "tools/call", Status: 404, Err: &protocol.Error{Code: -32601, Message: "no such method"}}},
		"an error over stdio": {failure, negotiation.Outcome{},
			&transport.ServerError{Origin: here, Method: "tools/call", Err: invalid}},
		"a request in its place": {`{"jsonrpc":"2.0","id":7,"method":"ping"}`, negotiation.Outcome{Status: 200},
			&transport.MessageError{Origin: here, Method: "tools/call", Status: 200, Err: errors.New(`a "ping" where the response is due`)}},
	} {
		t.Run(name, func(t *testing.T) {
			o := tc.outcome
			if tc.message != "" {
				o.Message = message(t, tc.message)
			}
			got := transport.ErrorOf(target, request, o)
			if diff := cmp.Diff(tc.want, got, sameWords, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("ErrorOf (-want +got):\n%s", diff)
			}
		})
	}
}

// sameWords compares errors that are nothing but words by those.
var sameWords = cmp.FilterValues(
	func(a, b error) bool { return isWords(a) && isWords(b) },
	cmp.Comparer(func(a, b error) bool { return a.Error() == b.Error() }),
)

func isWords(err error) bool {
	switch fmt.Sprintf("%T", err) {
	case "*errors.errorString", "*fmt.wrapError", "context.deadlineExceededError":
		return true
	default:
		return false
	}
}

func TestErrorOfKeepsWhoEndedTheExchange(t *testing.T) {
	for name, tc := range map[string]struct {
		outcome negotiation.Outcome
		match   error
		text    string
	}{
		"the caller": {
			negotiation.Outcome{Failure: negotiation.Canceled, Err: context.Canceled},
			context.Canceled, "https://h: tools/call: context canceled",
		},
		"the process": {
			negotiation.Outcome{Failure: negotiation.Closed, Err: transport.ErrClosed},
			transport.ErrClosed, "tools/call: connection closed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := transport.ErrorOf(target, request, tc.outcome)
			if !errors.Is(err, tc.match) || err.Error() != tc.text {
				t.Errorf("ErrorOf = %q, want %q that matches %v", err, tc.text, tc.match)
			}
		})
	}
}

func TestErrorsMatchTheirSentinelsAndCauses(t *testing.T) {
	cause := io.ErrUnexpectedEOF
	rpc := &protocol.Error{Code: protocol.CodeMethodNotFound, Message: "no such method"}
	for name, tc := range map[string]struct {
		err   error
		match []error
	}{
		"AuthError":                   {&transport.AuthError{Err: cause}, []error{transport.ErrUnauthorized, cause}},
		"AuthError of no cause":       {&transport.AuthError{}, []error{transport.ErrUnauthorized}},
		"UnavailableError":            {&transport.UnavailableError{Err: cause}, []error{transport.ErrUnavailable, cause}},
		"UnavailableError, no cause":  {&transport.UnavailableError{}, []error{transport.ErrUnavailable}},
		"TimeoutError":                {&transport.TimeoutError{Err: cause}, []error{context.DeadlineExceeded, cause}},
		"TimeoutError of no cause":    {&transport.TimeoutError{}, []error{context.DeadlineExceeded}},
		"ServerError matches by code": {&transport.ServerError{Err: rpc}, []error{protocol.ErrMethodNotFound}},
		"MessageError":                {&transport.MessageError{Err: cause}, []error{cause}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, target := range tc.match {
				if !errors.Is(tc.err, target) {
					t.Errorf("errors.Is(%v, %v) = false", tc.err, target)
				}
			}
			if errors.Is(tc.err, transport.ErrClosed) {
				t.Errorf("%v matches ErrClosed", tc.err)
			}
		})
	}
	var timeout interface{ Timeout() bool }
	if err := error(&transport.TimeoutError{}); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("%v is no timeout in the sense of package net", err)
	}
}

func TestErrorTextsSayWhatHappenedAndWhatToDo(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want string
	}{
		{
			&transport.AuthError{Origin: here, Method: "initialize", Status: 403, Challenge: `Bearer scope="a"`, Err: errors.New(`the server said "host not allowed"`)},
			`https://h refused initialize with HTTP 403: the server said "host not allowed"; it asks for "Bearer scope=\"a\""`,
		},
		{
			&transport.UnavailableError{Origin: here, Method: "tools/list", Status: 503, Attempts: 4, RetryAfter: time.Minute},
			"https://h is unavailable: tools/list got HTTP 503, 4 times; it asks to wait 1m0s",
		},
		{
			&transport.UnavailableError{Origin: here, Method: "tools/list", Err: errBroke},
			"https://h is unavailable: tools/list got no answer: connection reset by peer",
		},
		{
			&transport.TimeoutError{Origin: here, Method: "tools/call", Err: context.DeadlineExceeded},
			"https://h did not answer tools/call in time",
		},
		{
			&transport.TimeoutError{Origin: here, Method: "tools/call", Err: errors.New("dial tcp: i/o timeout")},
			"https://h did not answer tools/call in time: dial tcp: i/o timeout",
		},
		{
			&transport.ServerError{Origin: here, Method: "tools/call", Err: &protocol.Error{Code: -32602, Message: "no\nsuch tool"}},
			`https://h: tools/call: server error -32602: "no\nsuch tool"`,
		},
		{
			&transport.StatusError{Origin: here, Method: "initialize", Status: 301, Location: "https://h/mcp/"},
			`https://h answered initialize with HTTP 301, a redirect to "https://h/mcp/": use that URL if you trust it`,
		},
		{
			&transport.StatusError{Origin: here, Method: "initialize", Status: 200, ContentType: "text/html", Said: `"<html>"`},
			`https://h answered initialize with HTTP 200 and type "text/html", saying "<html>"; that is no MCP response`,
		},
		{
			&transport.StatusError{Origin: here, Method: "tools/call", Status: 202},
			"https://h answered tools/call with HTTP 202; that is no MCP response",
		},
		{
			&transport.MessageError{Origin: here, Method: "tools/call", Err: errNotJSON, Said: `"[]"`},
			`https://h answered tools/call with an unusable message: not a JSON-RPC message; it said "[]"`,
		},
		{
			&transport.LimitError{What: "event", Limit: 1024},
			"event is larger than the limit of 1024 bytes",
		},
	} {
		if diff := cmp.Diff(tc.want, tc.err.Error()); diff != "" {
			t.Errorf("%T (-want +got):\n%s", tc.err, diff)
		}
	}
}

func TestErrorTextsAreBounded(t *testing.T) {
	const most = 4 << 10
	flood := strings.Repeat("é\x00", 1<<20)
	long := errors.New(flood)
	for _, o := range []negotiation.Outcome{
		{Failure: negotiation.NetworkError, Err: long},
		{Failure: negotiation.TimedOut, Err: long},
		{Status: 401, Challenge: flood, Body: []byte(flood), Err: long},
		{Status: 503, Body: []byte(flood), Err: long},
		{Status: 503, Err: long},
		{Status: 200, ContentType: "application/json", Body: []byte(flood), Err: long},
		{Status: 200, ContentType: flood, Body: []byte(flood), Err: long},
		{Status: 302, Location: "https://h/" + flood},
		{Message: &protocol.Message{ID: protocol.NumberID(7), Error: &protocol.Error{Message: flood, Data: jsontext.Value(flood)}}},
		{Message: &protocol.Message{Method: flood}},
	} {
		if text := transport.ErrorOf(target, request, o).Error(); len(text) > most || !strings.Contains(text, "tools/call") {
			t.Errorf("%d bytes of text for %.200s", len(text), text)
		}
	}
}
