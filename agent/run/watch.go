package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rein-robotics/rein/agent/action"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/monitor/rule"
)

// MonitorRules is how the monitor is asked and what its answers may do.
type MonitorRules struct {
	Every      time.Duration // between two ticks of an action, robot clock; a tick waits for the one before
	KeepsFirst bool          // a look is taken when the action starts, to be compared with, and is not judged
	MaxAge     time.Duration // an answer on an older frame may inform but not end an action, robot clock; 0 = no limit
	Rearm      rule.Rearm    // whether a rule that has fired may fire again
}

// monitoring is what the step knows of a watched action.
type monitoring struct {
	questions []question.Question
	rules     *rule.Engine
	of        Watched
	number    int           // of the last tick
	due       time.Duration // robot clock, of the tick that is asked for or under way
	asking    EffectID      // the tick under way; 0 = none
	said      map[string]saying
	answered  bool // some look of it had an answer
	over      bool // nothing is asked any more: the action is being stopped
}

// saying is the newest answer to a question.
type saying struct {
	answer question.Answer
	at     time.Duration // capture time of the oldest of its current frames, robot clock
}

// ruling is an end of an action that a rule or a check has asked for.
type ruling struct {
	end  control.End
	then string // the tool to start once the action has stopped; "" = none
}

// monitorTimer is the name of the timer of an action's next tick.
const monitorTimer = "monitor "

// askFor reads the questions of a call: those of its tool, and the conditions that the call adds.
func (s *State) askFor(b *begin) error {
	if s.set.Monitor == nil {
		return nil
	}
	var in struct {
		WatchFor []question.WatchFor `json:"watch_for"`
	}
	if err := json.Unmarshal(b.args, &in); err != nil { // they have passed the schema
		return err
	}
	var err error
	b.asks, err = question.Watch(b.spec.questions, in.WatchFor)
	return err
}

// ownArgs are the arguments of a call as its skill gets them: without what is meant for the monitor.
func ownArgs(args json.RawMessage) json.RawMessage {
	if !strings.Contains(string(args), watchForParam) {
		return args
	}
	var o map[string]json.RawMessage
	if err := json.Unmarshal(args, &o); err != nil || o[watchForParam] == nil {
		return args
	}
	delete(o, watchForParam)
	own, err := json.Marshal(o)
	if err != nil {
		return args
	}
	return own
}

// watchOver begins to watch an action that has just started.
func (s *State) watchOver(m Moment, b *begin) {
	if s.set.Monitor == nil || len(b.asks) == 0 {
		return
	}
	w := &monitoring{
		questions: b.asks, rules: rule.New(b.asks, s.set.Monitor.Rearm), due: m.At, said: map[string]saying{},
		of: Watched{Action: b.action, Tool: b.name, Description: b.spec.Spec.Description, Args: b.args, Points: b.found.Points, Started: m.At},
	}
	if f := b.spec.Services; f != nil {
		for _, sv := range f(s.skillCall(m, b)) {
			w.of.Fields = append(w.of.Fields, sv.Name())
		}
	}
	s.watches[b.action] = w
	if s.set.Monitor.KeepsFirst {
		s.lookNow(w, 0, s.id())
		return
	}
	s.nextTick(m, w)
}

func (s *State) lookNow(w *monitoring, number int, id EffectID) {
	w.number, w.asking = number, id
	s.do(MonitorTick{ID: id, Number: number, Of: w.of, Questions: w.questions})
}

// nextTick asks for the tick after this one: a period later, or at once when the one before took longer than that.
func (s *State) nextTick(m Moment, w *monitoring) {
	w.due = max(w.due+s.set.Monitor.Every, m.At)
	s.do(SetTimer{Name: monitorTimer + w.of.Action, At: w.due})
}

// onMonitorTimer begins a tick, unless its action does not run any more.
func (s *State) onMonitorTimer(m Moment, timer string) {
	id, mine := strings.CutPrefix(timer, monitorTimer)
	w := s.watches[id]
	if a, ok := s.acts.Get(id); !mine || !ok || w == nil || w.over || w.asking != 0 || a.Phase != action.Running || s.Over() {
		return
	}
	if m.At < w.due { // of a timer that was replaced
		return
	}
	if id := s.id(); s.afford(m, id) {
		s.lookNow(w, w.number+1, id)
	}
}

// watchEnds ends the watching of an action that is being stopped. What is still under way for it comes late, and nobody
// waits for it.
func (s *State) watchEnds(id string) {
	if w := s.watches[id]; w != nil && !w.over {
		s.givenUp(w)
		w.over, w.asking = true, 0
		s.do(Unwatch{Action: id})
	}
}

