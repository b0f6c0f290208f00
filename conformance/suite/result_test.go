package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// saved is a folder of the suite: files by their names.
func saved(files map[string]string) fs.FS {
	folder := fstest.MapFS{}
	for name, content := range files {
		folder[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return folder
}

func TestReadResults(t *testing.T) {
	for name, tc := range map[string]struct {
		saved     fs.FS
		prefix    string
		scenarios []string
		want      []result
	}{
		"a check keeps what a report needs": {
			saved: saved(map[string]string{
				"tools_call-2026-11-30T19-21-26-822Z/checks.json": `[{
					"id": "wire-schema-valid", "name": "WireSchemaValid", "description": "Messages fit the schema",
					"status": "FAILURE", "timestamp": "2026-11-30T19:21:26.822Z", "errorMessage": "params is missing",
					"specReferences": [{"id": "MCP"}], "details": {"observed": 2}}]`,
				"tools_call-2026-11-30T19-21-26-822Z/stdout.txt": "not looked at",
			}),
			scenarios: []string{"tools_call"},
			want: []result{{scenario: "tools_call", checks: []check{
				{ID: "wire-schema-valid", Description: "Messages fit the schema", Status: failure, Error: "params is missing"},
			}}},
		},
		"a server scenario has a prefix, which may begin its name as well": {
			saved:     saved(map[string]string{"server-server-initialize-2026-11-30T19-21-26-822Z/checks.json": `[{"status": "SUCCESS"}]`}),
			prefix:    "server-",
			scenarios: []string{"server-initialize"},
			want:      []result{{scenario: "server-initialize", checks: []check{{Status: success}}}},
		},
		"a scenario's name may begin another's, and look like a date": {
			saved: saved(map[string]string{
				"json-schema-2020-12-2026-11-30T19-21-26-822Z/checks.json":              `[{"id": "a"}]`,
				"json-schema-2020-12-preservation-2026-11-30T19-21-26-822Z/checks.json": `[{"id": "b"}]`,
			}),
			scenarios: []string{"json-schema-2020-12-preservation", "json-schema-2020-12"},
			want: []result{
				{scenario: "json-schema-2020-12-preservation", checks: []check{{ID: "b"}}},
				{scenario: "json-schema-2020-12", checks: []check{{ID: "a"}}},
			},
		},
		"a scenario's name may be a path": {
			saved:     saved(map[string]string{"auth/dpop-2026-11-30T19-21-26-822Z/checks.json": `[{"id": "a"}]`}),
			scenarios: []string{"auth/dpop"},
			want:      []result{{scenario: "auth/dpop", checks: []check{{ID: "a"}}}},
		},
		"a scenario that broke off has no checks": {
			saved:     saved(map[string]string{"ping-2026-11-30T19-21-26-822Z/stdout.txt": ""}),
			scenarios: []string{"ping"},
			want:      []result{{scenario: "ping", fault: errNoChecks}},
		},
		"a scenario that looked at nothing is at fault": {
			saved:     saved(map[string]string{"ping-2026-11-30T19-21-26-822Z/checks.json": `[]`}),
			scenarios: []string{"ping"},
			want:      []result{{scenario: "ping", checks: []check{}, fault: errNoChecks}},
		},
		"a suite that did not start has no folder": {
			saved:     os.DirFS(filepath.Join(t.TempDir(), "missing")),
			scenarios: []string{"ping", "tools-list"},
			want:      []result{{scenario: "ping", fault: errNoChecks}, {scenario: "tools-list", fault: errNoChecks}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readResults(tc.saved, tc.prefix, tc.scenarios)
			if err != nil {
				t.Fatal(err)
			}
			opts := cmp.Options{cmp.AllowUnexported(result{}), cmpopts.EquateErrors(), cmpopts.EquateEmpty()}
			if diff := cmp.Diff(tc.want, got, opts); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadResultsRefusesWhatItDoesNotKnow(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"checks that are not JSON":                 {"ping-2026-11-30T19-21-26-822Z/checks.json": `[{`},
		"checks of another shape":                  {"ping-2026-11-30T19-21-26-822Z/checks.json": `{"checks": []}`},
		"a folder that is not named by a scenario": {"ping/checks.json": `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := readResults(saved(files), "", []string{"ping"}); err == nil {
				t.Errorf("no error, but %v", got)
			}
		})
	}
}
