package main

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// readArguments returns a tool's arguments, a JSON object, from what the
// command line says: nothing, the object, "-" or "@FILE".
func readArguments(ctx context.Context, in io.Reader, args []string) (jsontext.Value, error) {
	if len(args) == 0 {
		return jsontext.Value(`{}`), nil
	}
	text, err := source(ctx, in, args[0])
	if err != nil {
		return nil, err
	}
	var v jsontext.Value
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, usagef("the arguments are not JSON: %v", err)
	}
	if v.Kind() != '{' {
		return nil, usagef("the arguments must be a JSON object, such as '{\"city\":\"Oslo\"}'")
	}
	return v, nil
}

func source(ctx context.Context, in io.Reader, arg string) ([]byte, error) {
	path, isFile := strings.CutPrefix(arg, "@")
	switch {
	case arg == "-":
		return readAll(ctx, in)
	case isFile:
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, usagef("read the arguments: %v", err)
		}
		return text, nil
	default:
		return []byte(arg), nil
	}
}

// readAll reads r to its end, or until ctx ends. In that case the goroutine
// that reads is left behind, since nothing stops a read of a terminal; the
// process is about to end.
func readAll(ctx context.Context, r io.Reader) ([]byte, error) {
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		text, err := io.ReadAll(r)
		done <- read{text, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, usagef("read the arguments: %v", r.err)
		}
		return r.text, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
