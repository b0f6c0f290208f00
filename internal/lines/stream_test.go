package lines

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A peer is the server's end of a stream.
type peer struct {
	*Stream
	out      *io.PipeWriter // what the server says
	in       *bufio.Reader  // what it hears
	conn     net.Conn
	log      *bytes.Buffer // complete once the stream has ended
	mu       sync.Mutex
	received []string
}

// newPeer returns a stream whose reader runs until the end of the test.
func newPeer(t *testing.T) *peer {
	t.Helper()
	p := &peer{log: new(bytes.Buffer)}
	local, remote := net.Pipe()
	r, w := io.Pipe()
	p.out, p.conn, p.in = w, remote, bufio.NewReader(remote)
	p.Stream = New(local, p, slog.New(slog.NewTextHandler(p.log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Fail(p.Read(r, 1<<20))
	}()
	t.Cleanup(func() {
		_ = w.Close()
		_ = local.Close()
		_ = remote.Close()
		<-done
	})
	return p
}

func (p *peer) Receive(m *protocol.Message, _ *transport.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.received = append(p.received, m.Method)
}

// say writes lines as the server.
func (p *peer) say(lines ...string) {
	for _, line := range lines {
		_, _ = io.WriteString(p.out, line+"\n")
	}
}

// hear reads one line as the server.
func (p *peer) hear(t *testing.T) string {
	t.Helper()
	line, err := p.in.ReadString('\n')
	if err != nil {
		t.Errorf("hear: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}

const okay = `{"jsonrpc":"2.0","id":1,"result":{}}`

// B039, B063, B073, B092: what is no message is skipped, and what follows is
// read.
func TestWhatIsNoMessageIsSkipped(t *testing.T) {
	for name, said := range map[string]string{
		"a banner":                       "Server version 1.2\n" + okay + "\n",
		"blank lines":                    "\n  \r\n\t\n" + okay + "\n",
		"JSON that is no object":         "42\n\"ready\"\nnull\n[]\n" + okay + "\n",
		"JSON that is no JSON-RPC":       `{"level":"info","id":1,"msg":"ready"}` + "\n" + okay + "\n",
		"another version of JSON-RPC":    `{"jsonrpc":"1.0","id":1,"result":{}}` + "\n" + okay + "\n",
		"a byte-order mark":              "\uFEFF" + okay + "\n",
		"a mark after a banner":          "hello\n" + okay + "\n",
		"CRLF":                           okay + "\r\n",
		"blanks around":                  "  " + okay + " \n",
		"no line end":                    okay,
		"bytes that are not UTF-8":       "\xff\xfe\n" + okay + "\n",
		"a string that is not UTF-8":     `{"jsonrpc":"2.0","method":"log","params":{"a":"` + "\xff" + `"}}` + "\n" + okay + "\n",
		"a result without an id":         `{"jsonrpc":"2.0","result":{}}` + "\n" + okay + "\n",
		"a result for nobody":            `{"jsonrpc":"2.0","id":null,"result":{}}` + "\n" + okay + "\n",
		"an error with the id null":      `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}}` + "\n" + okay + "\n",
		"an error without an id":         `{"jsonrpc":"2.0","error":{"code":-32601,"message":"?"}}` + "\n" + okay + "\n",
		"an error that is none":          `{"jsonrpc":"2.0","id":9,"error":"bad"}` + "\n" + okay + "\n",
		"an answer to nobody's request":  `{"jsonrpc":"2.0","id":77,"result":{"no":1}}` + "\n" + okay + "\n",
		"an answer to a foreign request": `{"jsonrpc":"2.0","id":"srv-1","result":{"no":1}}` + "\n" + okay + "\n",
		"a second answer":                okay + "\n" + `{"jsonrpc":"2.0","id":1,"result":{"no":1}}` + "\n",
		"an unfinished line at the end":  okay + "\n" + `{"jsonrpc":"2.0","id":`,
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(t)
			go func() {
				p.hear(t)
				_, _ = io.WriteString(p.out, said)
				_ = p.out.Close()
			}()
			o := p.Exchange(t.Context(), ask(1, `{}`))
			if o.Failure != negotiation.NoFailure || string(o.Message.Result) != "{}" || o.RequestID != protocol.NumberID(1) || o.Attempts != 1 {
				t.Errorf("outcome %+v", o)
			}
			<-p.Done()
			if err := p.requests.Err(); !errors.Is(err, io.EOF) {
				t.Errorf("the stream ended with %v", err)
			}
		})
	}
}

// B038, B040, B073, B090.
func TestAnAnswerThatCannotBeReadFailsItsCallAtOnce(t *testing.T) {
	for name, said := range map[string]string{
		"bytes that are not UTF-8":  `{"jsonrpc":"2.0","id":1,"result":{"a":"` + "\xff" + `"}}`,
		"names that differ in case": `{"jsonrpc":"2.0","id":1,"Result":{}}`,
		"a name that stands twice":  `{"jsonrpc":"2.0","id":1,"result":{},"result":{}}`,
		"an error that is none":     `{"jsonrpc":"2.0","id":1,"error":"bad"}`,
		"a batch":                   `[{"jsonrpc":"2.0","id":1,"result":{}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(t)
			go func() {
				p.hear(t)
				p.say(said)
				p.hear(t)
				p.say(`{"jsonrpc":"2.0","id":2,"result":{}}`)
			}()
			o := p.Exchange(t.Context(), ask(1, `{}`))
			if err := transport.ErrorOf(transport.Target{}, ask(1, `{}`), o); !errors.As(err, new(*transport.MessageError)) || string(o.Body) != said {
				t.Errorf("%v of %+v", err, o)
			}
			if o := p.Exchange(t.Context(), ask(2, `{}`)); o.Message == nil {
				t.Errorf("the next call: %+v", o)
			}
		})
	}
}

// B063.
func TestOnlyTheFirstNoiseIsLogged(t *testing.T) {
	p := newPeer(t)
	p.say(strings.Split(strings.Repeat("noise ", 100), " ")...)
	_ = p.out.Close()
	<-p.Done()
	if n := strings.Count(p.log.String(), "skipped a line"); n != maxNoise {
		t.Errorf("logged %d times:\n%s", n, p.log)
	}
}

// B076.
func TestAnOrdinaryConnectionLogsNothing(t *testing.T) {
	p := newPeer(t)
	go func() {
		p.hear(t)
		p.say(`{"jsonrpc":"2.0","method":"log"}`, okay)
		_ = p.out.Close()
	}()
	p.Exchange(t.Context(), ask(1, `{}`))
	<-p.Done()
	if p.log.Len() > 0 {
		t.Errorf("log:\n%s", p.log)
	}
}

// B080: ids are our own, so that a changed form leaves no doubt.
func TestIDsMayComeBackInAnotherForm(t *testing.T) {
	for _, id := range []string{`1`, `"1"`, `1.0`, `1e0`} {
		p := newPeer(t)
		go func() {
			p.hear(t)
			p.say(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)
		}()
		if o := p.Exchange(t.Context(), ask(1, `{}`)); o.Failure != negotiation.NoFailure {
			t.Errorf("id %s: %v: %v", id, o.Failure, o.Err)
		}
	}
}

func TestIDsMustBeNumbersOfOurs(t *testing.T) {
	p := newPeer(t)
	o := p.Exchange(t.Context(), &transport.Request{Method: "ask", Body: []byte(okay)})
	if o.Failure != negotiation.Closed || o.Err == nil || o.Attempts != 0 {
		t.Errorf("outcome %+v", o)
	}
}

// B079: notifications and requests may come at any time, with ids of any kind.
func TestMessagesAreReceivedInOrderAndBeforeTheResponse(t *testing.T) {
	p := newPeer(t)
	var want []string
	go func() {
		p.hear(t)
		for i := range 100 {
			p.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"m%d"}`, i))
		}
		p.say(`{"jsonrpc":"2.0","id":"srv-1","method":"ping"}`, okay)
	}()
	for i := range 100 {
		want = append(want, fmt.Sprintf("m%d", i))
	}
	want = append(want, "ping")
	p.Exchange(t.Context(), ask(1, `{}`))
	p.mu.Lock()
	defer p.mu.Unlock()
	if diff := cmp.Diff(want, p.received); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
}

