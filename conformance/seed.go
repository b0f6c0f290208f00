package conformance

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"io"
	mathrand "math/rand/v2"
	"sync"
)

// An idSource makes ids that can't be guessed, or, with a seed, that are the
// same in every run. It is safe for concurrent use.
type idSource struct {
	mu     sync.Mutex
	random io.Reader
}

func newIDSource(seed string) *idSource {
	if seed == "" {
		return &idSource{random: rand.Reader}
	}
	return &idSource{random: mathrand.NewChaCha8(sha256.Sum256([]byte("ids:" + seed)))}
}

// next returns 128 bits in hex, which is visible ASCII as session ids must be.
func (s *idSource) next() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b [16]byte
	_, _ = io.ReadFull(s.random, b[:]) // neither source fails
	return hex.EncodeToString(b[:])
}

func newStateKey(seed string) stateKey {
	if seed == "" {
		key := make([]byte, sha256.Size)
		_, _ = rand.Read(key) // never fails
		return key
	}
	key := sha256.Sum256([]byte("requestState:" + seed))
	return key[:]
}
