package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/stdio"
)

// A Fleet is a set of servers. Its methods may be called concurrently.
type Fleet struct {
	members []*member // in the order of the configuration
	byName  map[string]*member
	names   toolNames

	dial          func(Server) (transport.Transport, error)
	clientOptions []client.Option
	httpOptions   []http.Option
	stdioOptions  []stdio.Option
	parallel      int
	idle          time.Duration
	log           *slog.Logger

	life context.Context // ends with Close
	end  context.CancelFunc
}

// New returns a fleet of the servers that config names. Nothing is connected
// yet.
func New(config *Config, opts ...Option) (*Fleet, error) {
	f := &Fleet{byName: make(map[string]*member), parallel: 8, log: slog.New(slog.DiscardHandler)}
	f.dial = f.transport
	for _, opt := range opts {
		if err := opt(f); err != nil {
			return nil, err
		}
	}
	f.life, f.end = context.WithCancel(context.Background())
	for _, server := range config.Servers {
		if f.byName[server.Name] != nil {
			return nil, fmt.Errorf("fleet: two servers are called %s", protocol.Quote(server.Name))
		}
		m := &member{server: server, idle: f.idle}
		m.connect = func(ctx context.Context) (*client.Client, error) { return f.connect(ctx, server) }
		m.set(Idle, nil)
		if server.Disabled {
			m.set(Disabled, nil)
		}
		f.members = append(f.members, m)
		f.byName[server.Name] = m
		if unknown := server.UnknownKeys(); len(unknown) > 0 {
			f.log.Warn("a server's description has members that are not known", "server", server.Name, "members", unknown)
		}
	}
	return f, nil
}

func (f *Fleet) connect(ctx context.Context, server Server) (*client.Client, error) {
	t, err := f.dial(server)
	if err != nil {
		return nil, err
	}
	return client.Connect(ctx, t, f.clientOptions...)
}

// transport reaches a server as its description says.
func (f *Fleet) transport(server Server) (transport.Transport, error) {
	if server.URL != "" {
		opts := f.httpOptions[:len(f.httpOptions):len(f.httpOptions)]
		for name, value := range server.Headers {
			opts = append(opts, http.WithHeader(name, value))
		}
		return http.New(server.URL, opts...)
	}
	cmd := exec.Command(server.Command, server.Args...)
	cmd.Dir = server.Dir
	opts := f.stdioOptions[:len(f.stdioOptions):len(f.stdioOptions)]
	for name, value := range server.Env {
		opts = append(opts, stdio.WithEnv(name+"="+value))
	}
	return stdio.New(cmd, opts...)
}

// Connect connects all servers that are not disabled, a few at a time. One that
// fails does not fail the rest; States tells. The error is ctx's.
func (f *Fleet) Connect(ctx context.Context) error {
	f.each(ctx, func(ctx context.Context, m *member) error {
		_, release, err := m.use(ctx)
		if err == nil {
			release()
		}
		return err
	})
	return ctx.Err()
}

// each runs do for every server that is not disabled, a few at a time, and
// returns what failed, by server.
func (f *Fleet) each(ctx context.Context, do func(context.Context, *member) error) map[string]error {
	errs := make([]error, len(f.members))
	var group errgroup.Group
	group.SetLimit(f.parallel)
	for i, m := range f.members {
		if m.server.Disabled {
			continue
		}
		group.Go(func() error {
			errs[i] = do(ctx, m)
			return nil
		})
	}
	_ = group.Wait() // the errors are in errs
	failed := make(map[string]error)
	for i, m := range f.members {
		if errs[i] != nil {
			failed[m.server.Name] = errs[i]
		}
	}
	return failed
}

// States returns the servers as they are now, in the order of the
// configuration.
func (f *Fleet) States() []State {
	states := make([]State, len(f.members))
	for i, m := range f.members {
		states[i] = m.now()
	}
	return states
}

// With runs do with the client of a server, which is connected if need be and
// not closed as idle meanwhile. The client is the fleet's: do not close it.
func (f *Fleet) With(ctx context.Context, server string, do func(*client.Client) error) error {
	m := f.byName[server]
	if m == nil {
		return fmt.Errorf("fleet: there is no server %s", protocol.Quote(server))
	}
	c, release, err := m.use(ctx)
	if err != nil {
		return fmt.Errorf("server %s: %w", server, err)
	}
	defer release()
	err = do(c)
	if errors.Is(err, transport.ErrClosed) {
		m.drop(c) // its process has gone, say: the next use starts another
	}
	if err != nil {
		return fmt.Errorf("server %s: %w", server, err)
	}
	return nil
}

// Close closes all servers, side by side, and waits for it. Calls under way
// fail.
func (f *Fleet) Close() error {
	f.end()
	errs := make([]error, len(f.members))
	var group errgroup.Group
	for i, m := range f.members {
		group.Go(func() error {
			errs[i] = m.close()
			return nil
		})
	}
	_ = group.Wait() // the errors are in errs
	return errors.Join(errs...)
}
