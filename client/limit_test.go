package client_test

import (
	"errors"
	"testing"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
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
