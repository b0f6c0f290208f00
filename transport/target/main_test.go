package target

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A nameServer resolves every name to one address of a list after the other:
// what a name does whose owner wants to get past a check.
type nameServer struct {
	answers []netip.Addr

	mu    sync.Mutex
	asked int
}

// resolver returns a resolver that asks s alone, over a pipe.
func (s *nameServer) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait)
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		serving.Go(func() { s.serve(theirs) })
		return ours, nil
	}}
}

// serve answers the questions of one connection, framed as over TCP.
func (s *nameServer) serve(conn net.Conn) {
	defer conn.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		answer := s.answer(query)
		binary.BigEndian.PutUint16(size[:], uint16(len(answer)))
		if _, err := conn.Write(append(size[:], answer...)); err != nil {
			return
		}
	}
}

// answer gives an A record where one is asked for, else none.
//
// Source: RFC 1035, 4.1.
func (s *nameServer) answer(query []byte) []byte {
	const header = 12
	end := header
	for query[end] != 0 {
		end += 1 + int(query[end])
	}
	question := query[header : end+5]
	wantsA := binary.BigEndian.Uint16(query[end+1:]) == 1
	answer := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, question...)
	if !wantsA {
		return answer
	}
	s.mu.Lock()
	addr := s.answers[min(s.asked, len(s.answers)-1)].As4()
	s.asked++
	s.mu.Unlock()
	answer[7] = 1 // one record: of the name above, type A, class IN, no time to live, 4 bytes
	answer = append(answer, 0xc0, header, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
	return append(answer, addr[:]...)
}

func (s *nameServer) lookups() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}
