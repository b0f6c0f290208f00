//go:build unix

package stdio

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// A server that is stopped obeys nothing, and SIGTERM does not even reach it: calls
// end with their time, and Close all the same, with the whole group.
func TestAStoppedServerIsEnded(t *testing.T) {
	for name, params := range map[string]string{
		"that is asked something":            `{}`,
		"that is asked more than a pipe has": `{"text":"` + strings.Repeat("x", 10<<20) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			cmd := shell(t, "echo", `sleep 300 & exec "$0"`)
			gone, started := lifeline(t, cmd)
			tr := open(t, cmd, WithShutdown(time.Millisecond, time.Millisecond))
			started()
			ping(t, tr, 1)
			id := pidOf(tr)
			if err := syscall.Kill(-id, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if o := tr.Exchange(ctx, ask(2, params)); o.Failure != negotiation.TimedOut && !errors.Is(o.Err, context.DeadlineExceeded) {
				t.Errorf("a call within its time: %v, %v", o.Failure, o.Err)
			}
			waits := make(chan negotiation.Outcome)
			go func() { waits <- tr.Exchange(context.Background(), ask(3, params)) }()
			if err := tr.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			if o := <-waits; !errors.Is(o.Err, transport.ErrClosed) {
				t.Errorf("a call without time: %v, %v", o.Failure, o.Err)
			}
			if got := state(tr).String(); got != "signal: killed" {
				t.Errorf("it ended by %q", got)
			}
			<-gone
		})
	}
}
