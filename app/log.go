package app

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/sim/mujoco"
)

// Version is this program's.
const Version = "0.1.0"

// openLog opens the recording, or a log that keeps nothing.
func openLog(o *Options, s *setup, now *simTime) (*episode.Log, error) {
	opt := episode.Options{
		Session: s.folder.Controller.Recording.Session, Clock: now.now, Redact: s.redact,
		Versions: map[string]string{"rein": Version, "go": runtime.Version(), "mujoco": mujocoVersion()},
	}
	if o.NoRecord || !s.folder.Controller.Recording.Controller {
		return episode.Off(opt), nil
	}
	return episode.Open(recordings(o.Record), opt)
}

// secrets are the keys of the models that a run uses, which nothing may hold that is written or shown. a has the flags
// applied.
func secrets(a *config.Agent) []string {
	if a == nil {
		return nil
	}
	endpoints := []*config.Endpoint{&a.Planner.Endpoint}
	if a.Monitor != nil {
		endpoints = append(endpoints, &a.Monitor.Endpoint)
	}
	var keys []string
	for _, e := range endpoints {
		if name := e.KeyEnv(); name != "" {
			keys = append(keys, strings.TrimSpace(os.Getenv(name)))
		}
		if u, err := url.Parse(e.BaseURL); err == nil && u.User != nil {
			password, _ := u.User.Password()
			keys = append(keys, password)
		}
	}
	return keys
}

// DefaultRecord is the root of the recordings when no other is named.
const DefaultRecord = "recordings"

func recordings(root string) string {
	if root == "" {
		return DefaultRecord
	}
	return root
}

// mujocoVersion is the physics engine's, as people write it.
func mujocoVersion() string {
	return fmt.Sprintf("%d.%d.%d", mujoco.Version/1_000_000, mujoco.Version/1000%1000, mujoco.Version%1000)
}

// simTime is the simulated clock once there is one.
type simTime struct {
	mu  sync.Mutex
	ask func() time.Duration // guarded by mu; nil = no clock yet
}

func (s *simTime) set(ask func() time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ask = ask
}

func (s *simTime) now() (time.Duration, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ask == nil {
		return 0, false
	}
	return s.ask(), true
}

// lastWords is how long the end of a run waits for whoever reads its progress.
const lastWords = 2 * time.Second

// narrate hands the progress of a run to whoever reads it, until ctx is done or the log is closed; the returned function
// waits for the last line, but not for a reader that does not read.
func narrate(ctx context.Context, l *episode.Log, say func(string)) (wait func()) {
	if say == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		n := narrator{}
		for e, err := range l.From(ctx, 0) {
			if err != nil {
				continue
			}
			for _, line := range n.hear(e) {
				say(line)
			}
		}
	}()
	return func() {
		defer cancel()
		late := time.NewTimer(lastWords)
		defer late.Stop()
		select {
		case <-done:
		case <-late.C:
		}
	}
}
