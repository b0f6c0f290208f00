package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrBatch means that a batch came where one message is due.
//
// Source: MCP 2025-06-18, changelog, "Remove support for JSON-RPC batching".
var ErrBatch = errors.New("not a JSON-RPC message: a batch, which only protocol version 2025-03-26 has")

// IsBatch reports whether data is a JSON array, as far as its start tells.
func IsBatch(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	return len(data) > 0 && data[0] == '['
}

// Batch yields the messages of a JSON-RPC batch, in order. At an element that
// is no message, where the array is broken, and when it is empty, it yields an
// error and ends. Data is not kept.
//
// Source: MCP 2025-03-26, basic, "Batching"; JSON-RPC 2.0, section 6.
func Batch(data []byte) iter.Seq2[*Message, error] {
	return func(yield func(*Message, error) bool) {
		d := jsontext.NewDecoder(bytes.NewReader(data))
		if start, err := d.ReadToken(); err != nil || start.Kind() != '[' {
			yield(nil, badBatch(errors.Join(err, errNotArray)))
			return
		}
		n := 0
		for ; d.PeekKind() != ']'; n++ {
			element, err := d.ReadValue()
			if err != nil {
				yield(nil, badBatch(err))
				return
			}
			m, err := Decode(element)
			if err != nil {
				yield(nil, fmt.Errorf("element %d of a JSON-RPC batch: %w", n, err))
				return
			}
			if !yield(m, nil) {
				return
			}
		}
		if n == 0 {
			yield(nil, badBatch(errEmpty))
			return
		}
		_, _ = d.ReadToken() // the end of the array
		if _, err := d.ReadToken(); err != io.EOF {
			yield(nil, badBatch(errMore))
		}
	}
}

func badBatch(err error) error { return fmt.Errorf("not a JSON-RPC batch: %w", err) }

var (
	errNotArray = errors.New("no JSON array")
	errEmpty    = errors.New("it is empty")
	errMore     = errors.New("something follows it")
)
