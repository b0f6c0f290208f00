package negotiation

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/protocol"
)

func TestOutcomeShowsNoSecret(t *testing.T) {
	const secret = "SECRET"
	answered := func(m protocol.Message) Outcome {
		return Outcome{Status: 200, Message: &m, Session: secret, Challenge: secret, Location: secret}
	}
	for want, o := range map[string]Outcome{
		"timeout":                 {Failure: TimedOut, Err: errors.New(secret)},
		"HTTP 200, network error": {Failure: NetworkError, Status: 200, Session: secret},
		"HTTP 404, 6 bytes":       {Status: 404, Body: []byte(secret), ContentType: secret},
		"HTTP 200, result":        answered(protocol.Message{Result: []byte(secret)}),
		"HTTP 200, error -32601":  answered(protocol.Message{Error: &protocol.Error{Code: -32601, Message: secret}}),
	} {
		if got := o.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "o", o, "p", &o)
		shown := fmt.Sprintf("%v %+v %#v %s %q %v %+v %#v %s", o, o, o, o, o, &o, &o, &o, log.String())
		if strings.Contains(shown, secret) {
			t.Errorf("%s: shows a secret: %s", want, shown)
		}
	}
}