// B072, B-MSG-01.
func TestBytesMayComeOneByOne(t *testing.T) {
	const text = `"é漢🙂"`
	p := newPeer(t)
	go func() {
		p.hear(t)
		for _, b := range []byte(`{"jsonrpc":"2.0","id":1,"result":` + text + "}\r\n") {
			_, _ = p.out.Write([]byte{b})
		}
	}()
	if o := p.Exchange(t.Context(), ask(1, `{}`)); o.Message == nil || string(o.Message.Result) != text {
		t.Errorf("outcome %+v", o)
	}
}

func TestAnswersMayComeInAnyOrder(t *testing.T) {
	const calls = 50
	p := newPeer(t)
	go func() {
		var ids []string
		for range calls {
			m, err := protocol.Decode([]byte(p.hear(t)))
			if err != nil {
				t.Errorf("hear: %v", err)
				return
			}
			ids = append([]string{m.ID.String()}, ids...)
		}
		for _, id := range ids {
			p.say(`{"jsonrpc":"2.0","id":` + id + `,"result":` + id + `}`)
		}
	}()
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			o := p.Exchange(t.Context(), ask(int64(i), `{}`))
			if o.Message == nil || string(o.Message.Result) != fmt.Sprint(i) {
				t.Errorf("call %d: %+v", i, o)
			}
		})
	}
	wg.Wait()
}

