package erecache

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
)

// file1 is a file of format 1 that later versions of this package must read.
const file1 = `{"format":1,"rows":{` +
	`"a":{"version":"2026-07-28","decidedAt":"2026-08-01T12:00:00.123456789Z"},` +
	`"b":{"version":"2025-11-25","decidedAt":"2026-08-01T13:00:00+01:00"}}}`

func rows1() rows[string] {
	return rows[string]{
		"a": entryAt(0),
		"b": {Era: negotiation.EraLegacy, Version: legacy, DecidedAt: start.Truncate(time.Second)},
	}
}

// manyRows is a file of n rows.
func manyRows(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"format":1,"rows":{`)
	for i := range n {
		fmt.Fprintf(&b, `%.*s"%064d":{"version":"2026-07-28","decidedAt":"2026-08-01T12:00:00.123456789-12:00"}`, min(i, 1), ",", i)
	}
	b.WriteString(`}}`)
	return b.Bytes()
}

func TestDecodeFile(t *testing.T) {
	for name, tc := range map[string]struct {
		data string
		want rows[string]
	}{
		"a whole file":                            {file1, rows1()},
		"unknown members are skipped":             {strings.Replace(file1, `{`, `{"x":1,`, 1), rows1()},
		"an empty file holds nothing":             {"", rows[string]{}},
		"a file without rows":                     {`{"format":1}`, rows[string]{}},
		"a cut file holds nothing":                {file1[:len(file1)-1], rows[string]{}},
		"a file with more behind it":              {file1 + "{}", rows[string]{}},
		"another JSON value":                      {"null", rows[string]{}},
		"a later format holds nothing":            {strings.Replace(file1, `:1,`, `:2,`, 1), rows[string]{}},
		"no format":                               {strings.Replace(file1, `"format":1,`, ``, 1), rows[string]{}},
		"member names match in case":              {strings.Replace(file1, `format`, `Format`, 1), rows[string]{}},
		"a repeated row makes it damaged":         {strings.Replace(file1, `"b"`, `"a"`, 1), rows[string]{}},
		"bytes that are no UTF-8":                 {strings.Replace(file1, `"b"`, "\"\xff\"", 1), rows[string]{}},
		"a time that can't be read":               {strings.Replace(file1, `T13`, `T25`, 1), rows[string]{}},
		"a row without a version is left out":     {strings.Replace(file1, legacy, "", 1), rows[string]{"a": entryAt(0)}},
		"a row with another version is left out":  {strings.Replace(file1, legacy, "latest", 1), rows[string]{"a": entryAt(0)}},
		"a file of exactly 1 MiB is read":         {file1 + strings.Repeat(" ", 1<<20-len(file1)), rows1()},
		"a file a byte above 1 MiB holds nothing": {file1 + strings.Repeat(" ", 1<<20-len(file1)+1), rows[string]{}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, decodeFile([]byte(tc.data))); diff != "" {
				t.Errorf("decodeFile (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeFileBoundsRows(t *testing.T) {
	full := manyRows(maxFileRows)
	if got := len(decodeFile(full)); got != maxFileRows {
		t.Errorf("a full file holds %d rows, want %d", got, maxFileRows)
	}
	if len(full) > maxFileSize/2 {
		t.Errorf("a full file has %d bytes, too near to what is read", len(full))
	}
	if got := len(decodeFile(manyRows(maxFileRows + 1))); got != 0 {
		t.Errorf("a file with too many rows holds %d, want 0", got)
	}
}

func TestEncodeFileFailsOnAYearThatRFC3339CannotExpress(t *testing.T) {
	table := rows[string]{"a": {negotiation.EraModern, modern, time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}}
	if data, err := encodeFile(table); err == nil {
		t.Errorf("encodeFile = %s, want an error", data)
	}
}

// FuzzDecodeFile checks that any content gives a table of valid rows, within
// the bound, that is the same after it was written again.
func FuzzDecodeFile(f *testing.F) {
	f.Add([]byte(file1))
	f.Add([]byte(file1[:40]))
	f.Add([]byte(`{"format":1,"rows":{"a":{"version":"0000-01-01","decidedAt":"9999-12-31T23:59:59-23:59"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		table := decodeFile(data)
		if len(table) > maxFileRows {
			t.Errorf("%d rows", len(table))
		}
		for hash, entry := range table {
			if err := entry.check(); err != nil {
				t.Errorf("row %q is %v: %v", hash, entry, err)
			}
		}
		again, err := encodeFile(table)
		if err != nil {
			t.Fatalf("encodeFile: %v", err)
		}
		if diff := cmp.Diff(table, decodeFile(again)); diff != "" {
			t.Errorf("after writing it again (-before +after):\n%s", diff)
		}
	})
}
