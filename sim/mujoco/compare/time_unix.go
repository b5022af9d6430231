//go:build unix

package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
