package negotiation_test

import (
	"testing"

	"github.com/mcpera/mcpera/negotiation"
)

// A status that decides alone costs no memory: a server that is down is asked
// often.
func TestClassifyProbeOfAStatusDoesNotAllocate(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 405, 408, 429, 500, 503} {
		for _, rule := range []negotiation.Rule{negotiation.RuleTable, negotiation.RuleNarrow} {
			if rule == negotiation.RuleNarrow && status == 400 {
				continue // an *Error
			}
			o := negotiation.Outcome{Status: status, RequestID: probeID}
			var v negotiation.Verdict
			if n := testing.AllocsPerRun(100, func() {
				v = negotiation.ClassifyProbe(http, o, negotiation.Options{Rule: rule})
			}); n != 0 {
				t.Errorf("%d under rule %d is %v after %v allocations", status, rule, v, n)
			}
		}
	}
}

func BenchmarkClassifyProbe(b *testing.B) {
	result := rpcResult("1", discover(discoverModern))
	for name, o := range map[string]negotiation.Outcome{
		"503":    typed(503, "", ""),
		"JSON":   answered(200, result),
		"stream": typed(200, "text/event-stream", "data: "+result+"\n\n"),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				negotiation.ClassifyProbe(http, o, negotiation.Options{})
			}
		})
	}
}