// B061, B-CAN-03.
func TestALateAnswerDisturbsNoOther(t *testing.T) {
	p := newPeer(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		p.hear(t)
		cancel()
	}()
	if o := p.Exchange(ctx, ask(1, `{}`)); o.Failure != negotiation.Canceled || !errors.Is(o.Err, context.Canceled) || o.Attempts != 1 {
		t.Errorf("outcome %+v", o)
	}
	go func() {
		p.hear(t)
		p.say(okay, `{"jsonrpc":"2.0","id":2,"result":2}`)
	}()
	if o := p.Exchange(t.Context(), ask(2, `{}`)); o.Message == nil || string(o.Message.Result) != "2" {
		t.Errorf("outcome %+v", o)
	}
}

// B075.
func TestAContextThatHasEndedWritesNothing(t *testing.T) {
	p := newPeer(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if o := p.Exchange(ctx, ask(1, `{}`)); o.Failure != negotiation.Canceled || o.Attempts != 0 || o.RequestID != protocol.NumberID(1) {
		t.Errorf("outcome %+v", o)
	}
	go func() {
		if got := p.hear(t); !strings.Contains(got, `"id":2`) {
			t.Errorf("heard %s", got)
		}
		p.say(`{"jsonrpc":"2.0","id":2,"result":2}`)
	}()
	if o := p.Exchange(t.Context(), ask(2, `{}`)); o.Failure != negotiation.NoFailure {
		t.Errorf("outcome %+v", o)
	}
}

// B075: a full pipe costs a call its time, and the stream nothing.
func TestAServerThatDoesNotReadCostsTheCallItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		var wg sync.WaitGroup
		for id := range int64(3) { // one writes, two wait for their turn
			wg.Go(func() {
				if o := p.Exchange(ctx, ask(id, `{}`)); o.Failure != negotiation.TimedOut || !errors.Is(o.Err, context.DeadlineExceeded) || o.Attempts != 0 {
					t.Errorf("outcome %+v", o)
				}
			})
		}
		wg.Wait()
		// Nothing was taken, so that nothing is lost.
		go func() {
			if got := p.hear(t); !strings.Contains(got, `"id":7`) {
				t.Errorf("heard %s", got)
			}
			p.say(`{"jsonrpc":"2.0","id":7,"result":7}`)
		}()
		if o := p.Exchange(t.Context(), ask(7, `{}`)); o.Failure != negotiation.NoFailure {
			t.Errorf("afterwards: %+v", o)
		}
	})
}

