package client_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// A lost stream is told to the program, once, and calls go on.
func TestTheProgramIsToldWhenTheServersStreamIsLost(t *testing.T) {
	s := overHTTP(t, withSession(fault.Script{fault.GET: {{fault.Stream()}}}))
	lost := make(chan error, 2)
	c := s.connected(t, client.WithStreamLost(func(err error) { lost <- err }))
	if err := <-lost; !errors.Is(err, transport.ErrStreamEnded) {
		t.Errorf("lost: %v", err)
	}
	if n := s.Count(fault.GET); n != 6 {
		t.Errorf("%d GETs, want 1 and 5 more", n)
	}
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if len(lost) != 0 {
		t.Error("the program was told twice")
	}
}

// A refusal of the optional stream is no loss, and no reason to log in or to try
// again.
func TestAServerWithoutAStreamIsNotAskedTwice(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 405, 406, 500, 501} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			s := overHTTP(t, withSession(fault.Script{fault.GET: {{
				fault.Status(status), fault.Header("WWW-Authenticate", "Bearer"), fault.Raw("no"),
			}}}))
			c := s.connected(t, client.WithStreamLost(func(err error) { t.Errorf("lost: %v", err) }))
			for range 3 {
				if _, err := c.ListTools(t.Context()); err != nil {
					t.Error(err)
				}
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if n := s.Count(fault.GET); n != 1 {
				t.Errorf("%d GETs, want 1", n)
			}
		})
	}
}

func TestNoStreamWhereNoneIsWanted(t *testing.T) {
	for name, tc := range map[string]struct {
		script fault.Script
		opts   []client.Option
		era    negotiation.Era
	}{
		"by option":  {withSession(nil), []client.Option{client.WithoutServerStream()}, negotiation.EraLegacy},
		"modern era": {fault.Dual(), nil, negotiation.EraModern},
	} {
		t.Run(name, func(t *testing.T) {
			s := overHTTP(t, tc.script)
			c := s.connected(t, tc.opts...)
			if _, err := c.ListTools(t.Context()); err != nil || c.Era() != tc.era {
				t.Errorf("%s: %v", c.Era(), err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if n := s.Count(fault.GET); n != 0 {
				t.Errorf("%d GETs, want none", n)
			}
		})
	}
}
