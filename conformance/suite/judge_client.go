package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// judgeClient runs the client scenarios of all revisions, and those of older ones
// that the suite has no list for.
func (s *suite) judgeClient(ctx context.Context, program string, publish func(report)) error {
	for _, revision := range revisions {
		all, err := s.scenarios(ctx, revision)
		if err != nil {
			return err
		}
		r, err := s.clientRun(ctx, program, "client "+revision, revision, all.Client)
		if err != nil {
			return err
		}
		publish(r)
	}
	r, err := s.clientRun(ctx, program, "client, authorization of 2025-03-26", "2025-11-25", backcompat)
	if err != nil {
		return err
	}
	publish(r)
	return nil
}

// backcompat are the scenarios that "client --suite backcompat" runs.
var backcompat = []string{"auth/2025-03-26-oauth-metadata-backcompat", "auth/2025-03-26-oauth-endpoint-fallback"}

// clientRun runs the scenarios that "client --requirements" would, but one by
// one: that command starts all at once, which a scenario that measures time does
// not survive, and it does not look at how the client program ends.
func (s *suite) clientRun(ctx context.Context, program, title, revision string, names []string) (report, error) {
	saved := filepath.Join(s.temp, strings.ReplaceAll(title, " ", "-"))
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
	return report{title: title, results: results}, nil
}
