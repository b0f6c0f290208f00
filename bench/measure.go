package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/mcpera/mcpera/bench/sdk"
	"github.com/mcpera/mcpera/bench/work"
)

// A result is one row in one era: the samples of each client, by round.
type result struct {
	work    work.Work
	modern  bool
	clients []string
	samples map[string][]work.Sample
}

func measure(ctx context.Context, o *options, servers *work.Servers) ([]result, error) {
	var results []result
	for _, w := range work.Works() {
		if !o.works.MatchString(w.Key) {
			continue
		}
		for _, era := range strings.Split(o.eras, ",") {
			r := result{work: w, modern: era == "modern", samples: make(map[string][]work.Sample)}
			if err := r.measure(ctx, o, servers); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", w.Key, era, err)
			}
			results = append(results, r)
			fmt.Fprintln(os.Stderr, r.line())
		}
	}
	return results, nil
}

// measure lets the clients take turns, each round in another order.
func (r *result) measure(ctx context.Context, o *options, servers *work.Servers) error {
	var clients []sdk.Client
	var running []work.Running
	for _, c := range sdk.Clients() {
		if !o.clients.MatchString(c.Name) {
			continue
		}
		w, err := r.work.Begin(ctx, servers, c, r.modern)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		clients, running = append(clients, c), append(running, w)
		r.clients = append(r.clients, c.Name)
	}
	n := max(1, int(float64(r.work.Ops)*o.scale))
	for round := range o.rounds {
		for i := range clients {
			i = (i + round) % len(clients)
			sample, err := running[i].Round(n, servers)
			if err != nil {
				return fmt.Errorf("%s: %w", clients[i].Name, err)
			}
			r.samples[clients[i].Name] = append(r.samples[clients[i].Name], sample)
		}
	}
	var errs []error
	for _, w := range running {
		errs = append(errs, w.End())
	}
	return errors.Join(errs...)
}
