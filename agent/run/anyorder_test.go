package run

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/vision"
)

// jumble is a desk whose effects are answered in any order and with any outcome, beside anything that can come from
// outside. It plays the control loop as far as the step can tell: what was started runs until it has ended.
type jumble struct {
	*desk
	rt      *rapid.T
	running map[string]bool // in the loop
	begun   map[string]int
	closing bool
	held    bool // by an input or an e-stop, and not resumed
}

var jumbledCalls = []string{
	`reach {}`, `squeeze {}`, `pick {"point":[30,20],"observation_id":"o1.cam"}`, `observe {}`, `fly {}`, `reach {"how":7}`,
	`update_plan {"steps":[{"text":"one","tool":"reach"},{"text":"two","tool":"squeeze"}]}`, `stop_action {"action_id":"a1","reason":"x"}`,
	`ask_user {"question":"which?"}`, `finish_task {"success":true,"summary":"done"}`,
}

// outside lets something happen that nobody has asked for.
func (j *jumble) outside() {
	gen := j.s.generation + 1
	switch rapid.SampledFrom([]string{"message", "takeover", "estop", "clear", "fault", "end", "rest", "glance", "cancel"}).Draw(j.rt, "outside") {
	case "message":
		j.give(Message{Text: "go on"})
	case "takeover":
		j.held = true
		j.loopEnds(control.Stopped, control.CauseOperator, func() { j.news(control.OperatorTook{Input: "key w", Generation: gen}) })
	case "estop":
		j.latched, j.held = true, true
		j.loopEnds(control.Stopped, control.CauseSafety, func() { j.news(control.EStopped{By: "operator", Generation: gen}) })
	case "clear":
		j.latched = false
		j.news(control.EStopCleared{By: "operator", Generation: j.s.generation})
	case "fault":
		j.news(control.RobotFault{Err: errors.New("hot")})
	case "end":
		for a := range j.running {
			j.end(a, rapid.SampledFrom([]control.Outcome{control.Succeeded, control.Failed, control.TimedOut}).Draw(j.rt, "outcome"), control.CauseSkill)
			return
		}
	case "rest":
		j.news(control.NotAtRest{Modules: []string{"arm"}})
	case "glance":
		j.news(control.TimerFired{ID: glanceTimer})
	case "cancel":
		j.give(Canceled{By: "the user"})
	}
}

func (j *jumble) end(a string, o control.Outcome, c control.Cause) {
	delete(j.running, a)
	j.news(control.ActionEnded{Action: a, Tool: "reach", End: control.End{Outcome: o, Cause: c}})
}

// loopEnds tells the news first, and then that everything that ran has been stopped.
func (j *jumble) loopEnds(o control.Outcome, c control.Cause, news func()) {
	news()
	for _, a := range sorted(j.running) {
		j.end(a, o, c)
	}
}

