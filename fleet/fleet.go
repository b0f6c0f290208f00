package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// ErrClosed is returned by a closed Fleet.
var ErrClosed = errors.New("fleet: closed")

// ErrUnknownServer: the configuration names no such server.
var ErrUnknownServer = errors.New("there is no such server")

// A Fleet is a set of servers. Its methods may be called concurrently. Close
// ends it.
type Fleet struct {
	config  *config
	members []*member // in the order of the configuration
	byName  map[string]*member
	tools   directory

	life  context.Context // ends with Close
	close func() error
}

// New returns a fleet of the servers that c names. Nothing is connected yet. A
// server whose description is no good is Failed from the start, and the others
// are not. Members of descriptions that are not known are noted in the log.
func New(c *Config, opts ...Option) (*Fleet, error) {
	config, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	f := &Fleet{config: config, byName: make(map[string]*member), life: life}
	f.close = sync.OnceValue(func() error {
		end()
		return f.closeAll()
	})
	for _, server := range c.Servers {
		if f.byName[server.Name] != nil {
			end()
			return nil, fmt.Errorf("fleet: two servers are called %s", protocol.Quote(server.Name))
		}
		m := newMember(life, config, server)
		f.members = append(f.members, m)
		f.byName[server.Name] = m
		if unknown := server.UnknownKeys(); len(unknown) > 0 {
			config.log.Warn("a server's description has members that are not known", "server", server.Name, "members", unknown)
		}
	}
	return f, nil
}

// Connect connects all servers that are not disabled, a few at a time. One that
// fails does not fail the rest; States tells. The error is ctx's, or ErrClosed.
func (f *Fleet) Connect(ctx context.Context) error {
	f.each(ctx, f.members, func(ctx context.Context, m *member) error {
		_, release, err := m.use(ctx)
		if err == nil {
			release()
		}
		return err
	})
	if f.life.Err() != nil {
		return ErrClosed
	}
	return ctx.Err()
}

// each runs do for those members that are not disabled, a few at a time, and
// returns what failed, by server.
func (f *Fleet) each(ctx context.Context, members []*member, do func(context.Context, *member) error) map[string]error {
	errs := make([]error, len(members))
	var group errgroup.Group
	group.SetLimit(f.config.parallel)
	for i, m := range members {
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
	for i, m := range members {
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
// not closed as idle meanwhile. The client is the fleet's: do not close it. An
// error of do is returned with the server's name before it.
func (f *Fleet) With(ctx context.Context, server string, do func(*client.Client) error) error {
	m := f.byName[server]
	if m == nil {
		return fmt.Errorf("fleet: server %s: %w", protocol.Quote(server), ErrUnknownServer)
	}
	c, release, err := m.use(ctx)
	if err == nil {
		defer release()
		if err = do(c.Client); errors.Is(err, transport.ErrClosed) {
			m.lost(c, err)
		}
	}
	if err != nil {
		return fmt.Errorf("server %s: %w", protocol.Quote(server), err)
	}
	return nil
}

// Disconnect closes a server, so that the next call connects it anew: after its
// program or its credentials have changed, say. Calls under way there fail. It
// waits neither for the server's end nor for an attempt to connect.
func (f *Fleet) Disconnect(server string) error {
	m := f.byName[server]
	if m == nil {
		return fmt.Errorf("fleet: server %s: %w", protocol.Quote(server), ErrUnknownServer)
	}
	m.disconnect()
	return nil
}

// Close closes all servers, side by side, and waits until nothing of them is
// left. Calls and attempts to connect that are under way fail. It may be called
// more than once; later calls return what the first did. No handler may call
// it, as client.Client.Close waits for those.
func (f *Fleet) Close() error { return f.close() }

func (f *Fleet) closeAll() error {
	errs := make([]error, len(f.members))
	var closing sync.WaitGroup
	for i, m := range f.members {
		closing.Go(func() {
			if err := m.close(); err != nil {
				errs[i] = fmt.Errorf("server %s: %w", protocol.Quote(m.server.Name), err)
			}
		})
	}
	closing.Wait()
	return errors.Join(errs...)
}
