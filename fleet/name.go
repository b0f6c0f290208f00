package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName is the longest name that every common model provider accepts for a
// tool; so are letters, digits, _ and -.
const maxName = 64

// separator stands between the names of server and tool.
const separator = "__"

// ToolName returns the name of a server's tool among those of the whole fleet:
// SERVER__TOOL where that is a name that every model provider accepts, else as
// much of it as is, and a hash that keeps it apart from all others. The same
// pair always has the same name, whatever else the fleet holds.
func ToolName(server, tool string) string {
	name := plain(server) + separator + plain(tool)
	lossless := plain(server) == server && plain(tool) == tool && server != "" && tool != "" &&
		!strings.Contains(server, separator) && !strings.HasSuffix(server, "_") && !strings.HasPrefix(tool, "_")
	if lossless && len(name) <= maxName && !hashed(name) {
		return name
	}
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	hash := "_x" + hex.EncodeToString(sum[:6])
	return name[:min(len(name), maxName-len(hash))] + hash
}

// hashed reports whether a name looks like one that ends in a hash.
func hashed(name string) bool {
	const length = len("_x") + 12
	if len(name) < length || !strings.HasPrefix(name[len(name)-length:], "_x") {
		return false
	}
	_, err := hex.DecodeString(name[len(name)-12:])
	return err == nil
}

// plain replaces what a tool's name can't hold with _.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		default:
			return '_'
		}
	}, s)
}
