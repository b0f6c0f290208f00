package server

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
)

// ServeStdio serves a site over standard input and output until the input ends.
func ServeStdio(site *Site) error {
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	var out []byte
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		if len(r.ID) == 0 {
			continue
		}
		out = out[:0]
		n := reports(&r)
		for i := 1; i <= n; i++ {
			out = append(report(out, &r, i, n), '\n')
		}
		out = append(site.response(out, &r), '\n')
		if _, err := os.Stdout.Write(out); err != nil {
			return err
		}
	}
}
