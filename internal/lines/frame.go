package lines

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/mcpera/mcpera/transport"
)

// A lineReader splits a stream into lines of at most limit bytes.
type lineReader struct {
	r     *bufio.Reader
	limit int64
}

func newReader(r io.Reader, limit int64) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// next returns the next line without its line end, LF or CRLF, for the caller to
// keep. A last line without a line end counts. A line above the limit is a
// *transport.LimitError, after which the stream can't be used any more.
func (l *lineReader) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if line != nil && len(line)+len(part) > cap(line) {
			line = slices.Grow(line, len(line)+len(part)) // more than append would: long lines come in many parts
		}
		line = append(line, part...)
		trimmed := trimLineEnd(line)
		switch {
		case int64(len(trimmed)) > l.limit:
			return nil, &transport.LimitError{What: "line", Limit: l.limit}
		case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
			return trimmed, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

func trimLineEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}
