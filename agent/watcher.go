package agent

import (
	"context"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/monitor/question"
)

// Watcher judges running actions through the cameras: the monitor. Its method may be called from several goroutines.
//
// A Watcher with a method Instant() bool that gives true takes no time worth counting, as a Reasoner with one does.
type Watcher interface {
	// Watch gives the watching of an action that has just started. It must not block.
	Watch(w run.Watched) Watch
}

// Watch is the watching of one action: it owns the pictures of the ticks before. One goroutine at a time calls it.
type Watch interface {
	// Look takes the pictures of a tick. Number 0 is the look that is only kept.
	Look(ctx context.Context, number int) (*run.Sighting, error)
	// Ask has a sighting judged. It gives one answer to each question, in their order; an error says that the whole call
	// went wrong.
	Ask(ctx context.Context, s *run.Sighting, questions []question.Question) (run.Assessed, error)
}
