package protocol_test

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/protocol"
)

func TestTTL(t *testing.T) {
	for text, want := range map[string]time.Duration{
		`{}`:             0,
		`{"ttlMs":0}`:    0,
		`{"ttlMs":-0}`:   0,
		`{"ttlMs":-5}`:   0,
		`{"ttlMs":-1e9}`: 0,
		`{"ttlMs":-0.5}`: 0,
		`{"ttlMs":null}`: 0,
		`{"ttlMs":"5"}`:  0,
		`{"ttlMs":true}`: 0,
		`{"ttlMs":[5]}`:  0,
		`{"ttlMs":{}}`:   0,

		`{"ttlMs":1}`:        time.Millisecond,
		`{"ttlMs":1.5}`:      1500 * time.Microsecond,
		`{"ttlMs":5e3}`:      5 * time.Second,
		`{"ttlMs":86399999}`: 24*time.Hour - time.Millisecond,

		`{"ttlMs":86400000}`:                24 * time.Hour,
		`{"ttlMs":86400001}`:                24 * time.Hour,
		`{"ttlMs":1e18}`:                    24 * time.Hour,
		`{"ttlMs":9223372036854775808}`:     24 * time.Hour,
		`{"ttlMs":1e400}`:                   24 * time.Hour,
		`{"ttlMs":-1e400}`:                  0,
		`{"ttlMs":1e-400}`:                  0,
		`{"ttlMs":100000000000000000000.5}`: 24 * time.Hour,
	} {
		d := protocol.DiscoverResult{TTL: 7} // what was there before goes
		if text == `{}` {
			d.TTL = 0
		}
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Errorf("%s: %v", text, err)
		} else if time.Duration(d.TTL) != want {
			t.Errorf("%s is %v, want %v", text, time.Duration(d.TTL), want)
		}
	}
	for ttl, want := range map[time.Duration]string{
		0:                       `0`,
		1500 * time.Microsecond: `1`,
		time.Minute:             `60000`,
	} {
		if got, err := json.Marshal(protocol.TTL(ttl)); err != nil || string(got) != want {
			t.Errorf("%v is written as %s, %v; want %s", ttl, got, err, want)
		}
	}
}

// B-META-04.
func TestServerInfo(t *testing.T) {
	weather := protocol.Implementation{Name: "weather", Version: "1.2"}
	const named = `{"name":"weather","version":"1.2"}`
	const other = `{"name":"other","version":"0"}`
	for name, tc := range map[string]struct {
		text string
		want protocol.Implementation
	}{
		"in _meta":                       {`{"_meta":{"io.modelcontextprotocol/serverInfo":` + named + `}}`, weather},
		"beside _meta":                   {`{"serverInfo":` + named + `}`, weather},
		"beside a _meta of other things": {`{"_meta":{"a":1},"serverInfo":` + named + `}`, weather},
		"in _meta before beside it":      {`{"_meta":{"io.modelcontextprotocol/serverInfo":` + named + `},"serverInfo":` + other + `}`, weather},
		"beside a _meta of another kind": {`{"_meta":{"io.modelcontextprotocol/serverInfo":"weather"},"serverInfo":` + named + `}`, weather},
		"nowhere":                        {`{"supportedVersions":[]}`, protocol.Implementation{}},
		"of another kind":                {`{"serverInfo":"weather"}`, protocol.Implementation{}},
	} {
		t.Run(name, func(t *testing.T) {
			var d protocol.DiscoverResult
			if err := json.Unmarshal([]byte(tc.text), &d); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, d.ServerInfo()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// M-DSC-01.
func TestDiscoverResultRoundTrip(t *testing.T) {
	const text = `{"resultType":"complete","supportedVersions":["2026-07-28"],` +
		`"capabilities":{"tools":{"listChanged":true,"later":1},"resources":{"subscribe":true},"logging":{"x":2},` +
		`"extensions":{"com.example/a":{}},"tasks":{"list":{}}},` +
		`"instructions":"Be kind.","ttlMs":60000,"cacheScope":"public","_meta":{"a":9007199254740993},"serverInfo":{"name":"x"}}`
	var d protocol.DiscoverResult
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(canonical(t, []byte(text)), canonical(t, got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