// watchesEnd ends the watching of every action: all of them are being stopped.
func (s *State) watchesEnd() {
	for _, a := range s.acts.All() {
		s.watchEnds(a.ID)
	}
}

// onMonitored takes what a tick came to. Of an action that has ended, or is ending, it is late.
func (s *State) onMonitored(m Moment, e Monitored) {
	s.spend(e.Said.Usage)
	s.spentOn(e)
	defer s.affordable(m)
	s.monitorFault(e)
	w := s.watchOf(e.ID)
	if w == nil {
		s.lateLook(e.ID)
		return
	}
	w.asking = 0
	a, _ := s.acts.Get(w.of.Action)
	s.nextTick(m, w)
	if e.Err == nil && (w.number == 0 || e.Sighting.Kept || len(DueAt(w.questions, e.Sighting, w.of.Started)) == 0) {
		names, ages := recorded(m, e.Sighting)
		s.log(episode.MonitorFrame{Tag: s.Tag(), Action: a.ID, Images: names, AgesS: ages, Readings: s.readingsJSON(e.Sighting)})
		return
	}
	answers := s.valid(w, e)
	w.answered = s.watched.count(answers) || w.answered
	s.log(s.monitorAnswer(m, w, e, answers))
	if e.Sighting == nil {
		return
	}
	since := e.Sighting.At - w.of.Started
	old := s.set.Monitor.MaxAge > 0 && m.At-e.Sighting.Oldest() > s.set.Monitor.MaxAge
	firings, taken := w.rules.Tick(rule.Tick{At: since, Old: old, Answers: answers})
	if !taken {
		s.late(w.name(), e.ID)
		return
	}
	for _, x := range answers {
		if x.Missing == "" {
			w.said[x.Question] = saying{answer: x, at: e.Sighting.Oldest()}
		}
	}
	for _, f := range firings {
		s.fire(m, a, f)
	}
}

// watchOf is the watching whose tick is under way under this id.
func (s *State) watchOf(id EffectID) *monitoring {
	for _, w := range s.watches {
		if w.asking == id {
			return w
		}
	}
	return nil
}

// valid gives one answer to each question that was asked; without a picture, a call or a camera to trust they are missing.
func (s *State) valid(w *monitoring, e Monitored) []question.Answer {
	why, missing := "", question.Missing("")
	switch {
	case e.Err != nil:
		missing, why = missingFor(e.Err), whyMissing(e.Err)
	case e.Sighting.NotLive != "":
		missing, why = question.NotLive, e.Sighting.NotLive
	case len(s.blind) > 0:
		cam := slices.Min(slices.Collect(maps.Keys(s.blind)))
		missing, why = question.NotLive, cam+" is not trusted: "+s.blind[cam]
	default:
		return e.Said.Answers
	}
	var out []question.Answer
	for _, q := range DueAt(w.questions, e.Sighting, w.of.Started) {
		out = append(out, q.No(missing, why))
	}
	return out
}

// DueAt are the questions that are asked about a sighting of an action that started at the given robot time: all of them
// when there is no sighting (nil).
func DueAt(list []question.Question, sighting *Sighting, started time.Duration) (out []question.Question) {
	for _, q := range list {
		if sighting == nil || sighting.At-started >= q.AskFrom {
			out = append(out, q)
		}
	}
	return out
}

// monitorAnswer is a tick as the log keeps it.
func (s *State) monitorAnswer(m Moment, w *monitoring, e Monitored, answers []question.Answer) episode.MonitorAnswer {
	out := episode.MonitorAnswer{
		Tag: s.Tag(), Action: w.of.Action, Tick: w.number, Answers: map[string]episode.Answer{}, LatencyS: e.Latency.Round(time.Microsecond).Seconds(),
		Readings: json.RawMessage("[]"), Usage: e.Said.Usage,
	}
	for _, a := range answers {
		out.Answers[a.Question] = episode.Answer{Value: a.ValueJSON(), P: a.P, Confidence: a.Confidence, Missing: string(a.Missing), Why: a.Why}
	}
	if l := e.Sighting; l != nil {
		out.AgeS = (m.At - l.At).Seconds()
		out.Images, out.AgesS = recorded(m, l)
		out.Readings = s.readingsJSON(l)
	}
	return out
}

// recorded are the names of a sighting's pictures, and how old each is.
func recorded(m Moment, l *Sighting) (names []string, agesS []float64) {
	for _, p := range l.Images {
		names, agesS = append(names, p.Name), append(agesS, (m.At-p.At).Seconds())
	}
	return names, agesS
}

