package keys

import "golang.org/x/sys/unix"

const (
	getState = unix.TIOCGETA
	setState = unix.TIOCSETA
)