// B-STD-02: after half a line nothing can follow that the server could read.
func TestALineCutInTheMiddleEndsTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		waits := make(chan negotiation.Outcome, 1)
		go func() { waits <- p.Exchange(t.Context(), ask(1, `{}`)) }()
		p.hear(t)

		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		go func() { _, _ = io.ReadFull(p.conn, make([]byte, 10)) }()
		o := p.Exchange(ctx, ask(2, `{}`))
		if o.Failure != negotiation.TimedOut || !errors.Is(o.Err, context.DeadlineExceeded) || !errors.Is(o.Err, transport.ErrClosed) || o.Attempts != 0 {
			t.Errorf("the call: %+v", o)
		}
		if o := <-waits; o.Failure != negotiation.Closed || !errors.Is(o.Err, errCutOff) {
			t.Errorf("another call: %+v", o)
		}
		if o := p.Exchange(t.Context(), ask(3, `{}`)); o.Failure != negotiation.Closed || !errors.Is(o.Err, transport.ErrClosed) || o.Attempts != 0 {
			t.Errorf("a later call: %+v", o)
		}
	})
}

func TestAServerThatClosedItsInputIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		_ = p.conn.Close()
		o := p.Exchange(t.Context(), ask(1, `{}`))
		if o.Failure != negotiation.Closed || !errors.Is(o.Err, transport.ErrClosed) || !strings.Contains(o.Err.Error(), "closed its input") || o.Attempts != 0 {
			t.Errorf("outcome %+v", o)
		}
	})
}

func TestTheEndOfAServerTellsMoreThanItsPipe(t *testing.T) {
	p := newPeer(t)
	_ = p.conn.Close()
	exit := errors.New("boom")
	go p.Fail(exit)
	if o := p.Exchange(t.Context(), ask(1, `{}`)); o.Failure != negotiation.Closed || !errors.Is(o.Err, exit) {
		t.Errorf("outcome %+v", o)
	}
}

func TestAnAnswerJustBeforeTheEndCounts(t *testing.T) {
	for i := range int64(200) {
		p := newPeer(t)
		go func() {
			p.hear(t)
			_ = p.requests.Receive(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{}}`, i), nil)
			p.Fail(io.EOF)
		}()
		if o := p.Exchange(t.Context(), ask(i, `{}`)); o.Failure != negotiation.NoFailure {
			t.Fatalf("%d: %+v", i, o)
		}
	}
}

// B074, B-STD-01, B-STD-02.
func TestFramesDoNotInterleave(t *testing.T) {
	p := newPeer(t)
	const writers, size = 50, 100 << 10
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			body := protocol.AppendRequest(nil, protocol.ID{}, "m", []byte(`"`+strings.Repeat(string(rune('A'+i%26)), size)+`"`))
			if err := p.Write(t.Context(), body); err != nil {
				t.Errorf("write: %v", err)
			}
		})
	}
	r := newReader(iotest.HalfReader(p.in), 2*size)
	for range writers {
		line, err := r.next()
		if err != nil {
			t.Fatal(err)
		}
		if m, err := protocol.Decode(line); err != nil || len(m.Params) != size+2 {
			t.Errorf("a frame of %d bytes: %v", len(line), err)
		}
	}
	wg.Wait()
	if cap(p.frame) > maxKeptFrame {
		t.Errorf("%d bytes are kept", cap(p.frame))
	}
}

func TestTheEndOfTheStreamFreesWhoWrites(t *testing.T) {
	p := newPeer(t)
	go func() {
		_, _ = p.in.Peek(1) // the write has begun
		_ = p.out.Close()
	}()
	big := ask(1, `"`+strings.Repeat("x", 64<<10)+`"`)
	if o := p.Exchange(t.Context(), big); o.Failure != negotiation.Closed || !errors.Is(o.Err, io.EOF) || o.Attempts != 0 {
		t.Errorf("outcome %+v", o)
	}
}
