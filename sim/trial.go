package sim

import (
	"math"
	"time"

	"github.com/rein-robotics/rein/geom"
)

// How a run is judged after its end.
const (
	judgeFor   = 2 * time.Second        // the world runs on for up to this
	judgeHold  = 500 * time.Millisecond // and the check must hold through the last of it
	stillSpeed = 0.01                   // m/s; rad/s are counted at 5 cm
)

// Trial is one attempt at a task: what the world was when it began, and the check. It belongs to the goroutine of its world.
type Trial struct {
	w       *World
	task    *Task
	check   checker
	named   []bool     // by thing: the check is about it
	touchy  []bool     // by thing: no gripper may touch it
	start   []geom.Vec // centres when the trial began, by thing
	pressed []uint64

	judging bool
	ran     time.Duration // since judging began
	held    time.Duration // how long the check has held by now
	decided bool
	verdict bool
}

// Begin starts a trial of a task of the world's scene. Call it when things have settled, before the run.
func (w *World) Begin(task *Task) *Trial {
	t := &Trial{
		w: w, task: task, check: bindCheck(&task.Success, w.scene.Objects),
		named: make([]bool, len(w.m.things)), touchy: make([]bool, len(w.m.things)), start: make([]geom.Vec, len(w.m.things)), pressed: append([]uint64(nil), w.presses...),
	}
	concerned := map[int]bool{}
	t.check.concerned(concerned)
	for i := range w.m.things {
		t.touchy[i], t.named[i] = concerned[i]
		t.start[i] = t.centre(i)
	}
	return t
}

// Task is what is tried.
func (t *Trial) Task() *Task { return t.task }

// Met says whether the check holds at this instant and no gripper touches what it concerns.
func (t *Trial) Met() bool { return t.check.met(t) && !t.touched() }

// Judge is called after every tick once the run has ended and the arms are still, until done. passed is then the verdict:
// whether the check held through the last half second. It decides early when all that it concerns has come to rest.
func (t *Trial) Judge() (passed, done bool) {
	if t.decided {
		return t.verdict, true
	}
	if !t.judging {
		t.judging, t.ran, t.held = true, 0, 0
	}
	t.ran += t.w.period
	if t.Met() {
		t.held += t.w.period
	} else {
		t.held = 0
	}
	passed = t.held >= judgeHold
	if t.ran >= judgeFor || t.ran >= judgeHold && t.resting() {
		t.decided, t.verdict = true, passed
	}
	return passed, t.decided
}

// centre is the middle of a thing in the world.
func (t *Trial) centre(thing int) geom.Vec { return t.w.place()[t.w.m.things[thing].root].Pos }

// touched says whether a gripper touches a thing that the check concerns.
func (t *Trial) touched() bool {
	w := t.w
	return w.touch.between(
		func(b int) bool { return b < len(w.m.bodies) && w.m.bodies[b].gripper > 0 },
		func(b int) bool { return b < len(w.owner) && w.owner[b] >= 0 && t.touchy[w.owner[b]] })
}

// resting says whether every thing that the check concerns has come to rest.
func (t *Trial) resting() bool {
	for i := range t.w.m.things {
		if t.named[i] && !t.w.resting(&t.w.m.things[i]) {
			return false
		}
	}
	return true
}

// resting says whether a thing and its moving part are at rest.
func (w *World) resting(t *thing) bool {
	v := w.sim.QVel()
	if at := w.qvel[t.root]; at >= 0 {
		linear := math.Hypot(math.Hypot(v[at], v[at+1]), v[at+2])
		angular := math.Hypot(math.Hypot(v[at+3], v[at+4]), v[at+5])
		if linear > stillSpeed || 0.05*angular > stillSpeed {
			return false
		}
	}
	if at := w.qvel[t.moving]; t.moving != t.root && at >= 0 {
		return math.Abs(v[at]) <= stillSpeed
	}
	return true
}
