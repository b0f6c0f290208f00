package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lookup returns what text, one JSON document and nothing else, has at a path
// such as "result.tools.0.name". A string comes without quotes, anything else
// as compact JSON; "" is the whole document.
func lookup(text []byte, path string) (string, bool, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	value, err := dec.ReadValue()
	if err != nil {
		return "", false, fmt.Errorf("no JSON document: %w", err)
	}
	value = slices.Clone(value)
	if _, err := dec.ReadToken(); err != io.EOF {
		return "", false, fmt.Errorf("more than one JSON document")
	}
	for step := range strings.SplitSeq(path, ".") {
		if path == "" {
			break
		}
		var ok bool
		if value, ok = member(value, step); !ok {
			return "", false, nil
		}
	}
	if value.Kind() == '"' {
		var s string
		err := json.Unmarshal(value, &s)
		return s, true, err
	}
	err = value.Compact()
	return string(value), true, err
}

func member(value jsontext.Value, step string) (jsontext.Value, bool) {
	switch value.Kind() {
	case '{':
		var object map[string]jsontext.Value
		if json.Unmarshal(value, &object) != nil {
			return nil, false
		}
		v, ok := object[step]
		return v, ok
	case '[':
		var array []jsontext.Value
		i, err := strconv.Atoi(step)
		if err != nil || json.Unmarshal(value, &array) != nil || i < 0 || i >= len(array) {
			return nil, false
		}
		return array[i], true
	default:
		return nil, false
	}
}

func TestLookup(t *testing.T) {
	const text = `{"a":{"b":[1, {"c":"x"}]},"n":1.50}` + "\n"
	for path, want := range map[string]string{"a.b.0": "1", "a.b.1.c": "x", "n": "1.50", "a.b": `[1,{"c":"x"}]`} {
		if got, ok, err := lookup([]byte(text), path); got != want || !ok || err != nil {
			t.Errorf("lookup(%q) = %q, %v, %v; want %q", path, got, ok, err, want)
		}
	}
	if _, ok, _ := lookup([]byte(text), "a.b.2"); ok {
		t.Error("lookup found what is not there")
	}
	if _, _, err := lookup([]byte(text+text), "n"); err == nil {
		t.Error("two documents passed for one")
	}
}
