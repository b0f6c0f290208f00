// Command bench measures our client, its peers and a floor written by hand
// against one neutral server, which runs in a process of its own.
//
//	go run . -rounds 10 -run 'call|list' -era modern
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"

	"github.com/mcpera/mcpera/bench/server"
	"github.com/mcpera/mcpera/bench/work"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	rounds  int
	works   *regexp.Regexp
	clients *regexp.Regexp
	eras    string
	scale   float64
	doc     string
	raw     string
	profile string
	heap    string
	growth  string
}

func parse() (*options, error) {
	o := new(options)
	flag.IntVar(&o.rounds, "rounds", 10, "how many rounds")
	rows := flag.String("run", ".", "the rows, by their keys: a regular expression")
	names := flag.String("client", ".", "the clients, a regular expression")
	flag.StringVar(&o.eras, "era", "modern,legacy", "the eras")
	flag.Float64Var(&o.scale, "scale", 1, "scales how much is done in a round")
	flag.StringVar(&o.doc, "doc", "", "the page to write the table to, between its markers")
	flag.StringVar(&o.raw, "raw", "", "a file for all samples, for benchstat")
	flag.StringVar(&o.profile, "cpuprofile", "", "a file for a CPU profile of the whole run")
	flag.StringVar(&o.heap, "memprofile", "", "a file for a profile of all allocations")
	flag.StringVar(&o.growth, "growth", "", "a file to draw how cost grows with the work in, in place of the table")
	flag.Parse()
	var errs [2]error
	o.works, errs[0] = regexp.Compile(*rows)
	o.clients, errs[1] = regexp.Compile(*names)
	return o, errors.Join(errs[:]...)
}

func run() error {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		return serve(os.Args[2:])
	}
	o, err := parse()
	if err != nil {
		return err
	}
	if o.heap != "" {
		runtime.MemProfileRate = 1
		defer writeHeap(o.heap)
	}
	servers, stop, err := startServer()
	if err != nil {
		return err
	}
	defer stop()
	if o.profile != "" {
		f, err := os.Create(o.profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	if o.growth != "" {
		return growth(context.Background(), o, servers)
	}
	results, err := measure(context.Background(), o, servers)
	if err != nil {
		return err
	}
	return report(o, results)
}

// writeHeap writes the profile of what was allocated.
func writeHeap(path string) {
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
}

// serve runs the neutral server: over HTTP, or over stdio the site that the
// path names.
func serve(args []string) error {
	if len(args) == 0 {
		return server.ServeHTTP()
	}
	parts := strings.Split(strings.Trim(args[0], "/"), "/")
	var numbers []int
	for _, part := range parts[1:] {
		n, err := strconv.Atoi(part)
		if err != nil {
			return err
		}
		numbers = append(numbers, n)
	}
	return server.ServeStdio(server.NewSite(parts[0] == "modern", numbers[0], numbers[1:]...))
}

// startServer runs the HTTP server until stop is called.
func startServer() (servers *work.Servers, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(self, "serve")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	servers = &work.Servers{Self: []string{self, "serve"}}
	if _, err := fmt.Fscan(bufio.NewReader(out), &servers.Addr, &servers.IdleAddr); err != nil {
		return nil, nil, err
	}
	return servers, func() { _ = in.Close(); _ = cmd.Wait() }, nil
}
