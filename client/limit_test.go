package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// Of the two limits on a probe's answer the smaller one counts.
func TestTheLimitOnAProbesAnswerIsAnOption(t *testing.T) {
	script := fault.Dual().With(fault.Script{
		protocol.MethodDiscover: {{fault.Result(`{"supportedVersions":["2026-07-28"],"capabilities":{},"instructions":"${fill:3000}"}`)}},
	})
	for name, tc := range map[string]struct {
		probe, message int64
		want           int64 // the limit that is named; 0 for none
	}{
		"neither":          {1 << 20, 1 << 20, 0},
		"the probe's":      {1000, 1 << 20, 1000},
		"the transport's":  {1 << 20, 2000, 2000},
		"the smaller one":  {1000, 2000, 1000},
		"no limit to note": {1 << 62, 1 << 62, 0},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := overHTTP(t, script, mcphttp.WithMaxMessage(tc.message)).connect(t, client.WithMaxProbeAnswer(tc.probe))
			limit, ok := errors.AsType[*transport.LimitError](err)
			if ok != (tc.want > 0) || ok && limit.Limit != tc.want || !ok && err != nil {
				t.Errorf("%v, want the limit %d", err, tc.want)
			}
		})
	}
}

// What a server asks for at once is bounded: above that nobody is asked.
func TestTheInputsOfARoundAreBounded(t *testing.T) {
	for name, tc := range map[string]struct {
		inputs int
		opts   []client.Option
		asked  int64 // of the handler
	}{
		"on the limit":  {100, nil, 100},
		"above it":      {101, nil, 0},
		"far above it":  {20_000, nil, 0},
		"on another":    {2, []client.Option{client.WithMaxInputs(2)}, 2},
		"above another": {3, []client.Option{client.WithMaxInputs(2)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				requests := make([]string, tc.inputs)
				for i := range requests {
					requests[i] = fmt.Sprintf(`"%d":{"method":"roots/list"}`, i)
				}
				p := newPuppet(negotiation.HTTP, func(_ context.Context, _ *puppet, req *transport.Request) (string, error) {
					if strings.Contains(string(req.Body), "inputResponses") {
						return doneResult, nil
					}
					return `{"resultType":"input_required","inputRequests":{` + strings.Join(requests, ",") + `}}`, nil
				})
				var asked atomic.Int64
				c := p.connect(t, negotiation.EraModern, append(tc.opts, client.WithHandler(rooter(func(context.Context) ([]protocol.Root, error) {
					asked.Add(1)
					return nil, nil
				})))...)
				defer c.Close()
				_, err := c.CallTool(t.Context(), "echo", nil)
				if got := asked.Load(); got != tc.asked || (err == nil) != (tc.asked > 0) {
					t.Errorf("asked %d times, and %v", got, err)
				}
				if bad, ok := errors.AsType[*client.RequestError](err); err != nil && (!ok || !strings.Contains(bad.Error(), "WithMaxInputs")) {
					t.Errorf("%v, want a RequestError that names the option", err)
				}
			})
		})
	}
}
