// Package sdk are the clients that are compared, behind one interface: a floor
// written by hand, ours and the peers, each with its defaults.
package sdk

import (
	"context"
	"os/exec"
)

// A Server is where a client connects to: a URL, or a command that serves over
// standard input and output.
type Server struct {
	Modern  bool
	URL     string
	Command []string
}

// A Client is one of those compared.
type Client struct {
	Name string
	Open func(context.Context, Server) (Session, error)
}

// A Session is an open connection. Its methods do what a program would, and fail
// when an answer is not what it should be.
type Session interface {
	// Call calls a tool with a short argument and returns its text.
	Call(ctx context.Context, tool string) (string, error)
	// CallWithProgress calls a tool and returns how many reports of progress came
	// while the call ran and soon after.
	CallWithProgress(ctx context.Context, tool string, want int) (int, error)
	// List returns how many tools the server has.
	List(ctx context.Context) (int, error)
	Close() error
}

// Clients are all that are compared; the first is the floor.
func Clients() []Client {
	return []Client{
		{"floor", openFloor},
		{"mcpera", openOurs},
		{"go-sdk", openGoSDK},
		{"mcp-go", openMCPGo},
	}
}

// Floor and Ours are names of clients.
const (
	Floor = "floor"
	Ours  = "mcpera"
)

// arguments are what each call sends.
var arguments = map[string]any{"text": "The quick brown fox", "times": 3}

func command(argv []string) *exec.Cmd { return exec.Command(argv[0], argv[1:]...) }
