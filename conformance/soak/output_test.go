package soak_test

import (
	"io"
	"math/rand/v2"
	"os"
)

// An outputFault is what becomes of a process's standard output.
type outputFault struct {
	after int // bytes that are still written well; negative for all
	exits bool
	stays bool // after the end of its input
	noise bool
}

// lineFault draws one: most processes behave.
func lineFault(r *rand.Rand) outputFault {
	f := outputFault{after: -1, noise: r.IntN(4) == 0, stays: r.IntN(8) == 0}
	if r.IntN(2) == 0 {
		f.after, f.exits = r.IntN(4000), r.IntN(2) == 0
	}
	return f
}

// A faultyOutput writes lines until it breaks: in the middle of one, at times.
type faultyOutput struct {
	w     io.Writer
	fault outputFault
}

func (o *faultyOutput) Write(p []byte) (int, error) {
	if o.fault.noise && len(p) > 0 && p[0] == '{' {
		if _, err := io.WriteString(o.w, "{\"level\":\"debug\"}\nnoise\n"); err != nil {
			return 0, err
		}
	}
	if o.fault.after < 0 || len(p) <= o.fault.after {
		o.fault.after -= min(len(p), max(0, o.fault.after))
		return o.w.Write(p)
	}
	_, _ = o.w.Write(p[:o.fault.after])
	o.fault.after = 0
	if o.fault.exits {
		os.Exit(3)
	}
	return len(p), nil // and nobody gets it
}
