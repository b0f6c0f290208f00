package stdio

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json"

	"github.com/mcpera/mcpera/protocol"
)

// servers are what the test binary can act as; see serverEnv.
var servers = map[string]func(){
	// Answers each request with its parameters, and obeys the end of its input.
	"echo": func() { echo(func() {}) },

	// Writes 256 KB to stderr before each answer.
	"noisy": func() {
		echo(func() { fmt.Fprintln(os.Stderr, strings.Repeat("0123456789abcdef", 16<<10)) })
	},

	// Draws a progress bar of 1 MB without a line end.
	"bar": func() {
		echo(func() {
			w := bufio.NewWriter(os.Stderr)
			for i := range 200_000 {
				fmt.Fprintf(w, "\r%3d%%", i%100)
			}
			_ = w.Flush()
		})
	},

	// Leaves without having read anything.
	"missing": func() {
		fmt.Fprintln(os.Stderr, "missing file")
		os.Exit(3)
	},

	// Leaves once it has read ten requests.
	"ten": func() {
		lines := bufio.NewScanner(os.Stdin)
		for range 10 {
			lines.Scan()
		}
		fmt.Fprint(os.Stderr, strings.Repeat("x", 20<<10)+"\ndatabase is gone\n")
		os.Exit(4)
	},

	// Answers the first request, and leaves.
	"once": func() {
		lines := bufio.NewScanner(os.Stdin)
		lines.Scan()
		answer(lines.Bytes())
		os.Exit(5)
	},

	// Closes its output, and lives on.
	"mute": func() {
		_ = os.Stdout.Close()
		_, _ = io.Copy(io.Discard, os.Stdin)
	},

	// Closes its input, and lives on until someone tells it otherwise.
	"earless": func() {
		_ = os.Stdin.Close()
		fmt.Println(`{"jsonrpc":"2.0","method":"closed"}`)
		select {}
	},

	// Reads nothing.
	"deaf": func() { select {} },

	// Reads half a megabyte, says so, and reads no more.
	"tired": func() {
		_, _ = io.CopyN(io.Discard, os.Stdin, 512<<10)
		fmt.Println(`{"jsonrpc":"2.0","method":"full"}`)
		select {}
	},

	// Writes one endless line, come what may.
	"flood": func() {
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
		junk := []byte(strings.Repeat("x", 64<<10))
		for {
			_, _ = os.Stdout.Write(junk)
		}
	},

	// Leaves with status 41 when its input ends.
	"obeys EOF": func() {
		echo(func() {})
		os.Exit(41)
	},

	// Ignores the end of its input, and leaves with status 42 on SIGTERM.
	"obeys SIGTERM": func() {
		term := make(chan os.Signal, 1)
		signal.Notify(term, syscall.SIGTERM)
		echo(func() {})
		<-term
		os.Exit(42)
	},

	// Answers with the values of the variables that a request names.
	"environ": func() {
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			m, err := protocol.Decode(lines.Bytes())
			var values []string
			if err == nil {
				err = json.Unmarshal(m.Params, &values)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(9)
			}
			for i, name := range values {
				values[i] = os.Getenv(name)
			}
			encoded, _ := json.Marshal(values) // strings always encode
			_, _ = os.Stdout.Write(append(protocol.AppendResult(nil, m.ID, encoded), '\n'))
		}
	},

	// Obeys nothing.
	"obeys nothing": func() {
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
		echo(func() {})
		select {}
	},
}

// echo answers each line until the input ends, and calls before first.
func echo(before func()) {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		before()
		answer(line)
	}
}

// answer answers the request in line with its parameters.
func answer(line []byte) {
	m, err := protocol.Decode(line)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(9)
	}
	if !m.IsRequest() {
		return
	}
	_, _ = os.Stdout.Write(append(protocol.AppendResult(nil, m.ID, m.Params), '\n'))
}