func (s *State) readingsJSON(l *Sighting) json.RawMessage {
	list := s.readings(l.Readings)
	if list == nil {
		list = []view.Reading{}
	}
	raw, err := json.Marshal(list)
	if err != nil { // numbers and names
		panic("run: " + err.Error())
	}
	return raw
}

// fire does what a rule says.
func (s *State) fire(m Moment, a action.Action, f rule.Firing) {
	s.log(episode.MonitorRule{
		Tag: s.Tag(), Action: a.ID, Question: f.Question.Name, Do: string(f.Rule.Do), Value: f.Rule.ValueJSON(f.Question),
		Then: f.Rule.Then, Consecutive: f.Ticks,
	})
	s.judgeAction(m, a, verdictOn{
		do: f.Rule.Do, cause: control.CauseMonitor, wake: view.WakeFlag, reason: firingWords(f), then: f.Rule.Then,
	})
}

func firingWords(f rule.Firing) string {
	ticks := ""
	if f.Ticks > 1 {
		ticks = fmt.Sprintf(", %d ticks in a row", f.Ticks)
	}
	what := fmt.Sprintf("%s is %s (p %.2f)%s", f.Question.Name, f.Answer.Value, f.Answer.P, ticks)
	if f.Question.FromPlanner {
		what += ": " + f.Question.Instructions
	}
	return what
}

// verdictOn is what a rule or a check says of a running action.
type verdictOn struct {
	do     question.Do
	cause  control.Cause
	wake   view.Wake
	reason string
	then   string
}

// judgeAction carries out a verdict: an escalation wakes, a failure wakes and ends the action, a finish only ends it.
func (s *State) judgeAction(m Moment, a action.Action, v verdictOn) {
	if v.do != question.Finish {
		s.tell(m, view.Happening{Kind: string(v.wake), Action: a.ID, Tool: a.Tool, Step: a.Step, Outcome: string(v.do), Reason: v.reason})
		s.news.modules = append(s.news.modules, a.Modules...)
		s.news.wake(v.wake, fmt.Sprintf("%s (%s): %s", a.ID, a.Tool, v.reason))
	}
	if !v.do.Ends() {
		return
	}
	end := control.End{Outcome: control.Succeeded, Cause: v.cause, Reason: v.reason}
	if v.do == question.Fail {
		end.Outcome = control.Failed
	}
	s.rulings[a.ID] = append(s.rulings[a.ID], ruling{end: end, then: v.then})
	s.halt(&halt{action: a.ID}, end)
}

// failedBefore says that the planner has been woken for the failure of the action already.
func failedBefore(rs []ruling) bool {
	return slices.ContainsFunc(rs, func(r ruling) bool { return r.end.Outcome == control.Failed })
}

// answersOn are the newest answers about an action, in the order of its questions.
func (s *State) answersOn(m Moment, id string) []view.Answer {
	w := s.watches[id]
	if w == nil {
		return nil
	}
	var out []view.Answer
	for _, q := range w.questions {
		if x, ok := w.said[q.Name]; ok {
			out = append(out, view.Answer{Question: q.Name, Value: x.answer.Value, P: x.answer.P, AgeS: (m.At - x.at).Seconds()})
		}
	}
	return out
}

// watchForParam is the parameter by which a call adds its own conditions.
const watchForParam = "watch_for"

// watchForSchema describes it to the planner.
func watchForSchema() map[string]any {
	return map[string]any{
		"type": "array", "maxItems": question.MaxWatchFor,
		"description": "conditions of yours that the monitor checks through the cameras from 6 s into the action on. Each one states a failure: it must be false as long as the action goes as it should. It never finishes the action.",
		"items": map[string]any{
			"type": "object", "additionalProperties": false, "required": []string{"question"},
			"properties": map[string]any{
				"name":     map[string]any{"type": "string", "description": "a short name: lower case letters, digits and _"},
				"question": map[string]any{"type": "string", "maxLength": question.MaxWatchWords, "description": "what a picture would show when it has gone wrong"},
				"do":       map[string]any{"enum": []string{"escalate", "fail"}, "description": "escalate (the default) wakes you and lets it run on, fail stops it as failed"},
			},
		},
	}
}

// Why a tick of the monitor has no answer.
var (
	ErrMonitorSlow = errors.New("the monitor gave no answer in time (waits.monitor_s)")
	ErrMonitorHung = errors.New("the monitor is still at a call that was given up")
	ErrUnwatched   = errors.New("the action has ended")
)

// missingFor says why the answers of a tick that went wrong are missing.
func missingFor(err error) question.Missing {
	if errors.Is(err, ErrMonitorSlow) || errors.Is(err, ErrMonitorHung) {
		return question.TimedOut
	}
	return question.Failed
}
