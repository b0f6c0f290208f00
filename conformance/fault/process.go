package fault

import (
	"context"
	"io"
	"net"
	"sync"
)

// A process is one start of a Stdio's command.
type process struct {
	server  *Stdio
	conn    net.Conn
	ctx     context.Context // ends when the process is gone
	number  int
	pid     int
	answers sync.WaitGroup

	mu     sync.Mutex // guards writing to conn
	output sync.Mutex // held while a text is written, so that texts don't mix
}

func (p *process) record(key string, body []byte) Record {
	return Record{Key: key, Process: p.number, PID: p.pid, Body: string(body)}
}

// serve answers what the process reports, each report on its own, until the
// process is gone. Only when Start is over does the process read its input.
func (p *process) serve(frames io.Reader) {
	p.answer(p.record(Start, nil), func() { _ = p.tell(opRead, nil) })
	for {
		op, payload, err := readFrame(frames)
		if err != nil {
			return
		}
		r := p.record("", payload)
		switch op {
		case opLine:
			m := recordOf(payload)
			r.Key, r.ID = m.Key, m.ID
		case opEOF:
			r.Key = EOF
		case opSignal:
			r.Key = Signal
		default:
			return
		}
		p.answer(r, func() {})
	}
}

// answer records r now, so that records keep their order, and answers it
// meanwhile.
func (p *process) answer(r Record, then func()) {
	n := p.server.log.add(r)
	p.answers.Go(func() {
		p.server.answer(p.ctx, r, n, &stdioPeer{p})
		then()
	})
}

// tell sends the process a frame.
func (p *process) tell(op opcode, payload []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return writeFrame(p.conn, op, payload)
}

// A stdioPeer writes the answer to one report of a process.
type stdioPeer struct{ process *process }

func (p *stdioPeer) frame(text []byte) []byte { return append(text, '\n') }

func (p *stdioPeer) open(as kind, _ int, _ bool) (io.WriteCloser, error) {
	p.process.output.Lock()
	return &stdout{process: p.process, mute: as == wire}, nil
}

// A stdout writes to a process's standard output, alone until it is closed.
type stdout struct {
	process *process
	mute    bool
}

func (s *stdout) Write(text []byte) (int, error) {
	if s.mute {
		return len(text), nil
	}
	return len(text), s.process.tell(opStdout, text)
}

func (s *stdout) Close() error {
	s.process.output.Unlock()
	return nil
}

func (p *stdioPeer) flush() error { return nil }

func (p *stdioPeer) stderr(text []byte) error { return p.process.tell(opStderr, text) }

func (p *stdioPeer) status(int) {}

func (p *stdioPeer) header(string, string) {}

func (p *stdioPeer) stream() error { return nil }

func (p *stdioPeer) reset() error { return p.process.tell(opClose, nil) }

func (p *stdioPeer) exit(status int) error {
	if err := p.process.tell(opExit, []byte{byte(status)}); err != nil {
		return err
	}
	<-p.process.ctx.Done() // so that no further step is taken
	return errOver
}
