package keys

import "golang.org/x/sys/unix"

const (
	getState = unix.TCGETS
	setState = unix.TCSETS
)
