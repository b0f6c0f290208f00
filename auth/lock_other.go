//go:build !windows && (!unix || solaris || aix)

package auth

import (
	"errors"
	"os"
)

// tryLock fails: the system has no such locks.
func tryLock(*os.File) (taken bool, err error) {
	return false, errors.ErrUnsupported
}
