package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

func TestDrawIsXML(t *testing.T) {
	points := []point{{10, time.Millisecond}, {1_000_000, time.Second}}
	svg := draw([]plot{{title: "a", axis: "b", series: []series{{"floor", points}, {"mcpera", points}}}})
	for d := xml.NewDecoder(strings.NewReader(string(svg))); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
}
