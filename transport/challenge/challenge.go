// Package challenge reads what servers ask for in WWW-Authenticate headers. It
// is pure: bytes in, fields out, and no input is an error.
//
// What is malformed costs as little as possible: the rest of a header line is
// still read, and so is every other line.
//
// Source: RFC 9110, 11.2 to 11.6.1.
package challenge

import "strings"

// A Challenge is one way in which a server lets a client authenticate.
type Challenge struct {
	Scheme  string  // such as "Bearer", as it came; compare it with Is
	Token68 string  // what some schemes have in place of parameters; else ""
	Params  []Param // in their order; names may repeat
}

// A Param is one parameter of a challenge.
type Param struct {
	Name  string // lower-case
	Value string // without quotes and escapes
}

// Is reports whether the challenge is of a scheme, in any case.
func (c Challenge) Is(scheme string) bool { return strings.EqualFold(c.Scheme, scheme) }

// Get returns the first value of a parameter, whose name is lower-case; "" when
// there is none.
func (c Challenge) Get(name string) string {
	for _, p := range c.Params {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

// All returns all values of a parameter, whose name is lower-case, in order.
func (c Challenge) All(name string) []string {
	var values []string
	for _, p := range c.Params {
		if p.Name == name {
			values = append(values, p.Value)
		}
	}
	return values
}

// Bounds on what is read; the rest is dropped.
const (
	maxLine   = 16 << 10 // bytes of a header line
	maxLines  = 32
	maxParams = 64 // of a challenge
)

// Parse returns the challenges of a header's lines, in order.
func Parse(lines ...string) []Challenge {
	var all []Challenge
	for _, line := range lines[:min(len(lines), maxLines)] {
		all = append(all, parseLine(line[:min(len(line), maxLine)])...)
	}
	return all
}

// maxChallenges bounds those of one line.
const maxChallenges = 32

func parseLine(line string) []Challenge {
	var all []Challenge
	s := scanner{line}
	for len(all) < maxChallenges {
		s.skip(isSeparator)
		if s.rest == "" {
			break
		}
		scheme := s.take(isToken)
		if scheme == "" {
			s.junk()
			continue
		}
		c := Challenge{Scheme: scheme}
		if s.skip(isBlank) > 0 {
			if c.Token68 = s.token68(); c.Token68 == "" {
				c.Params = s.params()
			}
		}
		all = append(all, c)
	}
	return all
}

// A scanner is what of a line has not been read yet.
type scanner struct{ rest string }

// take reads the longest run of bytes that fit.
func (s *scanner) take(fits func(byte) bool) string {
	n := 0
	for n < len(s.rest) && fits(s.rest[n]) {
		n++
	}
	taken := s.rest[:n]
	s.rest = s.rest[n:]
	return taken
}

func (s *scanner) skip(fits func(byte) bool) int { return len(s.take(fits)) }

// token68 reads one if the whole challenge is one.
func (s *scanner) token68() string {
	ahead := *s
	token := ahead.take(isToken68)
	if token == "" {
		return ""
	}
	token += ahead.take(func(c byte) bool { return c == '=' })
	ahead.skip(isBlank)
	if ahead.rest != "" && ahead.rest[0] != ',' {
		return ""
	}
	*s = ahead
	return token
}

// params reads parameters up to what is none: the next challenge, or the end.
// Commas between them may be missing.
func (s *scanner) params() []Param {
	var params []Param
	for len(params) < maxParams {
		ahead := *s
		ahead.skip(isSeparator)
		name := ahead.take(isToken)
		ahead.skip(isBlank)
		if name == "" || ahead.rest == "" || ahead.rest[0] != '=' {
			break
		}
		ahead.rest = ahead.rest[1:]
		ahead.skip(isBlank)
		params = append(params, Param{Name: strings.ToLower(name), Value: ahead.value()})
		*s = ahead
	}
	return params
}

// value reads a quoted string, or what stands there without quotes, which may
// have characters that ought to be quoted, as URLs do.
func (s *scanner) value() string {
	if s.rest == "" || s.rest[0] != '"' {
		return s.take(isBare)
	}
	return s.quoted()
}

// quoted reads a quoted string. One without its end goes to the line's.
func (s *scanner) quoted() string {
	var b strings.Builder
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '"':
			s.rest = s.rest[i+1:]
			return b.String()
		case c == '\\' && i+1 < len(s.rest):
			i++
			b.WriteByte(s.rest[i])
		default:
			b.WriteByte(c)
		}
	}
	s.rest = ""
	return b.String()
}

// junk drops what can't be read: a quoted string, or a byte.
func (s *scanner) junk() {
	if s.rest[0] == '"' {
		s.quoted()
		return
	}
	s.rest = s.rest[1:]
}

func isBlank(c byte) bool     { return c == ' ' || c == '\t' }
func isSeparator(c byte) bool { return c == ',' || isBlank(c) }

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func isToken(c byte) bool {
	return isAlphanumeric(c) || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

func isToken68(c byte) bool {
	return isAlphanumeric(c) || strings.IndexByte("-._~+/", c) >= 0
}

func isBare(c byte) bool { return c > ' ' && c != ',' && c != '"' && c != 0x7f }
