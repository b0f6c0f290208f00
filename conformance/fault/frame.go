package fault

import (
	"encoding/binary"
	"fmt"
	"io"
)

// The control connection between a test and a child process carries frames: an
// opcode, a length, a payload. The test decides everything; the child tells
// what happens to it and does what it is told.
type opcode byte

// From the child.
const (
	opHello  opcode = 'h' // token and process id
	opLine   opcode = 'l' // a line of its input
	opEOF    opcode = 'z' // the end of its input
	opSignal opcode = 's' // a signal
)

// To the child.
const (
	opRead   opcode = 'r' // begin to read the input
	opStdout opcode = 'o'
	opStderr opcode = 'e'
	opClose  opcode = 'c' // close standard output
	opExit   opcode = 'x' // one byte: the status
)

const frameHeader = 1 + 4

func writeFrame(w io.Writer, op opcode, payload []byte) error {
	frame := make([]byte, frameHeader, frameHeader+len(payload))
	frame[0] = byte(op)
	binary.BigEndian.PutUint32(frame[1:], uint32(len(payload)))
	_, err := w.Write(append(frame, payload...))
	return err
}

// maxFrame bounds a frame: nothing that a script writes is larger.
const maxFrame = 1 << 30

func readFrame(r io.Reader) (opcode, []byte, error) {
	var header [frameHeader]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(header[1:])
	if size > maxFrame {
		return 0, nil, fmt.Errorf("a frame of %d bytes", size)
	}
	payload := make([]byte, size)
	_, err := io.ReadFull(r, payload)
	return opcode(header[0]), payload, err
}
