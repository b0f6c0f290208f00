//go:build unix && !solaris && !aix

package auth

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks a file until it is closed, and reports whether another one has it
// locked.
func tryLock(file *os.File) (taken bool, err error) {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return true, nil
		default:
			return false, err
		}
	}
}
