package conformance

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// stateTTL is for how long a requestState is accepted.
const stateTTL = 10 * time.Minute

// A requestState is what a modern request with several rounds remembers
// between them, in the client's hands.
//
// Source: MCP 2026-07-28, patterns/mrtr, "Server Requirements".
type requestState struct {
	Request   []byte  `json:"request"` // digest of method, name and arguments
	Principal string  `json:"principal,omitempty"`
	Round     int     `json:"round"`   // 1 for the first input_required result
	Expires   int64   `json:"expires"` // milliseconds since the epoch
	Answers   Answers `json:"answers,omitempty"`
}

// A stateKey signs states and opens those that it signed.
type stateKey []byte

// seal returns the state as text: its JSON and a signature, both in Base64.
func (k stateKey) seal(st requestState) string {
	body := base64.RawURLEncoding.EncodeToString(mustEncode(st))
	return body + "." + base64.RawURLEncoding.EncodeToString(k.sign(body))
}

// open returns the state in text, and false for one that this key did not
// sign, that has expired at now, or that belongs to another request or
// principal.
func (k stateKey) open(text string, c *Call, now time.Time) (requestState, bool) {
	body, signature, ok := strings.Cut(text, ".")
	if !ok {
		return requestState{}, false
	}
	mac, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if err != nil || !hmac.Equal(mac, k.sign(body)) {
		return requestState{}, false
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(body)
	if err != nil {
		return requestState{}, false
	}
	var st requestState
	if json.Unmarshal(data, &st) != nil {
		return requestState{}, false
	}
	fresh := now.UnixMilli() < st.Expires
	return st, fresh && st.Principal == c.Principal.Name && hmac.Equal(st.Request, digest(c))
}

func (k stateKey) sign(body string) []byte {
	h := hmac.New(sha256.New, k)
	h.Write([]byte(body))
	return h.Sum(nil)
}

// digest identifies a request by what it asks for.
func digest(c *Call) []byte {
	arguments := c.Arguments.Clone()
	_ = arguments.Canonicalize() // valid JSON: decoded on arrival
	parts := []jsontext.Value{mustEncode(c.Method), mustEncode(c.Name), arguments}
	sum := sha256.Sum256(mustEncode(parts))
	return sum[:]
}

// mrtrParams are the parameters of a request that is sent again.
type mrtrParams struct {
	Responses jsontext.Value `json:"inputResponses"`
	State     jsontext.Value `json:"requestState"`
}

// rounds answers Ask for a modern request: from what the client sent along,
// else by ending the request with what is missing.
type rounds struct {
	key       stateKey
	round     int
	responses object // from this request: not checked yet

	mu    sync.Mutex
	known Answers // from requestState and earlier calls: checked
}

// newRounds reads what a request brings from earlier rounds.
func newRounds(c *Call, key stateKey) (*rounds, *protocol.Error) {
	var p mrtrParams
	if e := bind(c.params, &p); e != nil {
		return nil, e
	}
	r := &rounds{key: key}
	if p.State != nil {
		text, ok := jsonString(p.State)
		if !ok {
			return nil, invalidParams("requestState is not a string")
		}
		st, ok := key.open(text, c, time.Now())
		if !ok {
			return nil, invalidParams("requestState is not one that this server gave out for this request")
		}
		r.round, r.known = st.Round, st.Answers
	}
	if p.Responses != nil {
		if p.Responses.Kind() != '{' {
			return nil, invalidParams("inputResponses is not an object")
		}
		r.responses = mustObject(p.Responses)
	}
	return r, nil
}
