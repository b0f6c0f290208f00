package main

import (
	"strings"
	"testing"
)

// The demonstration must notice what is not as it should be.
func TestVisitCheck(t *testing.T) {
	legacy := demoServer{name: "legacy", transport: "http", wantEra: "legacy", wantTrips: 2}
	good := visit{Era: "legacy", Verdict: "legacy", RoundTrips: 2, Tools: 1, Sum: "42"}
	if err := good.check(legacy); err != nil {
		t.Errorf("a good visit: %v", err)
	}
	for name, change := range map[string]func(*visit){
		"wrong era":            func(v *visit) { v.Era = "modern" },
		"verdict of the other": func(v *visit) { v.Verdict = "modern 2026-07-28" },
		"a trip too many":      func(v *visit) { v.RoundTrips = 3 },
		"no tools":             func(v *visit) { v.Tools = 0 },
		"wrong sum":            func(v *visit) { v.Sum = "41" },
	} {
		v := good
		change(&v)
		if v.check(legacy) == nil {
			t.Errorf("%s passed", name)
		}
	}
}

func TestDemoResultShowsFailures(t *testing.T) {
	r := demoResult{
		Servers: []visit{{Server: "legacy", Transport: "http", Error: "the era is modern, not legacy"}},
		Outage:  outage{Kind: "timeout", Methods: map[string]int{"initialize": 1, "server/discover": 2}, Error: "it asked"},
	}
	var p page
	r.write(&p)
	for _, want := range []string{
		"FAILED: legacy over http: the era is modern, not legacy",
		"server/discover 2 times; initialize once", "FAILED: it asked", "Not all is as it should be.",
	} {
		if !strings.Contains(p.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, p.String())
		}
	}
}