func sorted(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// answerOne answers one effect that waits, whichever.
func (j *jumble) answerOne() {
	i := rapid.IntRange(0, len(j.pending)-1).Draw(j.rt, "which")
	f := j.pending[i]
	well := rapid.IntRange(0, 9).Draw(j.rt, "well") > 1
	var err error
	if !well {
		err = errors.New("it went wrong")
	}
	if l, is := f.(Look); is && well && l.Number > 0 {
		j.pending = slices.Insert(slices.Delete(j.pending, i, i+1), 0, f)
		j.lookAround()
		return
	}
	j.pending = slices.Delete(j.pending, i, i+1)
	switch f := f.(type) {
	case Look:
		j.give(Looked{ID: f.ID, Err: errors.New("no picture")})
	case Prepare:
		j.give(Prepared{ID: f.ID, Err: err})
	case Seed:
		j.give(Seeded{ID: f.ID, Tracks: control.Tracks{"cam/target": vision.Track{Mask: square(27, 17, 6).Mask, Pixels: 36}}, Err: err})
	case Start:
		j.start(f, err)
	case Stop:
		j.stop(f)
	case Glance:
		j.give(Glanced{ID: f.ID, Found: []Blindness{{Camera: "cam", Why: map[bool]string{false: "frozen"}[well]}}})
	case Judge:
		j.give(Judged{ID: f.ID})
	case CallModel:
		j.talk(f)
	default:
		j.rt.Fatalf("effect %T is not known here", f)
	}
}

// start lets the loop judge a start: what was decided under an older generation, or under the latch, is refused.
func (j *jumble) start(f Start, err error) {
	switch {
	case err != nil:
	case f.What.Generation != j.s.generation:
		err = &control.Refused{Code: control.CodeStaleGeneration}
	case j.latched:
		err = &control.Refused{Code: control.CodeEStopped}
	default:
		j.running[f.What.Action] = true
		j.begun[f.What.Action]++
	}
	j.give(Started{ID: f.ID, Err: err})
}

func (j *jumble) stop(f Stop) {
	if !j.running[f.Action] {
		j.give(Stopped{ID: f.ID, Err: &control.Refused{Code: "unknown_action"}})
		return
	}
	delete(j.running, f.Action)
	j.give(Stopped{ID: f.ID, Ended: control.Ended{Action: f.Action, Tool: "reach", End: f.End, Stop: control.Stop{Outcome: control.Still}}})
}

// talk is a reply, whole or cut, with things from outside between its parts.
func (j *jumble) talk(c CallModel) {
	n := rapid.IntRange(0, 3).Draw(j.rt, "calls")
	for range n {
		name, args, _ := cutCall(rapid.SampledFrom(jumbledCalls).Draw(j.rt, "call"))
		j.give(Part{ID: c.ID, What: asks(name, args)})
		if rapid.IntRange(0, 3).Draw(j.rt, "meanwhile") == 0 && !j.closing {
			j.outside()
		}
	}
	switch rapid.IntRange(0, 5).Draw(j.rt, "ends") {
	case 0:
		j.give(Replied{ID: c.ID, Err: errors.New("the stream died")})
	case 1:
		j.give(Replied{ID: c.ID})
	default:
		j.give(Part{ID: c.ID, What: model.End{Reason: rapid.SampledFrom([]model.StopReason{model.StopEndTurn, model.StopMaxTokens, model.StopRefusal}).Draw(j.rt, "reason")}})
		j.give(Replied{ID: c.ID})
	}
}

func cutCall(s string) (name, args string, ok bool) {
	for i := range s {
		if s[i] == ' ' {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

// TestAnyOrderOfAnswers: whatever the order in which effects are answered, and whatever comes from outside: no action
// begins twice or ends twice, no command of an older generation or under the latch is taken, nothing of the agent's starts
// after an input until a message, every call is closed once, and a cancelled run ends.
func TestAnyOrderOfAnswers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		j := &jumble{desk: newDesk(t, func(s *Settings) { s.MaxImages = rapid.IntRange(1, 4).Draw(rt, "images") }), rt: rt, running: map[string]bool{}, begun: map[string]int{}}
		j.give(Message{Text: "do it"})
		for range rapid.IntRange(1, 60).Draw(rt, "length") {
			if j.result != nil {
				break
			}
			before := len(j.begun)
			j.held = j.held && j.s.phase == paused
			held := j.held
			if len(j.pending) == 0 || rapid.IntRange(0, 3).Draw(rt, "outside") == 0 {
				j.outside()
			} else {
				j.answerOne()
			}
			if held && len(j.begun) > before {
				rt.Fatal("something of the agent's began after an input, before a message")
			}
		}
		j.windUp(rt)
	})
}

// windUp cancels the run and answers everything.
func (j *jumble) windUp(rt *rapid.T) {
	j.closing = true
	j.give(Canceled{By: "the test"})
	for n := 0; j.result == nil && len(j.pending) > 0; n++ {
		if n > 500 {
			rt.Fatalf("the run does not end: %s", j.kinds())
		}
		j.answerOne()
	}
	if j.result == nil {
		rt.Fatalf("no result in phase %s", j.s.phase)
	}
	if open := j.s.book.OpenCalls(); len(open) > 0 {
		rt.Fatalf("calls %v are open", open)
	}
	if len(j.running) > 0 {
		rt.Fatalf("%v still run", sorted(j.running))
	}
	began, ended := map[string]int{}, map[string]int{}
	for _, e := range j.logged {
		if x, is := e.(episode.ActionEnded); is {
			ended[x.Action]++
		}
	}
	maps.Copy(began, j.begun)
	if fmt.Sprint(began) != fmt.Sprint(ended) {
		rt.Fatalf("begun %v, ended %v", began, ended)
	}
}
