package protocol_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/mcpera/mcpera/protocol"
)

// B080.
func TestIDMatches(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1`, true},
		{`0`, `"0"`, true}, // some servers turn numbers into strings
		{`1`, `"1"`, true},
		{`1`, `1.0`, true},
		{`1`, `"\u0031"`, true},
		{`100`, `1e2`, true},
		{`-7`, `"-7"`, true},
		{`"srv-1"`, `"srv-1"`, true},
		{`null`, `null`, true},
		{``, ``, true},
		{`9007199254740993`, `"9007199254740993"`, true},
		{`9223372036854775807`, `"9223372036854775807"`, true},
		{`18446744073709551616`, `18446744073709551616`, true},

		{`1`, `2`, false},
		{`1`, `"2"`, false},
		{`1`, `1.5`, false},
		{`1`, `"1.0"`, false}, // no decimal number
		{`1`, `" 1"`, false},
		{`1`, `"0x1"`, false},
		{`1`, `"one"`, false},
		{`0`, `null`, false},
		{`0`, ``, false},
		{`0`, `""`, false},
		{`null`, ``, false},
		{`null`, `"null"`, false},
		{`"a"`, `"A"`, false},
		{`"a"`, `"b"`, false},
		// A float cannot tell these apart, so it must not say that they are one.
		{`9007199254740992`, `9007199254740993.0`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{`18446744073709551616`, `18446744073709551617`, false},
		{`9223372036854775807`, `9.223372036854775807e18`, false},
		{`1e400`, `1e401`, false},
	} {
		a, b := idOf(t, tc.a), idOf(t, tc.b)
		if got := a.Matches(b); got != tc.want {
			t.Errorf("%s matches %s: %v", tc.a, tc.b, got)
		}
		if got := b.Matches(a); got != tc.want {
			t.Errorf("%s matches %s: %v", tc.b, tc.a, got)
		}
	}
}

func TestIDInt64(t *testing.T) {
	for text, want := range map[string]int64{
		`0`:                     0,
		`-0`:                    0,
		`7`:                     7,
		`-7`:                    -7,
		`"7"`:                   7,
		`7.0`:                   7,
		`70e-1`:                 7,
		`7e0`:                   7,
		`9007199254740991.0`:    1<<53 - 1,
		`-9007199254740991.0`:   -(1<<53 - 1),
		`9223372036854775807`:   math.MaxInt64,
		`-9223372036854775808`:  math.MinInt64,
		`"9223372036854775807"`: math.MaxInt64,
	} {
		if got, ok := idOf(t, text).Int64(); got != want || !ok {
			t.Errorf("Int64 of %s is %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{
		``, `null`, `""`, `"srv-1"`, `7.5`, `"7.0"`, `"7 "`, `1e400`, `-1e400`, `9223372036854775808`,
		`"9223372036854775808"`, `9007199254740992.0`, `-9007199254740992.0`,
	} {
		if got, ok := idOf(t, text).Int64(); got != 0 || ok {
			t.Errorf("Int64 of %s is %d, %v; want none", text, got, ok)
		}
	}
}

// B-MSG-02, B078.
func TestIDIsEchoedByteForByte(t *testing.T) {
	for _, text := range []string{
		`1`, `1.0`, `1e2`, `-0`, `"srv-1"`, `"a\u0062\/"`, `"é漢🙂"`, `""`, `null`, `18446744073709551617`,
		`0.30000000000000000000001`, `"` + "\u2028" + `"`,
	} {
		id := idOf(t, text)
		if id.String() != text {
			t.Errorf("%s: String() is %s", text, id)
		}
		if id.IsZero() || id.IsNull() != (text == "null") {
			t.Errorf("%s: IsZero is %v, IsNull is %v", text, id.IsZero(), id.IsNull())
		}
		request := `{"jsonrpc":"2.0","id":` + text + `,"method":"m"}`
		m, err := protocol.Decode([]byte(request))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := string(protocol.AppendRequest(nil, m.ID, m.Method, nil)); got != request {
			t.Errorf("%s came back in %s", text, got)
		}
	}
}

func TestIDAsJSON(t *testing.T) {
	type holder struct {
		ID protocol.ID `json:"id"`
	}
	for text, id := range map[string]protocol.ID{
		`{"id":12}`:   protocol.NumberID(12),
		`{"id":-12}`:  protocol.NumberID(-12),
		`{"id":"x"}`:  idOf(t, `"x"`),
		`{"id":null}`: idOf(t, `null`),
	} {
		got, err := json.Marshal(holder{id})
		if err != nil || string(got) != text {
			t.Errorf("%v is written as %s, %v; want %s", id, got, err, text)
		}
	}
	if got, err := json.Marshal(holder{}); err != nil || string(got) != `{"id":null}` {
		t.Errorf("an absent id is written as %s, %v", got, err)
	}
	var h holder
	if err := json.Unmarshal([]byte(`{}`), &h); err != nil || !h.ID.IsZero() || fmt.Sprint(h.ID) != "" {
		t.Errorf("an absent id is read as %v, %v", h.ID, err)
	}
	for _, text := range []string{`{"id":true}`, `{"id":false}`, `{"id":[]}`, `{"id":{}}`} {
		if err := json.Unmarshal([]byte(text), &h); err == nil {
			t.Errorf("%s is read as %v", text, h.ID)
		}
	}
}
