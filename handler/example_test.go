package handler_test

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/mcpera/mcpera/handler"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

// A workspace serves one thing: the folders that it has open.
type workspace struct {
	folders []string
}

func (w workspace) ListRoots(context.Context) ([]protocol.Root, error) {
	var roots []protocol.Root
	for _, folder := range w.folders {
		roots = append(roots, protocol.Root{URI: "file://" + folder})
	}
	return roots, nil
}

// What a value implements is what the client declares.
func Example() {
	var h handler.RootsLister = workspace{folders: []string{"/home/ada/project"}}
	declared, err := json.Marshal(negotiation.ClientCapabilities(h, negotiation.CapabilityOptions{}))
	fmt.Println(string(declared), err)
	// Output: {"roots":{}} <nil>
}
