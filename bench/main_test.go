package main

import (
	"context"
	"os"
	"regexp"
	"testing"

	"github.com/mcpera/mcpera/bench/work"
)

// The test binary is also the server, as the command is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		if err := serve(os.Args[2:]); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Each client does each work once, in both eras, and gets right answers.
func TestEveryClientDoesEveryWork(t *testing.T) {
	servers, stop, err := startServer()
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for _, w := range work.Works() {
		for _, era := range []string{"modern", "legacy"} {
			t.Run(w.Key+"/"+era, func(t *testing.T) {
				all := regexp.MustCompile(".")
				o := &options{rounds: 1, works: all, clients: all, scale: 1e-9}
				r := result{work: w, modern: era == "modern", samples: make(map[string][]work.Sample)}
				if err := r.measure(context.Background(), o, servers); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
