package erecache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"log/slog"
	"net/url"

	"github.com/mcpera/mcpera/internal/origin"
)

// A Key says which server a verdict is about. Path is part of it because a
// gateway serves several servers, of either era, under one origin. Keys are
// comparable.
//
// Paths of some servers carry a secret, so a Key prints and logs as its
// origin alone. What is written down should be Hash.
type Key struct {
	// Origin is scheme, host and port as Origin returns them, or "stdio".
	Origin string
	// Path is the escaped path, at least "/"; over stdio, a hash of the
	// command.
	Path string
}

// KeyOf returns the key of the server at u: its Origin, and its path with "/"
// for an empty one. Query, userinfo and fragment, which may carry secrets and
// do not tell servers apart, are left out.
func KeyOf(u *url.URL) Key {
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	return Key{Origin: origin.Of(u), Path: path}
}

// CommandKey returns the key of the stdio server that argv starts: the command
// and its arguments. It holds a SHA-256 hash, since arguments may be secrets.
func CommandKey(argv ...string) Key {
	return Key{Origin: "stdio", Path: hash(argv...)}
}

// Origin returns scheme, host and port of u, such as "https://h" or
// "http://[::1]:8080": lower-case, the scheme's default port left out, never
// userinfo, path, query or fragment.
func Origin(u *url.URL) string { return origin.Of(u) }

// String returns the origin.
func (k Key) String() string { return k.Origin }

// LogValue returns the origin.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.Origin) }

// Hash returns the SHA-256 of the key, in 64 lower-case hex digits. It does
// not change between versions of this package.
func (k Key) Hash() string { return hash(k.Origin, k.Path) }

// hash puts the length before each part, so that no two lists of parts give
// the same input: ("a b") is not ("a", "b").
func hash(parts ...string) string {
	var input []byte
	for _, part := range parts {
		input = binary.BigEndian.AppendUint64(input, uint64(len(part)))
		input = append(input, part...)
	}
	sum := sha256.Sum256(input)
	return hex.EncodeToString(sum[:])
}
