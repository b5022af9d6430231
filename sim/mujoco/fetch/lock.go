package fetch

import (
	"context"
	"errors"
	"os"
	"time"
)

// errLocked says that another process holds the lock.
var errLocked = errors.New("locked")

// lockPoll is how often a waiting process looks again.
const lockPoll = 100 * time.Millisecond

// lock takes the lock file, waiting until ctx ends; the system gives it back when its owner dies. The returned function unlocks.
func lock(ctx context.Context, name string, say func(string)) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for said := false; ; {
		err := tryLock(f)
		if err == nil {
			return func() { f.Close() }, nil // closing unlocks
		}
		if !errors.Is(err, errLocked) {
			f.Close()
			return nil, err
		}
		if !said {
			said = true
			say("waiting for another process that is obtaining the physics engine")
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		}
	}
}
