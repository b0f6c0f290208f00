package fleet

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// Names of tools that every common model provider accepts have up to 64 letters,
// digits, _ and -, and begin with a letter or _.
const maxName = 64

// separator stands between the names of server and tool.
const separator = "__"

// mark stands before a hash of hashDigits hex digits, at the end of a name.
const (
	mark       = "_x"
	hashDigits = 16
)

// maxReadable is how much of a name stands before a hash at the most.
const maxReadable = maxName - len(mark) - hashDigits

// ToolName returns the name of a server's tool among those of the whole fleet:
// SERVER__TOOL where that is a name that every model provider accepts, else as
// much of it as is, and a hash that keeps it apart from all others. The same
// pair always has the same name, whatever else the fleet holds, and no other
// pair has it.
func ToolName(server, tool string) string {
	name := plain(server + separator + tool)
	if strings.IndexAny(name[:1], "-0123456789") == 0 {
		name = "_" + name
	}
	if name == server+separator+tool && len(name) <= maxName && splits(server, tool) && !hashed(name) {
		return name
	}
	return name[:min(len(name), maxReadable)] + mark + hash(server, tool)
}

// splits reports whether the first separator in the joined names is the one
// between them, so that no other pair is joined to the same.
func splits(server, tool string) bool {
	return server != "" && tool != "" && !strings.Contains(server, separator) &&
		!strings.HasSuffix(server, "_") && !strings.HasPrefix(tool, "_")
}

// hash tells pairs apart. The length says where the server's name ends.
func hash(server, tool string) string {
	sum := sha256.Sum256(append(binary.AppendUvarint(nil, uint64(len(server))), server+tool...))
	return hex.EncodeToString(sum[:hashDigits/2])
}

// hashed reports whether a name looks like one that ends in a hash.
func hashed(name string) bool {
	i := strings.LastIndex(name, mark)
	if i < 0 || len(name)-i-len(mark) != hashDigits {
		return false
	}
	_, err := hex.DecodeString(name[i+len(mark):])
	return err == nil
}

// mayName reports whether name may be the ToolName of one of server's tools.
func mayName(name, server string) bool {
	begin := ToolName(server, "")
	begin = begin[:len(begin)-len(mark)-hashDigits]
	return strings.HasPrefix(name, begin)
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
