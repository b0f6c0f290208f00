package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// judgeServer runs the server scenarios of all revisions against one process.
func (s *suite) judgeServer(ctx context.Context, program string, publish func(report)) error {
	server, err := serve(ctx, program)
	if err != nil {
		return err
	}
	for _, revision := range revisions {
		r, err := s.serverRun(ctx, server.url, revision)
		if err != nil {
			_ = server.stop() // the error that came first tells more
			return err
		}
		publish(r)
	}
	return server.stop()
}

func (s *suite) serverRun(ctx context.Context, url, revision string) (report, error) {
	all, err := s.scenarios(ctx, revision)
	if err != nil {
		return report{}, err
	}
	saved := filepath.Join(s.temp, "server-"+revision)
	ended := s.run(ctx, "server", "--url", url, "--requirements", revision, "-o", saved)
	if ctx.Err() != nil {
		return report{}, ctx.Err()
	}
	results, err := readResults(os.DirFS(saved), "server-", all.Server)
	if err != nil {
		return report{}, fmt.Errorf("what the suite saved: %w", err)
	}
	r := report{title: "server " + revision, results: results}
	if r.tally().clean() {
		r.fault = ended
	}
	return r, nil
}
