package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
)

// A traceFile takes the steps of a client, for --trace. It may be written
// concurrently.
type traceFile struct {
	path string // "" for none

	mu   sync.Mutex
	file *os.File // nil while it is not open
	err  error    // the first that writing met
}

func (t *traceFile) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.path, "trace", "", "write what is sent and received to `FILE`: JSON\nlines, without payloads and secrets")
}

// A traceLine is one step. Like client.Event it holds no payload and no header
// value.
type traceLine struct {
	Time        time.Time        `json:"time"`
	Kind        client.EventKind `json:"kind"`
	Method      string           `json:"method,omitempty"`
	ID          string           `json:"id,omitempty"`
	Bytes       int              `json:"bytes,omitzero"`
	Status      int              `json:"status,omitzero"`
	ContentType string           `json:"contentType,omitempty"`
	Answer      string           `json:"answer,omitempty"`
	Verdict     string           `json:"verdict,omitempty"`
	Row         string           `json:"row,omitempty"`
}

// incoming is the kind of what a server sends of its own accord.
const incoming client.EventKind = "incoming"

// open makes the file anew, readable for its owner alone.
func (t *traceFile) open() error {
	if t.path == "" {
		return nil
	}
	file, err := os.OpenFile(t.path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return usagef("--trace: %v", err)
	}
	t.file = file
	return nil
}

// step takes what the client sends, gets and decides.
func (t *traceFile) step(e client.Event) {
	t.write(traceLine{
		Kind: e.Kind, Method: e.Method, ID: e.ID, Bytes: e.Bytes, Status: e.Status,
		ContentType: e.ContentType, Answer: e.Answer, Verdict: e.Verdict, Row: e.Row,
	})
}

// incoming takes a notification or a request of the server.
func (t *traceFile) incoming(msg *protocol.Message) {
	t.write(traceLine{Kind: incoming, Method: msg.Method, ID: msg.ID.String()})
}

func (t *traceFile) write(line traceLine) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return
	}
	line.Time = time.Now() // under the lock, so that lines are in order
	text, err := json.Marshal(line)
	if err == nil {
		_, err = t.file.Write(append(text, '\n'))
	}
	if t.err == nil {
		t.err = err
	}
}

// close ends the file, and tells what went wrong with it.
func (t *traceFile) close(warnings io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return
	}
	if err := t.file.Close(); t.err == nil {
		t.err = err
	}
	t.file = nil
	if t.err != nil {
		fmt.Fprintf(warnings, "mcpera: warning: --trace: %v\n", t.err)
	}
}
