package run

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
)

// onLooked takes an observation to whom it was for.
func (s *State) onLooked(m Moment, e Looked) {
	p, ok := s.peeks[e.ID]
	delete(s.peeks, e.ID)
	switch {
	case !ok:
		s.late("observation", e.ID)
	case p.of != nil:
		s.onPatch(m, p.of, e)
	case p.turn:
		s.onTurnLook(m, e)
	default:
		s.onObserved(m, p.call, e)
	}
}

// onTurnLook asks the planner with the first view of a turn.
func (s *State) onTurnLook(m Moment, e Looked) {
	if s.turn == nil {
		s.late("observation", e.ID)
		return
	}
	if e.Err != nil {
		s.news.notices = append(s.news.notices, "there is no fresh image: "+e.Err.Error())
	}
	if s.repeats.sames >= badEndsMost {
		s.turn.stuck = s.repeats.words()
		s.stuck(m)
		return
	}
	later := s.apart()
	wakes := append(s.turn.wakes, s.news.wakes...)
	if s.news.why != "" {
		s.turn.why = s.news.why
	}
	rep := s.report(wakes)
	s.news = later
	rep.Task, rep.Why = s.task, s.turn.why
	if !s.talk.opened {
		s.talk.opened, rep.Earlier = true, s.talk.earlier
	}
	rep.Running, rep.Jobs = s.running(m), s.runningJobs(m)
	rep.Readings = s.readings(e.Readings)
	rep.Budget = s.budgetLeft()
	images := s.keep(m, e, &rep.Images)
	s.ask(m, wakes, rep, images)
}

// onObserved answers an observe call.
func (s *State) onObserved(m Moment, c call, e Looked) {
	if s.turn == nil {
		s.late("observation", e.ID)
		return
	}
	if e.Err != nil {
		s.closeCall(c.id, refusal("cannot_start", "there is no fresh image: "+e.Err.Error(), ""), nil)
		s.settle(m)
		return
	}
	ans := view.Observed{Readings: s.readings(e.Readings)}
	images := s.keep(m, e, &ans.Images)
	s.showed(ans.Images)
	if len(ans.Images) > 0 {
		ans.Observation, _, _ = strings.Cut(ans.Images[0].ID, ".")
	}
	var v any = ans
	if s.askAnswer(c, v, images) {
		return
	}
	s.closeCall(c.id, v, images)
	s.settle(m)
}

// keep remembers the pictures of an observation and describes them.
func (s *State) keep(m Moment, e Looked, infos *[]view.Image) []model.ImageBlock {
	var blocks []model.ImageBlock
	for _, sh := range e.Shots {
		s.looks.Add(sh.Look, s.set.Points.MaxAge)
		if s.boss != nil { // a point that a sub-agent names can be used
			s.boss.looks.Add(sh.Look, s.set.Points.MaxAge)
		}
		f := sh.Look.Frame
		*infos = append(*infos, view.Image{
			ID: sh.Look.ID, Camera: f.Camera, Fixed: f.Mount == robot.MountFixed, AgeS: (m.At - f.At).Seconds(), AtS: f.At.Seconds(),
			Width: sh.Look.Width, Height: sh.Look.Height, Mapping: sh.Look.Mapping, Lens: f.Intrinsics, Pose: f.Pose, NotLive: sh.Look.NotLive,
		})
		blocks = append(blocks, sh.Sent)
		s.talk.newest[f.Camera] = pictured{info: (*infos)[len(*infos)-1], sent: sh.Sent}
	}
	return blocks
}

// report is the news, told once.
func (s *State) report(wakes []view.Wake) view.Report {
	notices := append(s.news.notices, s.pool.Notices()...)
	if s.repeats.sames >= badEndsTold {
		notices = append(notices, s.repeats.words()+". Another approach is due.")
	}
	for _, name := range s.set.skillNames() {
		if n := s.repeats.failures[name]; s.set.RetriesPerStep > 0 && n >= s.set.RetriesPerStep {
			notices = append(notices, fmt.Sprintf("%s failed %d times in a row: change the approach.", name, n))
		}
	}
	rep := view.Report{
		Woke: wakes, Messages: s.news.messages, Happened: s.news.happened, Plan: planView(s.plan), Notices: notices, Why: s.news.why,
	}
	s.news = news{}
	return rep
}

func (s *State) running(m Moment) []view.Running {
	var out []view.Running
	for _, a := range s.acts.All() {
		r := view.Running{Action: a.ID, Tool: a.Tool, Args: a.Args, Step: a.Step, ElapsedS: (m.At - a.Began).Seconds(), Phase: string(a.Phase), Answers: s.answersOn(m, a.ID)}
		if m.World != nil {
			for _, w := range m.World.Running {
				if w.Action == a.ID {
					r.Doing = w.Doing
				}
			}
		}
		out = append(out, r)
	}
	return out
}

func (s *State) readings(r *robot.Readings) []view.Reading {
	if r == nil {
		return nil
	}
	return view.ReadingsOf(s.set.Body, r, s.set.StateFields)
}

func (s *State) budgetLeft() *view.Budget {
	l, p := s.pool.Limits, s.pool
	return &view.Budget{
		Turns: left(l.Turns, p.Turns), Minutes: left(l.Active.Minutes(), p.Active.Minutes()), Motions: left(l.Motions, p.Motions),
		Tokens: left(l.Tokens, p.Tokens), CostUSD: left(l.CostUSD, p.CostUSD),
	}
}

// left of a limit, never below zero; nil = there is no limit.
func left[T int | float64](limit, spent T) *T {
	if limit <= 0 {
		return nil
	}
	rest := max(limit-spent, 0)
	return &rest
}

// TurnRecord is what the log keeps of one planner call.
type TurnRecord struct {
	Request model.Request // the whole request as sent
	Reply   []model.Part
	Err     string
	Thread  string              // "" = the planner's own
	Event   episode.PlannerTurn // Turn is filled in by whoever writes the file
}

func (s *State) record(r *round, e Replied) TurnRecord {
	trigger := make([]string, len(r.trigger))
	for i, w := range r.trigger {
		trigger[i] = string(w)
	}
	cut := ""
	switch {
	case e.Err != nil:
		cut = e.Err.Error()
	case r.end == model.StopMaxTokens:
		cut = "the reply was cut off at the limit of tokens"
	case r.end == "":
		cut = "the reply was cut off"
	}
	return TurnRecord{Thread: s.thread, Request: r.request, Reply: r.parts, Err: cut, Event: episode.PlannerTurn{
		Tag: s.Tag(), Trigger: trigger, LatencyS: e.Latency.Round(time.Microsecond).Seconds(), Usage: r.usage, Text: r.text(), Tools: r.calls,
	}}
}

// looksLikeCall finds a tool call that was written as text.
var looksLikeCall = regexp.MustCompile(`(?s)\{\s*"(name|tool|function)"|<tool_call>|<function`)

// reminder is the notice after a reply without a call.
func (s *State) reminder(text string) string {
	if s.boss != nil {
		return "Answer the task in words, or call a tool."
	}
	return reminder(text, s.set.toolNames())
}

func reminder(text string, tools []string) string {
	if looksLikeCall.MatchString(text) {
		return "Your text looked like a tool call. Nothing written as text is carried out: call a tool, ask_user or finish_task."
	}
	for _, t := range tools {
		if strings.Contains(text, t+"(") {
			return "Your text looked like a call of " + t + ". Nothing written as text is carried out: call a tool, ask_user or finish_task."
		}
	}
	return "Nothing is running. Call a tool, ask_user or finish_task."
}
