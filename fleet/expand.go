package fleet

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpera/mcpera/protocol"
)

// expand replaces the variables in everything that a server is reached by.
func (s *Server) expand(lookup func(string) (string, bool)) error {
	e := expander{lookup: lookup}
	s.Command, s.Dir, s.URL = e.text(s.Command), e.text(s.Dir), e.text(s.URL)
	for i, arg := range s.Args {
		s.Args[i] = e.text(arg)
	}
	for name, value := range s.Env {
		s.Env[name] = e.text(value)
	}
	for name, value := range s.Headers {
		s.Headers[name] = e.text(value)
	}
	return e.err()
}

// An expander replaces variables, and keeps the names of those that are not set.
type expander struct {
	lookup func(string) (string, bool)
	unset  []string
}

// text replaces the variables in s. Values are not looked at again, so that one
// which holds ${ stays as it is.
func (e *expander) text(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "${")
		name, after, closed := strings.Cut(rest, "}")
		if !found || !closed { // the rest is plain text, though it may hold ${
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(before)
		b.WriteString(e.variable(name))
		s = after
	}
}

// variable returns the value for what stands between ${ and }.
func (e *expander) variable(text string) string {
	name, fallback, hasFallback := strings.Cut(strings.TrimPrefix(text, "env:"), ":-")
	if e.lookup != nil {
		if value, ok := e.lookup(name); ok {
			return value
		}
	}
	if !hasFallback && !slices.Contains(e.unset, name) {
		e.unset = append(e.unset, name)
	}
	return fallback
}

// err names all variables that are not set, so that all can be set at once.
func (e *expander) err() error {
	slices.Sort(e.unset) // maps have no order
	errs := make([]error, len(e.unset))
	for i, name := range e.unset {
		errs[i] = fmt.Errorf("the variable %s is not set", protocol.Quote(name))
	}
	return errors.Join(errs...)
}
