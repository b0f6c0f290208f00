package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/mcpera/mcpera/bench/sdk"
	"github.com/mcpera/mcpera/bench/work"
)

// A series is the time that work took at each size.
type series struct {
	name   string
	points []point
}

type point struct {
	size int
	time time.Duration
}

// growth measures how cost grows as the work grows, for our client and the
// floor, and draws it.
func growth(ctx context.Context, o *options, servers *work.Servers) error {
	var plots []plot
	for _, curve := range work.Curves() {
		if !o.works.MatchString(curve.Axis) {
			continue
		}
		p := plot{title: curve.Name, axis: curve.Axis}
		for _, c := range sdk.Clients() {
			if c.Name != sdk.Ours && c.Name != sdk.Floor {
				continue
			}
			s := series{name: c.Name}
			for _, size := range curve.Sizes {
				t, err := at(ctx, o, servers, curve, c, size)
				if err != nil {
					return fmt.Errorf("%s, %d %s, %s: %w", curve.Name, size, curve.Axis, c.Name, err)
				}
				s.points = append(s.points, point{size, t})
			}
			p.series = append(p.series, s)
			fmt.Fprintln(os.Stderr, p.title, s)
		}
		plots = append(plots, p)
	}
	return os.WriteFile(o.growth, draw(plots), 0o644)
}

// at is the median of the CPU time that the work takes at a size.
func at(ctx context.Context, o *options, servers *work.Servers, curve work.Curve, c sdk.Client, size int) (time.Duration, error) {
	running, err := curve.Begin(ctx, servers, c, size)
	if err != nil {
		return 0, err
	}
	r := result{samples: make(map[string][]work.Sample)}
	for range max(3, o.rounds/3) {
		sample, err := running.Round(curve.Ops(size), servers)
		if err != nil {
			return 0, err
		}
		r.samples[c.Name] = append(r.samples[c.Name], sample)
	}
	return time.Duration(r.median(c.Name, cpu)), running.End()
}
