package fault

import (
	"bufio"
	"context"
	"crypto/rand"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
)

// A Stdio is a scripted server that runs as a child process. Its script and
// its records live in the process that made it: each child only tells what
// comes and does what it is told, over a connection on the loopback interface.
// So counting, waiting and releasing work across restarts.
type Stdio struct {
	*Server

	name     string
	token    string
	listener net.Listener
	starts   atomic.Int64
}

// servers numbers the servers of this process, to tell their commands apart.
var servers atomic.Int64

// NewStdio returns a server whose process is started by Command. It panics if
// there is no port to be had on the loopback interface.
func NewStdio(s Script) *Stdio {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic("fault: no port on the loopback interface: " + err.Error())
	}
	d := &Stdio{
		Server: newServer(s), listener: listener, token: rand.Text(),
		name: "scripted-" + strconv.FormatInt(servers.Add(1), 10),
	}
	d.running.Go(d.accept)
	return d
}

// Command returns a command that runs the server, as often as it is started.
// It runs the program that calls it, which must call RunIfChild at its start.
// The command lines of two servers differ.
func (d *Stdio) Command() *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	cmd := exec.Command(program)
	cmd.Args = []string{d.name}
	cmd.Env = append(os.Environ(),
		controlVariable+"="+d.listener.Addr().String()+" "+d.token,
		// Under the race detector a process would take a second to exit.
		"GORACE="+os.Getenv("GORACE")+" atexit_sleep_ms=0",
	)
	return cmd
}

// Close ends all processes of the server that still run, and waits until they
// are told. Whoever started them reaps them.
func (d *Stdio) Close() {
	d.stop()
	_ = d.listener.Close()
	d.running.Wait()
}

// accept serves the processes that report.
func (d *Stdio) accept() {
	for {
		conn, err := d.listener.Accept()
		if err != nil {
			return
		}
		if !d.begin() {
			_ = conn.Close()
			return
		}
		go func() {
			defer d.running.Done()
			d.serve(conn)
		}()
	}
}

// serve plays the script for one process.
func (d *Stdio) serve(conn net.Conn) {
	defer conn.Close()
	ctx, cancel := context.WithCancel(d.life)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	frames := bufio.NewReader(conn)
	op, hello, err := readFrame(frames)
	token, pid, _ := strings.Cut(string(hello), " ")
	if err != nil || op != opHello || token != d.token {
		return
	}
	p := &process{server: d, conn: conn, ctx: ctx, number: int(d.starts.Add(1))}
	p.pid, _ = strconv.Atoi(pid)
	p.serve(frames)
	cancel()
	p.answers.Wait()
	d.log.add(p.record(Gone, nil))
}
