package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// A status is how a check went, in the suite's words.
type status string

const (
	success status = "SUCCESS"
	failure status = "FAILURE"
	warning status = "WARNING"
	skipped status = "SKIPPED"
	info    status = "INFO" // a record of what happened, not a check
)

// A check is one thing that the suite looked at.
type check struct {
	ID          string `json:"id"`
	Description string `json:"description"`
	Status      status `json:"status"`
	Error       string `json:"errorMessage"`
}

// A result is how a scenario went.
type result struct {
	scenario string
	checks   []check
	fault    error // why it does not count, whatever its checks say
}

var errNoChecks = errors.New("the suite saved no checks")

// stamped is the name of the folder that the suite saves a scenario's checks in:
// the scenario and the time.
var stamped = regexp.MustCompile(`^(.+)-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$`)

// readResults reads what the suite has saved and returns a result for each of
// the scenarios, in their order. One that broke off has saved nothing, and one
// with nothing to say has looked at nothing: both have a fault.
func readResults(saved fs.FS, prefix string, scenarios []string) ([]result, error) {
	found := map[string][]check{}
	err := fs.WalkDir(saved, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "checks.json" {
			return err
		}
		name := stamped.FindStringSubmatch(strings.TrimPrefix(path.Dir(file), prefix))
		if name == nil {
			return fmt.Errorf("%s: the folder is not named for a scenario", file)
		}
		checks, err := readChecks(saved, file)
		found[name[1]] = append(found[name[1]], checks...)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // nothing saved, no folder
		return nil, err
	}
	var results []result
	for _, name := range scenarios {
		r := result{scenario: name, checks: found[name]}
		if len(r.checks) == 0 {
			r.fault = errNoChecks
		}
		results = append(results, r)
	}
	return results, nil
}

func readChecks(saved fs.FS, file string) ([]check, error) {
	data, err := fs.ReadFile(saved, file)
	if err != nil {
		return nil, err
	}
	var checks []check
	if err := json.Unmarshal(data, &checks); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return checks, nil
}
