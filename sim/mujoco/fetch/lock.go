package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// errLocked says that another process holds the lock.
var errLocked = errors.New("locked")

// lockPoll is how often a waiting process looks again.
const lockPoll = 100 * time.Millisecond

// Lock takes the lock of the cache folder, which processes hold while they obtain or compile the engine. It waits until ctx ends; the system gives
// the lock back when its owner dies. The returned function unlocks.
func (s Source) Lock(ctx context.Context) (unlock func(), err error) {
	unlock, err = s.lock(ctx)
	if err != nil {
		return nil, fmt.Errorf("locking the engine's cache folder: %w", err)
	}
	return unlock, nil
}

func (s Source) lock(ctx context.Context) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(s.Dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
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
			s.say("waiting for another process that is preparing the physics engine")
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		}
	}
}
