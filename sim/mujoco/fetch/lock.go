package fetch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/rein-robotics/rein/internal/filelock"
)

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
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for said := false; ; {
		unlock, err := filelock.Try(filepath.Join(s.Dir, "lock"))
		if !errors.Is(err, filelock.ErrHeld) {
			return unlock, err
		}
		if !said {
			said = true
			s.say("waiting for another process that is preparing the physics engine")
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
