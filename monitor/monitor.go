// Package monitor watches running actions: on every tick it has pictures taken of an action and asks an assessor about
// them.
//
// Its one invariant: it ends and starts nothing. What the answers do is decided by the agent's step, with the rules of
// monitor/rule, so that an answer that comes late changes nothing.
package monitor

import (
	"context"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
)

// Assessor is whoever answers questions about pictures: a model, or a program. Its methods may be called from several
// goroutines.
type Assessor interface {
	// Name is "provider:model", for the log.
	Name() string
	// Assess answers the questions of a tick: one answer each, in their order; one that it cannot answer is given by
	// Question.No. An error says that the whole call failed; it is not asked again.
	Assess(ctx context.Context, t Tick) (run.Assessed, error)
}

// Tick is what an assessor is asked. It is immutable.
type Tick struct {
	Watched   run.Watched
	Elapsed   time.Duration // from the start of the action to the newest frame, robot clock
	Questions []question.Question
	Look      *Look
}

// Look is the pictures of one tick.
type Look struct {
	At       time.Duration // capture time of the newest frame, robot clock
	Behind   time.Duration // how much older than At the current frame of another camera is, at most
	Repeats  bool          // no frame of it is newer than the newest of the look before
	Pictures []Picture     // as a model is shown them, in this order, each behind its label
	Readings *robot.Readings
	Told     []view.Reading // of a recorded tick: the readings as they were shown; nil = those of Readings
	NotLive  string         // why a camera is not to be trusted; "" = all are
	Recorded []run.Recorded // the pictures in the log, in the order of Pictures

	// Tracks are for assessors that are programs: the newest results of the action's trackers, by "module/field", each with
	// the frame that it was found in.
	Tracks map[string]vision.Track
}

// Picture is one picture as a model is shown it.
type Picture struct {
	Label string // "right_wrist_camera, previous, 1.6 s ago"
	Image model.ImageBlock
}

// Sight takes the pictures of one action. One goroutine at a time calls it.
type Sight interface {
	// Look takes a picture of each camera, and gives it with those that were kept. Number 0 is taken when the action
	// starts: it is kept, and is the reference of those that follow.
	Look(ctx context.Context, number int) (*Look, error)
}

// Sights makes the sight of an action that has started. It must not block.
type Sights func(w run.Watched) Sight

// Settings is how actions are watched.
type Settings struct {
	Instant  bool // the assessor is a program that takes no time worth counting
	Compares bool // a look is judged beside the one before it: history above 1
}

// Monitor watches actions. It implements agent.Watcher.
type Monitor struct {
	settings Settings
	sights   Sights
	assessor Assessor
}

// New makes a monitor that looks through sights and asks the assessor.
func New(s Settings, sights Sights, a Assessor) *Monitor {
	return &Monitor{settings: s, sights: sights, assessor: a}
}

// Instant says that the assessor takes no time.
func (m *Monitor) Instant() bool { return m.settings.Instant }

// Name is the assessor's.
func (m *Monitor) Name() string { return m.assessor.Name() }

// Watch begins to watch an action.
func (m *Monitor) Watch(w run.Watched) agent.Watch {
	return &watch{settings: m.settings, of: w, sight: m.sights(w), assessor: m.assessor}
}

// watch is the watching of one action.
type watch struct {
	settings Settings
	of       run.Watched
	sight    Sight
	assessor Assessor
	seen     bool // a look has been taken: the next one has something to be compared with
}

// Look takes the pictures of a tick.
func (w *watch) Look(ctx context.Context, number int) (*run.Sighting, error) {
	l, err := w.sight.Look(ctx, number)
	if err != nil {
		return nil, err
	}
	kept := w.settings.Compares && !w.seen || l.Repeats
	w.seen = true
	return &run.Sighting{At: l.At, Behind: l.Behind, Images: l.Recorded, Readings: l.Readings, NotLive: l.NotLive, Kept: kept, Shown: l}, nil
}

// Ask asks the assessor, and sees to it that every question has its one answer.
func (w *watch) Ask(ctx context.Context, s *run.Sighting, questions []question.Question) (run.Assessed, error) {
	got, err := w.assessor.Assess(ctx, Tick{
		Watched: w.of, Elapsed: s.At - w.of.Started, Questions: questions, Look: s.Shown.(*Look),
	})
	if err != nil {
		return run.Assessed{Usage: got.Usage}, err
	}
	got.Answers = inOrder(questions, got.Answers)
	return got, nil
}

// inOrder gives each question the one answer that names it; without exactly one, the answer is missing.
func inOrder(questions []question.Question, answers []question.Answer) []question.Answer {
	out := make([]question.Answer, len(questions))
	for i, q := range questions {
		out[i] = q.No(question.Invalid, "it was not answered")
		found := 0
		for _, a := range answers {
			if a.Question != q.Name {
				continue
			}
			out[i] = a
			found++
		}
		if found > 1 {
			out[i] = q.No(question.Invalid, "it was answered more than once")
		}
	}
	return out
}
