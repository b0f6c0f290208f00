package inmemory_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/inmemory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The interfaces that the package promises.
var (
	_ transport.Restarter    = (*inmemory.Transport)(nil)
	_ transport.LossReporter = (*inmemory.Transport)(nil)
)

// deaf drops what is not asked for.
type deaf struct{}

func (deaf) Receive(*protocol.Message, *transport.Request) {}

// open returns an open transport, which is closed at the end of the test.
func open(t *testing.T, serve inmemory.Serve, opts ...inmemory.Option) *inmemory.Transport {
	t.Helper()
	tr, err := inmemory.New(serve, opts...)
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Open(t.Context(), deaf{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tr.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return tr
}

func ask(id int64, params string) *transport.Request {
	return &transport.Request{
		ID: protocol.NumberID(id), Method: "ask",
		Body: protocol.AppendRequest(nil, protocol.NumberID(id), "ask", []byte(params)),
	}
}

// echo answers every request with its params.
func echo(_ context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		m, err := protocol.Decode(lines.Bytes())
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, m.Params); err != nil {
			return err
		}
	}
	return lines.Err()
}

func TestMessagesGoThereAndBack(t *testing.T) {
	tr := open(t, echo)
	for id, params := range []string{`{}`, `"` + strings.Repeat("x", 1<<20) + `"`} {
		o := tr.Exchange(t.Context(), ask(int64(id), params))
		if o.Failure != negotiation.NoFailure || string(o.Message.Result) != params {
			t.Errorf("%.100s: %+v", params, o)
		}
	}
}

func TestAServerThatEndsSaysWhy(t *testing.T) {
	sick := errors.New("sick")
	for name, tc := range map[string]struct {
		serve inmemory.Serve
		want  error
	}{
		"it returns an error": {func(_ context.Context, in io.Reader, _ io.Writer) error {
			_, _ = bufio.NewReader(in).ReadString('\n')
			return sick
		}, sick},
		"it returns": {func(_ context.Context, in io.Reader, _ io.Writer) error {
			_, _ = bufio.NewReader(in).ReadString('\n')
			return nil
		}, nil},
		"it closes its output": {func(ctx context.Context, in io.Reader, out io.Writer) error {
			_, _ = bufio.NewReader(in).ReadString('\n')
			_ = out.(io.Closer).Close()
			<-ctx.Done()
			return nil
		}, nil},
		"it says too much": {func(_ context.Context, in io.Reader, out io.Writer) error {
			_, _ = bufio.NewReader(in).ReadString('\n')
			_, err := io.WriteString(out, strings.Repeat("x", 1<<10))
			return err
		}, &transport.LimitError{What: "line", Limit: 100}},
	} {
		t.Run(name, func(t *testing.T) {
			tr := open(t, tc.serve, inmemory.WithMaxMessage(100))
			o := tr.Exchange(t.Context(), ask(1, `{}`))
			ended, ok := errors.AsType[*inmemory.EndError](o.Err)
			if o.Failure != negotiation.Closed || !ok || !errors.Is(o.Err, transport.ErrClosed) {
				t.Fatalf("outcome %+v", o)
			}
			if fmt.Sprint(ended.Err) != fmt.Sprint(tc.want) {
				t.Errorf("the cause is %v, want %v", ended.Err, tc.want)
			}
			<-tr.Lost()
		})
	}
}

func TestRestartCallsTheServerAgain(t *testing.T) {
	calls := 0
	tr := open(t, func(ctx context.Context, in io.Reader, out io.Writer) error {
		calls++
		return echo(ctx, in, out)
	})
	for id := range int64(2) {
		if o := tr.Exchange(t.Context(), ask(id, `{}`)); o.Failure != negotiation.NoFailure {
			t.Errorf("%d: %+v", id, o)
		}
		if err := tr.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := tr.Close(); err != nil || calls != 3 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

func TestHowCloseEndsAServer(t *testing.T) {
	for name, tc := range map[string]struct {
		serve func(release <-chan struct{}) inmemory.Serve
		takes time.Duration
		want  error
	}{
		"by its input": {func(<-chan struct{}) inmemory.Serve { return echo }, 0, nil},
		"by its context": {func(<-chan struct{}) inmemory.Serve {
			return func(ctx context.Context, _ io.Reader, _ io.Writer) error {
				<-ctx.Done()
				return ctx.Err()
			}
		}, time.Second, nil},
		"by its output": {func(<-chan struct{}) inmemory.Serve {
			return func(_ context.Context, _ io.Reader, out io.Writer) error {
				for {
					if _, err := io.WriteString(out, "noise\n"); err != nil {
						return err
					}
					<-time.After(time.Millisecond)
				}
			}
		}, time.Second, nil},
		"not at all": {func(release <-chan struct{}) inmemory.Serve {
			return func(context.Context, io.Reader, io.Writer) error {
				<-release
				return nil
			}
		}, 3 * time.Second, inmemory.ErrStillRuns},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				defer close(release)
				tr, err := inmemory.New(tc.serve(release), inmemory.WithShutdown(time.Second, 2*time.Second))
				if err != nil {
					t.Fatal(err)
				}
				if err := tr.Open(t.Context(), deaf{}); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				for range 2 {
					if err := tr.Close(); !errors.Is(err, tc.want) {
						t.Errorf("Close: %v, want %v", err, tc.want)
					}
				}
				if took := time.Since(began).Truncate(100 * time.Millisecond); took != tc.takes {
					t.Errorf("it took %v, want %v", took, tc.takes)
				}
				if o := tr.Exchange(t.Context(), ask(1, `{}`)); o.Failure != negotiation.Closed || !errors.Is(o.Err, transport.ErrClosed) {
					t.Errorf("afterwards: %+v", o)
				}
			})
		})
	}
}

func TestAServerThatDoesNotReadCostsTheCallItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := open(t, func(ctx context.Context, _ io.Reader, _ io.Writer) error {
			<-ctx.Done()
			return nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if o := tr.Exchange(ctx, ask(1, `{}`)); o.Failure != negotiation.TimedOut {
			t.Errorf("outcome %+v", o)
		}
		if err := tr.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
}

func TestWhatNewRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		serve inmemory.Serve
		opt   inmemory.Option
	}{
		"no server":  {nil, inmemory.WithMaxMessage(1)},
		"no limit":   {echo, inmemory.WithMaxMessage(0)},
		"no time":    {echo, inmemory.WithShutdown(-1, 0)},
		"no context": {echo, inmemory.WithShutdown(0, -1)},
		"no logger":  {echo, inmemory.WithLogger(nil)},
	} {
		if _, err := inmemory.New(tc.serve, tc.opt); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
