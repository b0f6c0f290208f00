package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// Pins are the tool definitions that someone has approved: a digest for each
// name of ToolName. It encodes as a JSON object, to be kept between runs. A
// server that later alters a tool, its description say, is found out by Check.
type Pins map[string]string

// Digest returns a digest of all that a server says of a tool: its names,
// description, schemas, annotations, icons and _meta. Member order and white
// space do not matter.
func Digest(tool *protocol.Tool) (string, error) {
	encoded, err := json.Marshal(tool)
	if err != nil {
		return "", fmt.Errorf("tool %s: %w", protocol.Quote(tool.Name), err)
	}
	canonical := jsontext.Value(encoded)
	if err := canonical.Canonicalize(); err != nil {
		return "", fmt.Errorf("tool %s: %w", protocol.Quote(tool.Name), err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// Approve pins tools as they are, and forgets what their servers had pinned
// before under the same names.
func (p Pins) Approve(tools ...Tool) error {
	for _, tool := range tools {
		digest, err := Digest(tool.Definition)
		if err != nil {
			return err
		}
		p[tool.Name] = digest
	}
	return nil
}

// A PinChange is a tool that is not as it was approved.
type PinChange struct {
	Tool string // its ToolName
	Kind PinChangeKind
	Was  string // the approved digest, "" for PinAdded
	Is   string // the digest now, "" for PinRemoved
}

// A PinChangeKind says what happened to a tool.
type PinChangeKind string

// The kinds of changes.
const (
	PinAdded   PinChangeKind = "added"   // never approved
	PinAltered PinChangeKind = "altered" // another definition under the name
	PinRemoved PinChangeKind = "removed" // approved, and no longer listed
)

// String describes the change in a few words.
func (c PinChange) String() string { return fmt.Sprintf("tool %s was %s", c.Tool, c.Kind) }

// Check compares tools with what was approved, sorted by name. Give it the
// tools of all servers that were approved: one that is missing counts as
// removed.
func (p Pins) Check(tools ...Tool) ([]PinChange, error) {
	var changes []PinChange
	seen := make(map[string]bool)
	for _, tool := range tools {
		seen[tool.Name] = true
		digest, err := Digest(tool.Definition)
		if err != nil {
			return nil, err
		}
		was, ok := p[tool.Name]
		switch {
		case !ok:
			changes = append(changes, PinChange{Tool: tool.Name, Kind: PinAdded, Is: digest})
		case was != digest:
			changes = append(changes, PinChange{Tool: tool.Name, Kind: PinAltered, Was: was, Is: digest})
		}
	}
	for name := range maps.Keys(p) {
		if !seen[name] {
			changes = append(changes, PinChange{Tool: name, Kind: PinRemoved, Was: p[name]})
		}
	}
	slices.SortFunc(changes, func(a, b PinChange) int {
		switch {
		case a.Tool < b.Tool:
			return -1
		case a.Tool > b.Tool:
			return 1
		default:
			return 0
		}
	})
	return changes, nil
}
