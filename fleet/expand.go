package fleet

import (
	"fmt"
	"strings"
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
	return e.err
}

// An expander replaces variables, and keeps the first error.
type expander struct {
	lookup func(string) (string, bool)
	err    error
}

func (e *expander) text(s string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "${")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed { // a plain text that happens to hold ${
			b.WriteString("${" + rest)
			return b.String()
		}
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
	if !hasFallback && e.err == nil {
		e.err = fmt.Errorf("the variable %s is not set", name)
	}
	return fallback
}
