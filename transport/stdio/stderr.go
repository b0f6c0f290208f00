package stdio

import (
	"io"
	"sync"
)

// defaultKeptStderr is how much of a server's standard error is kept.
const defaultKeptStderr = 8 << 10

// A tail keeps the last bytes written to it.
type tail struct {
	most int // how many it keeps

	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(p) >= t.most {
		t.kept = append(t.kept[:0], p[len(p)-t.most:]...)
		return len(p), nil
	}
	if over := len(t.kept) + len(p) - t.most; over > 0 {
		t.kept = t.kept[:copy(t.kept, t.kept[over:])]
	}
	t.kept = append(t.kept, p...)
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

// drain reads r to its end in chunks, so that a flood without newlines costs
// no memory. A failing w costs its copy, never the reading.
func drain(r io.Reader, t *tail, w io.Writer) {
	buf := make([]byte, 4<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			_, _ = t.Write(buf[:n])
			if w != nil {
				if _, werr := w.Write(buf[:n]); werr != nil {
					w = nil
				}
			}
		}
		if err != nil {
			return
		}
	}
}
