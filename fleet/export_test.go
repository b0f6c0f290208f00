package fleet

// Waiting returns how many wait for the attempt to connect a server.
func Waiting(f *Fleet, server string) int {
	m := f.byName[server]
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.attempt == nil {
		return 0
	}
	return m.attempt.waiting
}
