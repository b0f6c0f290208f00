package server

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// A request is what the server looks at.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

// response appends the response to r.
func (s *Site) response(dst []byte, r *request) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, r.ID...)
	result := s.resultOf(r)
	if result == nil {
		return fmt.Appendf(dst, `,"error":{"code":-32601,"message":"there is no %s"}}`, r.Method)
	}
	dst = append(dst, `,"result":`...)
	dst = append(dst, result...)
	return append(dst, '}')
}

// resultOf returns the result of r; nil when there is none.
func (s *Site) resultOf(r *request) []byte {
	switch {
	case r.Method == "server/discover" && s.Modern:
		return s.Discover
	case r.Method == "initialize" && !s.Modern:
		return s.Init
	case r.Method == "tools/list":
		return s.List
	case r.Method == "tools/call" && s.texts[r.Params.Name] != nil:
		return s.texts[r.Params.Name]
	case r.Method == "tools/call":
		return s.texts[Echo]
	case r.Method == "ping":
		return []byte(`{}`)
	default:
		return nil
	}
}

// reports returns how often r is to report progress.
func reports(r *request) int {
	count, ok := strings.CutPrefix(r.Params.Name, Progress)
	if !ok || len(r.Params.Meta.Token) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(count)
	return n
}

// report appends a notification that i of n is done.
func report(dst []byte, r *request, i, n int) []byte {
	return fmt.Appendf(dst, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":%d,"message":"step %d"}}`,
		r.Params.Meta.Token, i, n, i)
}
