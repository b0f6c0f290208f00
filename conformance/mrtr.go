package conformance

import (
	"context"
	"maps"
	"time"
)

// inputRequired is how a request ends that needs more from the client.
type inputRequired struct {
	inputs []Input
	state  string
}

func (*inputRequired) Error() string { return "input required" }

// result is the input_required result, which never has a cache hint.
func (e *inputRequired) result() object {
	o := object{}
	o.set("resultType", "input_required")
	o.set("inputRequests", inputRequests(e.inputs))
	o.set("requestState", e.state)
	return o
}

// ask returns the answers when the client has sent them all, in this round or
// an earlier one, and otherwise ends the request with the missing inputs. An
// answer of the wrong shape is -32602, a key that nobody asked for is ignored.
func (r *rounds) ask(_ context.Context, c *Call, inputs []Input) (Answers, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := Answers{}
	maps.Copy(known, r.known)
	var missing []Input
	for _, in := range inputs {
		if answer := r.responses.get(in.Key); answer != nil {
			if !in.fits(answer) {
				return nil, invalidParams("inputResponses: %q does not answer its input request", in.Key)
			}
			known[in.Key] = answer
		}
		if known[in.Key] == nil {
			missing = append(missing, in)
		}
	}
	r.known = known // the next Ask of this request builds on it
	if len(missing) == 0 {
		return known, nil
	}
	return nil, &inputRequired{missing, r.key.seal(requestState{
		Request:   digest(c),
		Principal: c.Principal.Name,
		Round:     r.round + 1,
		Expires:   time.Now().Add(stateTTL).UnixMilli(),
		Answers:   known,
	})}
}
