package main

// A tally counts checks. What the suite only notes is not counted.
type tally struct{ passed, failed, skipped, warnings int }

func tallyOf(checks []check) tally {
	var t tally
	for _, c := range checks {
		switch c.Status {
		case success:
			t.passed++
		case skipped:
			t.skipped++
		case warning:
			t.warnings++
		case info:
		default: // FAILURE, and what a later suite may come up with
			t.failed++
		}
	}
	return t
}

func (t tally) plus(u tally) tally {
	return tally{t.passed + u.passed, t.failed + u.failed, t.skipped + u.skipped, t.warnings + u.warnings}
}

// clean reports whether nothing is wrong. It says nothing about how much was
// looked at.
func (t tally) clean() bool { return t.failed == 0 && t.warnings == 0 }
