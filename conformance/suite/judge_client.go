package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// judgeClient runs the client scenarios of all revisions.
func (s *suite) judgeClient(ctx context.Context, program string, publish func(report)) error {
	for _, revision := range revisions {
		r, err := s.clientRun(ctx, program, revision)
		if err != nil {
			return err
		}
		publish(r)
	}
	return nil
}

// clientRun runs the scenarios that "client --requirements" would, but one by
// one: that command starts all at once, which a scenario that measures time does
// not survive, and it does not look at how the client program ends.
func (s *suite) clientRun(ctx context.Context, program, revision string) (report, error) {
	all, err := s.scenarios(ctx, revision)
	if err != nil {
		return report{}, err
	}
	names := slices.DeleteFunc(all.Client, needsOAuth)
	saved := filepath.Join(s.temp, "client-"+revision)
	ended := map[string]error{}
	for _, name := range names {
		err := s.run(ctx, "client", "--command", program, "--scenario", name, "--spec-version", revision, "--force", "-o", saved)
		if ctx.Err() != nil {
			return report{}, ctx.Err()
		}
		ended[name] = err
	}
	results, err := readResults(os.DirFS(saved), "", names)
	if err != nil {
		return report{}, fmt.Errorf("what the suite saved: %w", err)
	}
	for i, r := range results {
		// The suite fails by its checks too; then they tell it all.
		if err := ended[r.scenario]; err != nil && tallyOf(r.checks).clean() {
			results[i].fault = err
		}
	}
	return report{title: "client " + revision, results: results}, nil
}

// needsOAuth: the client can't authorize yet.
func needsOAuth(scenario string) bool { return strings.HasPrefix(scenario, "auth/") }
