package fault

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// controlVariable names the environment variable by which a child knows that
// it is one: the address of its server, and a token.
const controlVariable = "MCPERA_FAULT_CONTROL"

// RunIfChild runs the server if this process was started by a Command, and
// then never returns. Call it first in TestMain, or in main.
func RunIfChild() {
	control := os.Getenv(controlVariable)
	if control == "" {
		return
	}
	if err := runChild(control); err != nil {
		fmt.Fprintln(os.Stderr, "fault: the scripted process:", err)
	}
	os.Exit(125) // not what a script asked for
}

// A child is the process that plays the server's part.
type child struct {
	control net.Conn
	mu      sync.Mutex // guards writing to control
}

// Main plays the script on the standard streams of this process, and never
// returns: it makes a program of a script, for tests of programs that start
// servers themselves. Nothing is recorded.
func Main(s Script) {
	d := &Stdio{Server: newServer(s), token: rand.Text()}
	ours, childs := net.Pipe()
	go d.serve(ours)
	if err := playChild(childs, d.token); err != nil {
		fmt.Fprintln(os.Stderr, "fault: the scripted process:", err)
	}
	os.Exit(125) // not what a script asked for
}

func runChild(control string) error {
	address, token, _ := strings.Cut(control, " ")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	return playChild(conn, token)
}

// playChild does what the server at the other end of conn wants.
func playChild(conn net.Conn, token string) error {
	c := &child{control: conn}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if err := c.tell(opHello, []byte(token+" "+strconv.Itoa(os.Getpid()))); err != nil {
		return err
	}
	go func() {
		for s := range signals {
			_ = c.tell(opSignal, []byte(s.String()))
		}
	}()
	return c.obey(bufio.NewReader(conn))
}

func (c *child) tell(op opcode, payload []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return writeFrame(c.control, op, payload)
}

// obey does what the server wants, until the server is gone.
func (c *child) obey(r io.Reader) error {
	for {
		op, payload, err := readFrame(r)
		if errors.Is(err, io.EOF) {
			return nil // closed, or its program has ended
		}
		if err != nil {
			return err
		}
		switch op {
		case opRead:
			go c.read(os.Stdin)
		case opStdout:
			_, _ = os.Stdout.Write(payload) // a client that has left is no fault of the script
		case opStderr:
			_, _ = os.Stderr.Write(payload)
		case opClose:
			_ = os.Stdout.Close()
		case opExit:
			os.Exit(int(payload[0]))
		}
	}
}

// read tells the server what the client writes.
func (c *child) read(input io.Reader) {
	lines := bufio.NewReader(input)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			_ = c.tell(opLine, bytes.TrimSuffix(line, []byte("\n")))
		}
		if err != nil {
			_ = c.tell(opEOF, nil)
			return
		}
	}
}
