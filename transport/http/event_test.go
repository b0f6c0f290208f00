package http

import (
	"errors"
	"io"
	"iter"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/tmaxmax/go-sse"

	"github.com/mcpera/mcpera/transport"
)

// parse is events without what the stream says of itself.
func parse(r io.Reader, limit int64) (iter.Seq2[sse.Event, error], func() bool) {
	return events(r, limit, new(place))
}

// read returns the type and data of each event in r, and how it ended.
func read(r io.Reader, limit int64) (got []string, unfinished bool, err error) {
	all, last := parse(r, limit)
	for event, readErr := range all {
		if readErr != nil {
			return got, last(), readErr
		}
		got = append(got, event.Type+"|"+event.Data)
	}
	return got, last(), nil
}

// B043, B044, B045, B046, B048, B049, M-HTTP-25: the parts of the standard on
// event streams that servers use.
func TestEvents(t *testing.T) {
	for name, tc := range map[string]struct {
		stream     string
		want       []string
		unfinished bool
	}{
		"LF":                             {"data: a\n\ndata: b\n\n", []string{"|a", "|b"}, false},
		"CRLF":                           {"data: a\r\n\r\ndata: b\r\n\r\n", []string{"|a", "|b"}, false},
		"CR":                             {"data: a\r\rdata: b\r\r", []string{"|a", "|b"}, false},
		"a mixture":                      {"data: a\r\n\ndata: b\n\r\ndata: c\r\r\ndata: d\n\rdata: e\r\n\r", []string{"|a", "|b", "|c", "|d", "|e"}, false},
		"a type":                         {"event: message\ndata: a\n\n", []string{"message|a"}, false},
		"no blank after the colon":       {"data:a\n\n", []string{"|a"}, false},
		"one blank only is taken off":    {"data:  a\n\n", []string{"| a"}, false},
		"lines are joined":               {"data: {\ndata: \"a\":1\r\ndata: }\r\r", []string{"|{\n\"a\":1\n}"}, false},
		"comments are nothing":           {": ping\n\n:\n\ndata: a\n: inside\n\n", []string{"|a"}, false},
		"blank lines are nothing":        {"\n\r\n\r\r\n\n\ndata: a\n\n\n\n", []string{"|a"}, false},
		"a priming event has no data":    {"id: 1\nretry: 500\ndata:\n\ndata: a\n\n", []string{"|", "|a"}, false},
		"unknown fields are nothing":     {"foo: x\ndatax: y\ndata: a\n\n", []string{"|a"}, false},
		"a byte-order mark":              {"\uFEFFdata: a\n\n", []string{"|a"}, false},
		"a field without a colon":        {"data\n\n", []string{"|"}, false},
		"a last event without its blank": {"data: a\n\ndata: b\n", []string{"|a", "|b"}, true},
		"a last line without its end":    {"data: a\n\nevent: x\ndata: b", []string{"|a", "x|b"}, true},
		"a last CR":                      {"data: a\r", []string{"|a"}, true},
		"half a field name":              {"data: a\n\nda", []string{"|a"}, true},
		"nothing":                        {"", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			check := func(how string, r io.Reader) {
				t.Helper()
				got, unfinished, err := read(r, 1<<20)
				if diff := cmp.Diff(tc.want, got); diff != "" || err != nil || unfinished != tc.unfinished {
					t.Errorf("%s: unfinished %v, error %v, events (-want +got):\n%s", how, unfinished, err, diff)
				}
			}
			check("at once", strings.NewReader(tc.stream))
			check("byte by byte", iotest.OneByteReader(strings.NewReader(tc.stream)))
			check("with the end", iotest.DataErrReader(strings.NewReader(tc.stream)))
			for i := range tc.stream {
				check("in two", io.MultiReader(strings.NewReader(tc.stream[:i]), strings.NewReader(tc.stream[i:])))
			}
		})
	}
}

// B035: an event counts as soon as its last line has ended.
func TestEventsComeBeforeMoreIsRead(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\n\r\n", "\r\r", "\r\n\n"} {
		r, w := io.Pipe()
		all, _ := parse(r, 1<<20)
		go func() { _, _ = io.WriteString(w, "data: a"+end) }() // and no more
		var got []sse.Event
		for event := range all {
			got = append(got, event)
			break
		}
		if diff := cmp.Diff([]sse.Event{{Data: "a"}}, got); diff != "" {
			t.Errorf("%q: (-want +got):\n%s", end, diff)
		}
	}
}

func TestEventsEndWithTheirReader(t *testing.T) {
	broke := errors.New("broke")
	got, unfinished, err := read(io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(broke)), 100)
	if diff := cmp.Diff([]string{"|a"}, got); diff != "" || unfinished || !errors.Is(err, broke) {
		t.Errorf("unfinished %v, error %v, events (-want +got):\n%s", unfinished, err, diff)
	}
}

func TestEventsCostTimeInProportion(t *testing.T) {
	// Looked at anew for each byte, this would take hours.
	const size = 2 << 20
	stream := "data: " + strings.Repeat("x", size) + "\n\n"
	got, _, err := read(iotest.OneByteReader(strings.NewReader(stream)), size+100)
	if err != nil || len(got) != 1 || len(got[0]) != size+1 {
		t.Errorf("%d events, error %v", len(got), err)
	}
}

func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"data: a\n\n", "\uFEFFdata:a\r\rid:1\r\n\r\n", ":x\n\nevent: e\ndata\n", "data: x"} {
		f.Add(seed, uint8(3))
	}
	f.Fuzz(func(t *testing.T, stream string, at uint8) {
		const limit = 64
		want, wantEnd, wantErr := read(strings.NewReader(stream), limit)
		i := min(int(at), len(stream))
		got, end, err := read(io.MultiReader(strings.NewReader(stream[:i]), strings.NewReader(stream[i:])), limit)
		if diff := cmp.Diff(want, got); diff != "" || end != wantEnd || (err == nil) != (wantErr == nil) {
			t.Errorf("split at %d: unfinished %v, error %v, events (-whole +split):\n%s", i, end, err, diff)
		}
		for _, event := range got {
			if len(event) > limit+len("|") {
				t.Errorf("an event of %d bytes", len(event))
			}
		}
		if limitErr := new(transport.LimitError); err != nil && !errors.As(err, &limitErr) {
			t.Errorf("error %v", err)
		}
	})
}
