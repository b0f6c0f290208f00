package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcpera/mcpera/client"
)

// A visit is what came of connecting to a server and using it.
type visit struct {
	Server     string `json:"server"`
	Transport  string `json:"transport"`
	Era        string `json:"era,omitempty"`
	Version    string `json:"version,omitempty"`
	Verdict    string `json:"verdict,omitempty"`
	Row        string `json:"row,omitempty"`
	RoundTrips int    `json:"roundTrips"`
	Tools      int    `json:"tools"`
	Sum        string `json:"sum,omitempty"` // what add_numbers made of 40 and 2
	Error      string `json:"error,omitempty"`
}

// visit connects to s, lists its tools and calls one.
func (d *demo) visit(ctx context.Context, s demoServer) visit {
	v := visit{Server: s.name, Transport: s.transport}
	err := d.use(ctx, s, &v)
	if err == nil {
		err = v.check(s)
	}
	if err != nil {
		v.Error = clean(err.Error())
	}
	return v
}

// use is the code that does not know the era.
func (d *demo) use(ctx context.Context, s demoServer, v *visit) (err error) {
	t, err := s.dial()
	if err != nil {
		return err
	}
	c, err := client.Connect(ctx, t, d.options(s.name+"/"+s.transport)...)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := c.Close(); err == nil {
			err = closeErr
		}
	}()
	n := c.Negotiation()
	v.Era, v.Version, v.Verdict, v.Row, v.RoundTrips = c.Era().String(), c.ProtocolVersion(), n.Verdict, n.Row, n.RoundTrips
	for _, err := range c.Tools(ctx) {
		if err != nil {
			return err
		}
		v.Tools++
	}
	result, err := c.CallTool(ctx, "add_numbers", map[string]int{"a": 40, "b": 2})
	if err != nil {
		return err
	}
	v.Sum = clean(result.Text())
	return nil
}

// check compares what was met with what the server was started as.
func (v *visit) check(s demoServer) error {
	switch {
	case v.Era != s.wantEra || !strings.HasPrefix(v.Verdict, s.wantEra):
		return fmt.Errorf("the era is %s (%s), not %s", v.Era, v.Verdict, s.wantEra)
	case v.RoundTrips != s.wantTrips:
		return fmt.Errorf("connecting took %d round trips, not %d", v.RoundTrips, s.wantTrips)
	case v.Tools == 0:
		return fmt.Errorf("it lists no tools")
	case v.Sum != "42":
		return fmt.Errorf("add_numbers made %q of 40 and 2", v.Sum)
	default:
		return nil
	}
}

func (v *visit) outcome() string {
	if v.Error != "" {
		return "FAILED"
	}
	return fmt.Sprintf("%d tools, %s", v.Tools, v.Sum)
}
