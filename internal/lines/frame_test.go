package lines

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/transport"
)

// lines returns what a lineReader makes of r, and how it ended.
func lines(r io.Reader, limit int64) (got []string, err error) {
	l := newReader(r, limit)
	for {
		line, err := l.next()
		if err != nil {
			return got, err
		}
		got = append(got, string(line))
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	for name, tc := range map[string]struct {
		stream string
		want   []string
	}{
		"LF":                                {"a\nb\n", []string{"a", "b"}},
		"CRLF":                              {"a\r\nb\r\n", []string{"a", "b"}},
		"a CR alone ends no line":           {"a\rb\n", []string{"a\rb"}},
		"only one CR is taken off":          {"a\r\r\n", []string{"a\r"}},
		"an empty line is a line":           {"\n\r\na\n", []string{"", "", "a"}},
		"a last line without its end":       {"a\nb", []string{"a", "b"}},
		"a last line with half its end":     {"a\nb\r", []string{"a", "b"}},
		"nothing":                           {"", nil},
		"a line larger than the buffer":     {long + "\nb\n", []string{long, "b"}},
		"a last one larger than the buffer": {"a\n" + long, []string{"a", long}},
		"a line as large as the buffer":     {long[:64<<10-1] + "\nb\n", []string{long[:64<<10-1], "b"}},
		"its end beyond the buffer":         {long[:64<<10] + "\nb\n", []string{long[:64<<10], "b"}},
		"its end on both sides":             {long[:64<<10-1] + "\r\nb\n", []string{long[:64<<10-1], "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"at once":      strings.NewReader(tc.stream),
				"byte by byte": iotest.OneByteReader(strings.NewReader(tc.stream)),
				"with the end": iotest.DataErrReader(strings.NewReader(tc.stream)),
			} {
				got, err := lines(r, math.MaxInt64)
				if diff := cmp.Diff(tc.want, got); diff != "" || !errors.Is(err, io.EOF) {
					t.Errorf("%s: error %v, lines (-want +got):\n%.500s", how, err, diff)
				}
			}
		})
	}
}

func TestLinesAboveTheLimitEndTheStream(t *testing.T) {
	const limit = 100 << 10 // more than the buffer holds
	line := strings.Repeat("x", limit)
	tooLong := &transport.LimitError{What: "line", Limit: limit}
	for name, tc := range map[string]struct {
		stream string
		want   error
	}{
		"on the limit, LF":          {"a\n" + line + "\n", io.EOF},
		"on the limit, CRLF":        {"a\n" + line + "\r\n", io.EOF},
		"on the limit, no end":      {"a\n" + line, io.EOF},
		"a byte above":              {"a\n" + line + "x\n", tooLong},
		"a byte above, CRLF":        {"a\n" + line + "x\r\n", tooLong},
		"a byte above, no end":      {"a\n" + line + "x", tooLong},
		"a CR that ends no line":    {"a\n" + line + "\rx\n", tooLong},
		"far above, without an end": {"a\n" + line + line + line, tooLong},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := lines(strings.NewReader(tc.stream), limit)
			if diff := cmp.Diff(tc.want, err, cmp.Comparer(func(a, b error) bool { return errors.Is(a, b) || a.Error() == b.Error() })); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if len(got) == 0 || got[0] != "a" {
				t.Errorf("the line before is lost: %d lines", len(got))
			}
		})
	}
	t.Run("without waiting for the rest", func(t *testing.T) {
		r, w := io.Pipe()
		defer r.Close()
		go func() { _, _ = io.WriteString(w, line+line) }() // and no more
		if _, err := lines(r, limit); !errors.As(err, new(*transport.LimitError)) {
			t.Errorf("error %v", err)
		}
	})
}

func TestLinesEndWithTheirReader(t *testing.T) {
	broke := errors.New("broke")
	got, err := lines(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broke)), 100)
	if diff := cmp.Diff([]string{"a"}, got); diff != "" || !errors.Is(err, broke) {
		t.Errorf("error %v, lines (-want +got):\n%s", err, diff)
	}
}

func TestLinesAreTheCallersToKeep(t *testing.T) {
	want := []string{"a", strings.Repeat("x", 200<<10), "b"}
	l := newReader(strings.NewReader(strings.Join(want, "\n")), math.MaxInt64)
	var kept [][]byte
	for range want {
		line, err := l.next()
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, line)
	}
	for i, line := range kept {
		if string(line) != want[i] {
			t.Errorf("line %d has become %.20q", i, line)
		}
	}
}

func FuzzLines(f *testing.F) {
	for _, seed := range []string{"a\nb\n", "a\r\nb", "\n\r\n\r", "", "x\r\r\n", "é漢🙂\n"} {
		f.Add(seed, uint16(1), uint16(4))
	}
	f.Fuzz(func(t *testing.T, stream string, at, limit uint16) {
		max := int64(limit%64) + 1
		i := min(int(at), len(stream))
		got, err := lines(io.MultiReader(strings.NewReader(stream[:i]), iotest.OneByteReader(strings.NewReader(stream[i:]))), max)

		var want []string
		tooLong := false
		for part := range strings.SplitAfterSeq(stream, "\n") {
			line := strings.TrimSuffix(strings.TrimSuffix(part, "\n"), "\r")
			if tooLong = int64(len(line)) > max; tooLong {
				break
			}
			if part != "" {
				want = append(want, line)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
		if tooLong != errors.As(err, new(*transport.LimitError)) || !tooLong && !errors.Is(err, io.EOF) {
			t.Errorf("error %v, too long: %v", err, tooLong)
		}
	})
}
