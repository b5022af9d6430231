//go:build linux || darwin

package keys

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// terminal is a file that can be waited for and, if it is a terminal, the state to give it back in.
type terminal struct {
	file          *os.File
	before        *unix.Termios // nil = it is no terminal
	woken, wakeUp *os.File      // a pipe: what is written into it ends a wait
}

func openTerminal(f *os.File) (*terminal, error) {
	t := &terminal{file: f}
	var err error
	if t.woken, t.wakeUp, err = os.Pipe(); err != nil {
		return nil, fmt.Errorf("reading keys: %w", err)
	}
	before, err := unix.IoctlGetTermios(int(f.Fd()), getState)
	if err != nil { // it is a pipe or a file
		return t, nil
	}
	now := *before
	now.Lflag &^= unix.ICANON | unix.ECHO // ISIG stays: Ctrl-C is a signal
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(int(f.Fd()), setState, &now); err != nil {
		return nil, errors.Join(fmt.Errorf("reading keys: %w", err), t.close())
	}
	t.before = before
	return t, nil
}

func (t *terminal) atOnce() bool { return t.before != nil }

// wait returns when there is something to read, or ctx has ended.
func (t *terminal) wait(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _, _ = t.wakeUp.Write([]byte{0}) }) // closed = nobody waits
	defer stop()
	fds := []unix.PollFd{{Fd: int32(t.file.Fd()), Events: unix.POLLIN}, {Fd: int32(t.woken.Fd()), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, -1)
		switch {
		case errors.Is(err, unix.EINTR):
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		case err != nil:
			return fmt.Errorf("reading keys: %w", err)
		case fds[1].Revents != 0:
			return context.Cause(ctx)
		default:
			return nil
		}
	}
}

func (t *terminal) close() error {
	var err error
	if t.before != nil {
		err = unix.IoctlSetTermios(int(t.file.Fd()), setState, t.before)
		t.before = nil
	}
	return errors.Join(err, t.wakeUp.Close(), t.woken.Close())
}
