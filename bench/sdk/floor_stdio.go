package sdk

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strconv"
	"sync"
)

// A floorStdio multiplexes requests over the pipes of a process.
type floorStdio struct {
	process *exec.Cmd
	in      io.WriteCloser

	write   sync.Mutex
	mu      sync.Mutex
	waiting map[int64]waiter
	done    chan struct{} // closed when the process has no more to say
}

type waiter struct {
	response chan *envelope
	progress func(json.RawMessage)
}

func newFloorStdio(argv []string) (*floorStdio, error) {
	f := &floorStdio{process: command(argv), waiting: make(map[int64]waiter), done: make(chan struct{})}
	var err error
	if f.in, err = f.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := f.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := f.process.Start(); err != nil {
		return nil, err
	}
	go f.read(out)
	return f, nil
}

func (f *floorStdio) read(out io.Reader) {
	defer close(f.done)
	lines := bufio.NewReaderSize(out, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		m := new(envelope)
		if json.Unmarshal(line, m) != nil {
			return
		}
		if m.Method != "" {
			f.notify(m)
			continue
		}
		id, err := strconv.ParseInt(string(m.ID), 10, 64)
		if err != nil {
			return
		}
		f.mu.Lock()
		w := f.waiting[id]
		delete(f.waiting, id)
		f.mu.Unlock()
		if w.response != nil {
			w.response <- m
		}
	}
}

func (f *floorStdio) notify(m *envelope) {
	var p struct {
		Token json.RawMessage `json:"progressToken"`
	}
	if m.Method != "notifications/progress" || json.Unmarshal(m.Params, &p) != nil {
		return
	}
	id, _ := strconv.ParseInt(string(p.Token), 10, 64)
	f.mu.Lock()
	w := f.waiting[id]
	f.mu.Unlock()
	if w.progress != nil {
		w.progress(m.Params)
	}
}

func (f *floorStdio) exchange(ctx context.Context, r outgoing, progress func(json.RawMessage)) (*envelope, error) {
	w := waiter{make(chan *envelope, 1), progress}
	if r.id != 0 {
		f.mu.Lock()
		f.waiting[r.id] = w
		f.mu.Unlock()
	}
	f.write.Lock()
	_, err := f.in.Write(append(r.body, '\n'))
	f.write.Unlock()
	if err != nil || r.id == 0 {
		return nil, err
	}
	select {
	case m := <-w.response:
		return m, nil
	case <-f.done:
		return nil, errors.New("the process left")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *floorStdio) close() error {
	_ = f.in.Close()
	<-f.done
	return f.process.Wait()
}
