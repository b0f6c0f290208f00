package client

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What waits is bounded in bytes too: messages may be large.
func TestWhatWaitsInAMailboxIsBounded(t *testing.T) {
	for name, tc := range map[string]struct {
		bytes []int
		want  []int // which are read, of those that wait
	}{
		"few":                      {[]int{1, 2, 3}, []int{0, 1, 2}},
		"one above the bound":      {[]int{maxMailBytes + 1}, []int{0}},
		"as much as fits":          {[]int{maxMailBytes / 2, maxMailBytes / 2}, []int{0, 1}},
		"the newest takes room":    {[]int{10, maxMailBytes - 10, 1}, []int{0, 2}},
		"of all of them if it has": {[]int{1, 1, maxMailBytes}, []int{2}},
		"and gives it back":        {[]int{maxMailBytes, maxMailBytes, 1}, []int{2}},
	} {
		t.Run(name, func(t *testing.T) {
			var m mailbox
			var read []int
			begun, leave := make(chan struct{}), make(chan struct{})
			m.put(letter{read: func() { close(begun); <-leave }})
			<-begun
			for i, bytes := range tc.bytes {
				m.put(letter{bytes: bytes, read: func() { read = append(read, i) }})
			}
			close(leave)
			m.close()
			if diff := cmp.Diff(tc.want, read); diff != "" || m.bytes != 0 {
				t.Errorf("read (-want +got), with %d bytes left:\n%s", m.bytes, diff)
			}
		})
	}
}

// A function that panics, or ends its goroutine, costs itself.
func TestAMailboxOutlivesItsFunctions(t *testing.T) {
	var m mailbox
	var panics []string
	m.panicked = func(err error) {
		if h, ok := errors.AsType[*HandlerError](err); ok && len(h.Stack) > 0 {
			panics = append(panics, h.Error())
		}
	}
	var read []int
	for i, f := range []func(){func() {}, func() { panic("no") }, runtime.Goexit, func() {}} {
		m.put(letter{about: fmt.Sprint("letter ", i), read: func() { read = append(read, i); f() }})
	}
	m.close()
	if diff := cmp.Diff([]int{0, 1, 2, 3}, read); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"the handler for letter 1 failed: the function panicked: no"}, panics); diff != "" {
		t.Errorf("panics (-want +got):\n%s", diff)
	}
}
