package negotiation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
)

func TestClassifyProbeReadsAWholeStream(t *testing.T) {
	event := func(body string) string { return "data: " + body + "\n\n" }
	answer := event(rpcResult("1", discover(discoverModern)))
	isModern := negotiation.Modern{Version: modern}
	for name, tc := range map[string]struct {
		stream string
		want   negotiation.Verdict
	}{
		"the probe's answer counts, not another request's before it": {
			event(rpcError("99", -32601)) + answer, isModern},
		"the probe's answer counts, not a modern error for another request before it": {
			event(unsupported("99", `"2026-07-28"`)) + answer, isModern},
		"the probe's first answer counts, not its second": {
			answer + event(rpcError("1", -32601)), isModern},
		"the first answer to another request is the one that is told of": {
			event(unsupported("98", "")) + event(rpcError("99", -32601)),
			undecided(negotiation.ForeignID, 200)},
		"answers to other requests alone say nothing": {
			event(rpcError("98", -32601)) + event(rpcResult("99", "{}")),
			undecided(negotiation.Inconclusive, 200)},
		"an event cut in the middle of its JSON is no answer": {
			answer[:len(answer)-4], undecided(negotiation.Inconclusive, 200)},
		"an event of another name is no answer": {
			"event: ping\n" + answer, undecided(negotiation.Inconclusive, 200)},
		"a name holds for its own event only": {
			"event: ping\n\n" + answer, isModern},
		"two events are not joined": {
			"data: {\"jsonrpc\":\"2.0\",\n\ndata: \"id\":1,\"result\":{}}\n\n",
			undecided(negotiation.Inconclusive, 200)},
		"one space is taken off, no more": {
			"data:  " + answer[len("data: "):], isModern},
		"a blank before the field name makes it another field": {
			" " + answer, undecided(negotiation.Inconclusive, 200)},
		"an empty stream says nothing": {
			"\n\n", undecided(negotiation.Inconclusive, 200)},
	} {
		t.Run(name, func(t *testing.T) {
			o := typed(200, "text/event-stream", tc.stream)
			got := negotiation.ClassifyProbe(http, o, negotiation.Options{})
			if diff := cmp.Diff(tc.want, got, ignoreDetails); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A transport may reuse the buffer that a body came in.
func TestClassifyProbeLeavesTheBodyAlone(t *testing.T) {
	stream := "data: " + rpcResult("1", `{"resultType":"complete","supportedVersions":["2026-07-28"],"extra":[1]}`) + "\r\n"
	body := append(make([]byte, 0, 2*len(stream)), stream...)
	room := body[:cap(body)]
	for i := len(body); i < len(room); i++ {
		room[i] = '#'
	}
	before := string(room)

	o := typed(200, "text/event-stream", "")
	o.Body = body
	v, ok := negotiation.ClassifyProbe(http, o, negotiation.Options{}).(negotiation.Modern)
	if !ok {
		t.Fatalf("verdict is %v, want modern", v)
	}
	if string(room) != before {
		t.Errorf("the body is now %q", room)
	}
	clear(room)
	if got, want := string(v.Discover.Extra), `{"extra":[1]}`; got != want {
		t.Errorf("the result holds on to the body: Extra is %s, want %s", got, want)
	}
}
