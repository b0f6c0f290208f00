package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/mcpera/mcpera/transport"
)

// A lineReader splits a stream into lines of at most limit bytes.
type lineReader struct {
	r     *bufio.Reader
	limit int64
	long  []byte // a line that does not fit r's buffer
}

func newLineReader(r io.Reader, limit int64) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// next returns the next line without its line end, LF or CRLF, valid until the
// next call. A last line without a line end counts. A line above the limit is a
// *transport.LimitError, after which the stream can't be used any more.
func (l *lineReader) next() ([]byte, error) {
	if cap(l.long) > maxKeptLine {
		l.long = nil
	}
	l.long = l.long[:0]
	for {
		line, err := l.r.ReadSlice('\n')
		if len(l.long) > 0 || err != nil {
			l.long = append(l.long, line...)
			line = l.long
		}
		line = trimLineEnd(line)
		switch {
		case int64(len(line)) > l.limit:
			return nil, &transport.LimitError{What: "line", Limit: l.limit}
		case err == nil, errors.Is(err, io.EOF) && len(l.long) > 0:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// maxKeptLine bounds the memory that a line leaves behind.
const maxKeptLine = 1 << 20

func trimLineEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}
