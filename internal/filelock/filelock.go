// Package filelock keeps two processes from one thing: a lock that is a file.
//
// Its one invariant: the system gives a lock back when its owner dies; a file that is left behind locks nothing.
package filelock

import (
	"errors"
	"os"
)

// ErrHeld says that another process, or another caller of this one, holds the lock.
var ErrHeld = errors.New("another process holds the lock")

// Try takes the lock of the file at path, which is made when it is not there, without waiting. ErrHeld, and nothing else, says
// that it is held. The file stays when it is unlocked.
func Try(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { f.Close() }, nil // closing unlocks
}
