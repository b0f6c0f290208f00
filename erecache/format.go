package erecache

import (
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mcpera/mcpera/negotiation"
)

const (
	fileFormat = 1
	// maxFileSize bounds what is read of a file: 1 MiB. maxFileRows rows of
	// some 150 bytes stay far below it.
	maxFileSize = 1 << 20
	maxFileRows = 1000
)

// fileJSON is the content of a File.
type fileJSON struct {
	Format int                `json:"format"`
	Rows   map[string]rowJSON `json:"rows"` // by Key.Hash
}

// rowJSON is an Entry. The version implies the era, so that no row can
// contradict itself.
type rowJSON struct {
	Version   string    `json:"version"`
	DecidedAt time.Time `json:"decidedAt"`
}

// decodeFile reads a file's content. A row without a version of an era is left
// out. What this package did not write, or what has been damaged since, holds
// no rows: guessing at it is worth less than the probe it saves.
func decodeFile(data []byte) rows[string] {
	table := rows[string]{}
	var file fileJSON
	if len(data) > maxFileSize || json.Unmarshal(data, &file) != nil ||
		file.Format != fileFormat || len(file.Rows) > maxFileRows {
		return table
	}
	for hash, row := range file.Rows {
		entry := Entry{Era: negotiation.EraOf(row.Version), Version: row.Version, DecidedAt: row.DecidedAt}
		if entry.check() == nil {
			table[hash] = entry
		}
	}
	return table
}

// encodeFile writes what decodeFile reads. It fails on a year that RFC 3339
// can't express.
func encodeFile(table rows[string]) ([]byte, error) {
	file := fileJSON{Format: fileFormat, Rows: make(map[string]rowJSON, len(table))}
	for hash, entry := range table {
		file.Rows[hash] = rowJSON{Version: entry.Version, DecidedAt: entry.DecidedAt}
	}
	return json.Marshal(file)
}
