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

// next returns the next line without its line end, valid until the next call.
// A last line without a line end counts. A line above the limit is a
// *transport.LimitError, after which the stream can't be used any more.
func (l *lineReader) next() ([]byte, error) {
	l.long = l.long[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if int64(len(l.long)+len(part)) > l.limit+1 {
			return nil, &transport.LimitError{What: "line", Limit: l.limit}
		}
		switch {
		case err == nil && len(l.long) == 0:
			return trimLineEnd(part), nil
		case err == nil:
			l.long = append(l.long, part...)
			return trimLineEnd(l.long), nil
		case errors.Is(err, bufio.ErrBufferFull):
			l.long = append(l.long, part...)
		default:
			l.long = append(l.long, part...)
			if len(l.long) > 0 && errors.Is(err, io.EOF) {
				return l.long, nil
			}
			return nil, err
		}
	}
}

func trimLineEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}
