package protocol

import (
	"fmt"
	"regexp"
	"strings"
)

// metaKey is the grammar of _meta keys: an optional prefix of labels and a
// slash, and a name.
var metaKey = regexp.MustCompile(`^(?:([A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*)/)?(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$`)

// CheckExtensionID reports why id is none of an extension: it has the grammar of
// a _meta key, and a prefix.
//
// Source: MCP 2026-07-28, basic/versioning, "Extension Negotiation".
func CheckExtensionID(id string) error {
	if match := metaKey.FindStringSubmatch(id); match == nil || match[1] == "" || strings.HasSuffix(id, "/") {
		return fmt.Errorf("%s is no extension id: it needs a prefix and a name", Quote(id))
	}
	return nil
}

// CheckMetaKey reports why a program must not use key in _meta: it breaks the
// grammar, or it is reserved for MCP. The trace-context keys of W3C have no
// prefix and are allowed.
//
// Source: MCP 2026-07-28, basic, "_meta".
func CheckMetaKey(key string) error {
	match := metaKey.FindStringSubmatch(key)
	if match == nil || key == "" {
		return fmt.Errorf("_meta key %s breaks the grammar prefix/name", Quote(key))
	}
	if labels := strings.Split(match[1], "."); len(labels) > 1 && (labels[1] == "mcp" || labels[1] == "modelcontextprotocol") {
		return fmt.Errorf("_meta key %s is reserved for MCP", Quote(key))
	}
	if key == MetaProgressToken {
		return fmt.Errorf("_meta key %s is set by the client", Quote(key))
	}
	return nil
}
