package protocol

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// MethodDiscover asks a modern server what it speaks and offers.
const MethodDiscover = "server/discover"

// ResultComplete is the resultType of a final result. A result without one
// is complete too.
//
// Source: MCP 2026-07-28, basic, "ResultType".
const ResultComplete = "complete"

// A DiscoverResult is a modern server's answer to server/discover.
//
// Source: MCP 2026-07-28, server/discover.
type DiscoverResult struct {
	ResultType        string             `json:"resultType,omitempty"`
	SupportedVersions []string           `json:"supportedVersions"`
	Capabilities      ServerCapabilities `json:"capabilities"`
	Instructions      string             `json:"instructions,omitempty"`
	TTL               TTL                `json:"ttlMs,omitzero"`
	CacheScope        CacheScope         `json:"cacheScope,omitempty"` // "public" or "private"
	Meta              Meta               `json:"_meta,omitzero"`
	Extra             jsontext.Value     `json:",embed"`
}

// ServerInfo returns the server's name and version from _meta, or from a
// serverInfo member beside it, where some servers put it. It is zero when
// the server named itself in neither place.
func (d *DiscoverResult) ServerInfo() Implementation {
	var info Implementation
	if !d.Meta.Decode(MetaServerInfo, &info) {
		Meta(d.Extra).Decode("serverInfo", &info)
	}
	return info
}

// MaxTTL is the longest time that a server's cache hint is honoured for.
const MaxTTL = TTL(24 * time.Hour)

// A TTL is a cache hint: for how long after its receipt a result is fresh. On
// the wire it is a number of milliseconds. Anything that is no positive number
// reads as 0, stale at once, and more than a day as a day.
//
// Source: MCP 2026-07-28, server/utilities/caching, "Time-to-Live".
type TTL time.Duration

// UnmarshalJSON never fails on valid JSON.
func (t *TTL) UnmarshalJSON(data []byte) error {
	ms, _ := strconv.ParseFloat(string(data), 64) // 0 for no number, infinite for a huge one
	switch {
	case ms <= 0:
		*t = 0
	case ms >= float64(time.Duration(MaxTTL).Milliseconds()):
		*t = MaxTTL
	default:
		*t = TTL(ms * float64(time.Millisecond))
	}
	return nil
}

// CacheHints returns the ttlMs and the cacheScope of a result that is known to be
// valid JSON.
func CacheHints(result jsontext.Value) (ttl TTL, scope CacheScope) {
	missing := 2
	for name, value := range members(result) {
		switch string(name) {
		case "ttlMs":
			_ = ttl.UnmarshalJSON(value) // never fails
			missing--
		case "cacheScope":
			_ = scope.UnmarshalJSON(value)
			missing--
		}
		if missing == 0 {
			break // what follows may be long
		}
	}
	return ttl, scope
}

// MarshalJSON writes whole milliseconds.
func (t TTL) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, time.Duration(t).Milliseconds(), 10), nil
}
