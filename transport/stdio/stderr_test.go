package stdio

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestTailKeepsTheLastBytes(t *testing.T) {
	const keptStderr = defaultKeptStderr
	var all strings.Builder
	tl := tail{most: keptStderr}
	for i, n := range []int{0, 1, 100, keptStderr - 101, 1, 5000, keptStderr, keptStderr + 1, 3, 3 * keptStderr, keptStderr - 1, 2} {
		part := strings.Repeat(string(rune('a'+i)), n)
		all.WriteString(part)
		if written, err := io.WriteString(&tl, part); written != n || err != nil {
			t.Errorf("Write = %d, %v", written, err)
		}
		want := all.String()[max(0, all.Len()-keptStderr):]
		if got := tl.String(); got != want {
			t.Errorf("after %d bytes: kept %d, want %d", all.Len(), len(got), len(want))
		}
	}
	if cap(tl.kept) > 4*keptStderr {
		t.Errorf("it costs %d bytes", cap(tl.kept))
	}
}

func TestDrainReadsOnWhenItsCopyFails(t *testing.T) {
	const size = 100 << 10
	r := &io.LimitedReader{R: iotest.HalfReader(endless{}), N: size}
	kept := tail{most: defaultKeptStderr}
	w := &failing{after: 10}
	drain(r, &kept, w)
	if r.N != 0 || len(kept.String()) != defaultKeptStderr {
		t.Errorf("%d bytes unread, %d kept", r.N, len(kept.String()))
	}
	if w.calls != w.after+1 {
		t.Errorf("written %d times", w.calls)
	}
	var copied bytes.Buffer
	drain(&io.LimitedReader{R: endless{}, N: size}, &kept, &copied)
	if copied.Len() != size {
		t.Errorf("%d bytes copied", copied.Len())
	}
}

func TestATailOfNothing(t *testing.T) {
	var none tail
	for _, text := range []string{"", "x", "secret"} {
		if n, err := io.WriteString(&none, text); n != len(text) || err != nil || none.String() != "" {
			t.Errorf("Write(%q) = %d, %v; kept %q", text, n, err, none.String())
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

type failing struct{ after, calls int }

func (f *failing) Write(p []byte) (int, error) {
	if f.calls++; f.calls > f.after {
		return 0, errors.New("full")
	}
	return len(p), nil
}
