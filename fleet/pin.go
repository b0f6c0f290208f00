package fleet

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// Pins are the tool definitions that someone has approved: a Digest for each
// tool, by server and the tool's own name. It encodes as a JSON object, to be
// kept between runs. A server that later alters a tool, its description say, is
// found out by Check. Pins must not be changed while others use it.
type Pins map[string]map[string]string

// Digest returns a digest of all that a server says of a tool: its names,
// description, schemas, annotations, icons and _meta. Member order and white
// space do not matter.
func Digest(tool *protocol.Tool) (string, error) {
	encoded, err := json.Marshal(tool)
	if err != nil {
		return "", fmt.Errorf("tool %s: %w", protocol.Quote(tool.Name), err)
	}
	canonical := jsontext.Value(encoded)
	if err := canonical.Canonicalize(); err != nil { // RFC 8785
		return "", fmt.Errorf("tool %s: %w", protocol.Quote(tool.Name), err)
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// Approve pins tools as they are now. On an error nothing is pinned.
func (p Pins) Approve(tools ...Tool) error {
	digests := make([]string, len(tools))
	for i, tool := range tools {
		digest, err := Digest(tool.Definition)
		if err != nil {
			return err
		}
		digests[i] = digest
	}
	for i, tool := range tools {
		if p[tool.Server] == nil {
			p[tool.Server] = make(map[string]string)
		}
		p[tool.Server][tool.Definition.Name] = digests[i]
	}
	return nil
}

// Forget ends the approval of a server's tool.
func (p Pins) Forget(server, tool string) {
	delete(p[server], tool)
	if len(p[server]) == 0 {
		delete(p, server)
	}
}

// A PinChange is a tool that is not as it was approved.
type PinChange struct {
	Server string
	Tool   string // the server's name for it
	Kind   PinChangeKind
	Was    string // the approved digest, "" for PinAdded
	Is     string // the digest now, "" for PinRemoved
}

// A PinChangeKind says what happened to a tool.
type PinChangeKind string

// The kinds of changes.
const (
	PinAdded   PinChangeKind = "added"   // never approved
	PinAltered PinChangeKind = "altered" // another definition under the name
	PinRemoved PinChangeKind = "removed" // approved, and no longer listed
)

// Name returns the tool's name in the fleet.
func (c PinChange) Name() string { return ToolName(c.Server, c.Tool) }

// String describes the change in a few words.
func (c PinChange) String() string {
	return fmt.Sprintf("server %s: tool %s was %s", protocol.Quote(c.Server), protocol.Quote(c.Tool), c.Kind)
}

// Check compares what Fleet.Tools returned with what was approved, and returns
// the differences, sorted by server and tool. Of a server that failed no tool
// counts as removed.
func (p Pins) Check(tools []Tool, failed map[string]error) ([]PinChange, error) {
	var changes []PinChange
	listed := make(map[[2]string]bool)
	for _, tool := range tools {
		digest, err := Digest(tool.Definition)
		if err != nil {
			return nil, err
		}
		change := PinChange{Server: tool.Server, Tool: tool.Definition.Name, Was: p[tool.Server][tool.Definition.Name], Is: digest}
		listed[[2]string{change.Server, change.Tool}] = true
		switch change.Was {
		case digest:
			continue
		case "":
			change.Kind = PinAdded
		default:
			change.Kind = PinAltered
		}
		changes = append(changes, change)
	}
	for server, pinned := range p {
		for tool := range maps.Keys(pinned) {
			if _, down := failed[server]; !down && !listed[[2]string{server, tool}] {
				changes = append(changes, PinChange{Server: server, Tool: tool, Kind: PinRemoved, Was: pinned[tool]})
			}
		}
	}
	slices.SortFunc(changes, func(a, b PinChange) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool))
	})
	return changes, nil
}
