package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/mcpera/mcpera/bench/sdk"
	"github.com/mcpera/mcpera/bench/work"
)

func cpu(s work.Sample) float64         { return float64(s.CPU) }
func wall(s work.Sample) float64        { return float64(s.Wall) }
func bytes(s work.Sample) float64       { return s.Bytes }
func allocs(s work.Sample) float64      { return s.Allocs }
func connections(s work.Sample) float64 { return s.Connections }
func goroutines(s work.Sample) float64  { return s.Goroutines }

// median of a figure of a client.
func (r *result) median(client string, of func(work.Sample) float64) float64 {
	var all []float64
	for _, s := range r.samples[client] {
		all = append(all, of(s))
	}
	return middle(all)
}

// ratio is the median of a client's figure to the floor's, round by round: what
// disturbs a round disturbs both.
func (r *result) ratio(client string, of func(work.Sample) float64) float64 {
	var all []float64
	floor := r.samples[sdk.Floor]
	for i, s := range r.samples[client] {
		if i < len(floor) {
			all = append(all, of(s)/of(floor[i]))
		}
	}
	return middle(all)
}

func middle(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return (all[len(all)/2] + all[(len(all)-1)/2]) / 2
}

// line is a result in one line, while the run goes on.
func (r *result) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-12s %s", r.work.Key, era(r.modern))
	for _, c := range r.clients {
		fmt.Fprintf(&b, " | %s %s", c, r.cell(c))
	}
	return b.String()
}

func era(modern bool) string {
	if modern {
		return "modern"
	}
	return "legacy"
}

// cell tells a client's figures: the floor's own, the others' as multiples.
func (r *result) cell(client string) string {
	switch {
	case r.samples[client] == nil:
		return "-"
	case r.work.Key == "idle":
		return fmt.Sprintf("%.1f kB, %.1f goroutines", r.median(client, bytes)/1000, r.median(client, goroutines))
	case client == sdk.Floor || r.samples[sdk.Floor] == nil:
		return fmt.Sprintf("%s, %s wall, %s, %.0f allocs%s", duration(r.median(client, cpu)), duration(r.median(client, wall)),
			size(r.median(client, bytes)), r.median(client, allocs), r.fresh(client))
	default:
		return fmt.Sprintf("%.2fx (%.2fx wall, %.2fx bytes, %.1fx allocs)%s", r.ratio(client, cpu), r.ratio(client, wall),
			r.ratio(client, bytes), r.ratio(client, allocs), r.fresh(client))
	}
}

// fresh tells of connections, where they are the matter.
func (r *result) fresh(client string) string {
	if r.work.Key != "callers" {
		return ""
	}
	return fmt.Sprintf(", %.2f new connections", r.median(client, connections))
}

func duration(ns float64) string {
	switch {
	case ns < 1e6:
		return fmt.Sprintf("%.0f us", ns/1e3)
	default:
		return fmt.Sprintf("%.2f ms", ns/1e6)
	}
}

func size(bytes float64) string {
	if bytes < 100_000 {
		return fmt.Sprintf("%.1f kB", bytes/1e3)
	}
	return fmt.Sprintf("%.2f MB", bytes/1e6)
}

// table is the Markdown table of all results.
func table(results []result) string {
	var b strings.Builder
	names := []string{sdk.Floor, sdk.Ours}
	for _, c := range sdk.Clients() {
		if c.Name != sdk.Floor && c.Name != sdk.Ours {
			names = append(names, c.Name)
		}
	}
	fmt.Fprintf(&b, "| work | era | %s | ours must reach |\n|---|---|%s---|\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	for _, r := range results {
		fmt.Fprintf(&b, "| %s | %s |", r.work.Name, era(r.modern))
		for _, name := range names {
			fmt.Fprintf(&b, " %s |", r.cell(name))
		}
		fmt.Fprintf(&b, " %s |\n", must(r.work))
	}
	return b.String()
}

func must(w work.Work) string {
	switch {
	case w.Key == "idle":
		return "24 kB, 0 goroutines"
	case w.MustBytes != 0:
		return fmt.Sprintf("%.2fx, %.1fx bytes", w.Must, w.MustBytes)
	default:
		return fmt.Sprintf("%.2fx", w.Must)
	}
}

// report prints the table, and writes it where the flags say.
func report(o *options, results []result) error {
	text := fmt.Sprintf("%s\nMeasured on %s with `%s`: medians of %d rounds, %s, %s.\n",
		table(results), time.Now().UTC().Format(time.DateOnly), commandLine(), o.rounds, machine(), versions())
	fmt.Print("\n" + text)
	if o.raw != "" {
		if err := writeRaw(o.raw, results); err != nil {
			return err
		}
	}
	if o.doc == "" {
		return nil
	}
	return replaceBetween(o.doc, text)
}

func commandLine() string {
	if o := strings.Join(os.Args[1:], " "); !strings.Contains(o, "-doc") {
		return strings.TrimSpace("go run . " + o)
	}
	return "make bench"
}

func machine() string { return fmt.Sprintf("%d cores, %s", runtime.NumCPU(), runtime.GOARCH) }

// versions are those of Go and of the modules that are compared.
func versions() string {
	all := []string{runtime.Version()}
	info, _ := debug.ReadBuildInfo()
	for _, dep := range info.Deps {
		if strings.HasSuffix(dep.Path, "/go-sdk") || strings.HasSuffix(dep.Path, "/mcp-go") {
			all = append(all, dep.Path+" "+dep.Version)
		}
	}
	return strings.Join(all, ", ")
}

// Markers around the table of a page.
const (
	begin = "<!-- bench:start -->\n"
	end   = "<!-- bench:end -->\n"
)

func replaceBetween(path, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, found := strings.Cut(string(page), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s has lost its markers", path)
	}
	return os.WriteFile(path, []byte(head+begin+"\n"+text+"\n"+end+tail), 0o644)
}

// writeRaw writes all samples as Go's benchmarks do, for benchstat.
func writeRaw(path string, results []result) error {
	var b strings.Builder
	for _, r := range results {
		for _, c := range r.clients {
			for _, s := range r.samples[c] {
				fmt.Fprintf(&b, "Benchmark/work=%s/era=%s/client=%s 1 %d ns/op %d cpu-ns/op %.0f B/op %.0f allocs/op\n",
					r.work.Key, era(r.modern), c, s.Wall, s.CPU, s.Bytes, s.Allocs)
			}
		}
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
