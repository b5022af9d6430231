package run

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

// failedTick lets a tick end in an error.
func (d *desk) failedTick(action string, asked bool, err error) {
	d.t.Helper()
	d.give(Monitored{ID: d.tick(action).ID, Asked: asked, Err: err})
}

// kindsOf are the events of a kind.
func kindsOf[E episode.Event](d *desk) (out []E) {
	for _, e := range d.logged {
		if e, ok := e.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

// What the looks of a run came to is counted: a look without any answer by why, and one that was answered in part.
func TestLooksAreCounted(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	d.says(d.tick(a), "progress=going:1 shown=0.2")
	d.says(d.tick(a), "progress=going:1 shown")
	if got, want := d.s.watched.Why, "shown: no"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	d.says(d.tick(a), "progress shown")
	d.failedTick(a, true, ErrMonitorSlow)
	d.failedTick(a, true, ErrMonitorSlow)
	d.give(Monitored{ID: d.tick(a).ID, Sighting: &Sighting{At: d.at, NotLive: "cam is black"}})
	d.tick(a) // its action ends before it is answered, but it has been watched
	d.news(control.ActionEnded{Action: a, Tool: "reach", End: control.End{Outcome: control.Succeeded, Cause: control.CauseSkill}})
	want := Looks{Asked: 6, Partly: 1, Unanswered: map[string]int{"refused": 1, "timeout": 2, "not_live": 1}, Why: "cam is black"}
	if diff := cmp.Diff(want, d.s.watched); diff != "" {
		t.Error(diff)
	}
}

// A look that is under way when its action ends counts as late where none before it was answered. When it comes, the log
// names action and tick.
func TestLateLooksAreNamed(t *testing.T) {
	d := watchedDesk(t)
	a := d.starts("reach", `{}`)
	d.failedTick(a, true, ErrMonitorSlow)
	k := d.tick(a)
	d.news(control.ActionEnded{Action: a, Tool: "reach", End: control.End{Outcome: control.Succeeded, Cause: control.CauseSkill}})
	d.says(k, "progress=there:1")
	if got, want := last[episode.Late](d).What, "monitor's answer on a1, tick 2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := d.s.watched; got.Asked != 2 || got.Unanswered[LookLate] != 1 || got.Unanswered["timeout"] != 1 {
		t.Errorf("got %+v", got)
	}
	if len(d.s.lost) != 0 {
		t.Errorf("%v are still waited for", d.s.lost)
	}
}

// The look when an action starts is not judged, and nobody misses an answer to it.
func TestFirstLookIsNotMissed(t *testing.T) {
	d := watchedDesk(t, func(s *Settings) { s.Monitor.KeepsFirst = true })
	a := d.starts("reach", `{}`)
	k := pop[MonitorTick](d)
	d.news(control.ActionEnded{Action: a, Tool: "reach", End: control.End{Outcome: control.Succeeded, Cause: control.CauseSkill}})
	d.give(Monitored{ID: k.ID, Err: ErrUnwatched})
	if got, want := last[episode.Late](d).What, "monitor's first look at a1"; got != want || d.s.watched.Asked != 0 {
		t.Errorf("got %q, want %q, and %+v", got, want, d.s.watched)
	}
}

// Each call of the monitor's model that failed or came to nothing in its time is one event. A camera that is slow is no
// fault of the model's, and neither is a call that was never made.
func TestMonitorFaultsAreLogged(t *testing.T) {
	d := watchedDesk(t, func(s *Settings) { s.Models = map[string]string{"planner": "openai:mine", "monitor": "openai:mine"} })
	a := d.starts("reach", `{}`)
	down := model.Classify(model.Fault{Status: 500, Msg: "boom"})
	d.failedTick(a, true, down)
	d.failedTick(a, true, ErrMonitorSlow)
	d.failedTick(a, false, ErrMonitorSlow)
	d.failedTick(a, false, ErrMonitorHung)
	d.failedTick(a, false, errors.New("no picture: the camera is gone"))
	var got []string
	for _, e := range kindsOf[episode.ProviderError](d) {
		got = append(got, e.Component+" "+e.Class)
	}
	if diff := cmp.Diff([]string{"monitor (openai:mine) server_fault", "monitor (openai:mine) timeout"}, got); diff != "" {
		t.Error(diff)
	}
}

// Advice that is meant for a planner's model is not said of the monitor's; what a person can set right is.
func TestMissingAnswersGiveNoWrongAdvice(t *testing.T) {
	for fault, want := range map[model.Fault]string{
		{Status: 500, Msg: "boom"}:                  "server fault (500): boom",
		{Status: 429, Msg: "slow"}:                  "rate limit (429): slow",
		{Status: 400, Msg: "what"}:                  "bad request (400): what",
		{Status: 401, Msg: "who", KeyEnv: "MY_KEY"}: "auth (401): who; check the key in MY_KEY",
	} {
		d := watchedDesk(t)
		d.failedTick(d.starts("reach", `{}`), true, model.Classify(fault))
		if got := last[episode.MonitorAnswer](d).Answers["progress"].Why; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
