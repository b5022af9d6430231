package app

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/internal/terminal"
	"github.com/rein-robotics/rein/monitor/question"
)

// narrator is what a person reads of a run while it goes on. The zero narrator has read nothing.
type narrator struct {
	thought string // the planner's last: one reply has it with each of its calls
	monitor string // the component of the monitor's faults, "" when there is none
	silent  []silence
}

// silence is looks of the monitor at an action that were not answered for the same cause.
type silence struct {
	action, cause string
	looks         int
}

// hear gives the lines of an event, none when it says nothing to a person.
func (n *narrator) hear(e episode.Entry) []string {
	texts := n.texts(e.Event)
	for i := range texts {
		texts[i] = timed(e, texts[i])
	}
	if _, is := e.Event.(episode.Decision); is && len(texts) > 0 {
		if texts[0] == n.thought {
			return nil
		}
		n.thought = texts[0]
	}
	return texts
}

func (n *narrator) texts(e episode.Event) []string {
	switch ev := e.(type) {
	case episode.Decision:
		if ev.Rationale == "" {
			return nil
		}
		return []string{terminal.Line("planner: " + ev.Rationale)}
	case episode.RunStarted:
		if m := ev.Models["monitor"]; m != "" {
			n.monitor = episode.MonitorOf(m)
		}
	case episode.MonitorAnswer:
		return n.unanswered(ev)
	case episode.MonitorRule:
		if question.Do(ev.Do).Ends() { // the action's end tells it
			return nil
		}
	case episode.ActionEnded:
		return append(n.ended(ev.Action), episode.Describe(ev))
	case episode.ProviderError:
		if n.monitor != "" && ev.Component == n.monitor { // the look without an answer tells it
			return nil
		}
	case episode.PlanUpdated, episode.ActionStarted, episode.Refused, episode.TargetRejected, episode.ControllerCheck,
		episode.AgentMessage, episode.RunPaused, episode.RunResumed, episode.OperatorTakeover, episode.Estop, episode.EstopCleared:
	default:
		return nil
	}
	return []string{episode.Describe(e)}
}

// unanswered tells of a look without any answer, once for each cause and action.
func (n *narrator) unanswered(e episode.MonitorAnswer) []string {
	why := ""
	for _, name := range slices.Sorted(maps.Keys(e.Answers)) {
		switch a := e.Answers[name]; question.Missing(a.Missing) {
		case "", question.Unknown: // what it never answers is told at the end
			return nil
		default:
			why = a.Why
		}
	}
	if why == "" {
		return nil
	}
	cause, _, _ := strings.Cut(why, ": ") // what a server says besides may have a number of its own each time
	for i := range n.silent {
		if s := &n.silent[i]; s.action == e.Action && s.cause == cause {
			s.looks++
			return nil
		}
	}
	n.silent = append(n.silent, silence{action: e.Action, cause: cause, looks: 1})
	return []string{terminal.Line(fmt.Sprintf("%s: %s; %s goes on unwatched", n.name(), why, e.Action))}
}

// ended counts the looks at an action that repeated what was told.
func (n *narrator) ended(action string) (lines []string) {
	n.silent = slices.DeleteFunc(n.silent, func(s silence) bool {
		if s.action == action && s.looks > 1 {
			lines = append(lines, terminal.Line(fmt.Sprintf("%s: %s, %d times on %s", n.name(), terminal.Cell(s.cause), s.looks, action)))
		}
		return s.action == action
	})
	return lines
}

func (n *narrator) name() string { return cmp.Or(n.monitor, "monitor") }

// monitorLine is what a person should know of a run's monitor at its end, "" when every look was answered.
func monitorLine(l run.Looks) string {
	none, words := 0, []string(nil)
	for _, why := range slices.Sorted(maps.Keys(l.Unanswered)) {
		none += l.Unanswered[why]
		words = append(words, fmt.Sprintf("%s %d", why, l.Unanswered[why]))
	}
	if none == 0 && l.Partly == 0 {
		return ""
	}
	line := fmt.Sprintf("monitor: %d of %d looks answered only in part", l.Partly, l.Asked)
	if none > 0 {
		if l.Partly > 0 {
			words = append(words, fmt.Sprintf("%d more in part", l.Partly))
		}
		line = fmt.Sprintf("monitor: %d of %d looks without an answer (%s)", none, l.Asked, strings.Join(words, ", "))
	}
	if l.Why != "" {
		line += ": " + l.Why // with its remedy
	}
	return terminal.Line(line)
}

// uncountedLine says that a budget of tokens or money limited nothing, since no server told what its model used; "" when one
// did, when there is no such budget, or when no model was asked.
func uncountedLine(a *config.Agent, o *Options, res Result) string {
	l := budgets(&a.Budgets, o)
	planned := a.Planner.Provider != config.ProviderRules && res.Turns > 0
	watched := a.Monitor != nil && a.Monitor.Provider != config.ProviderRules && res.Monitor.Asked > 0
	if l.Tokens == 0 && l.CostUSD == 0 || !planned && !watched || res.Usage.InputTokens+res.Usage.OutputTokens > 0 {
		return ""
	}
	return "usage: no server told of any tokens, so max_tokens and max_cost_usd limited nothing; max_turns and max_minutes did"
}

// voice is say without keys; nil stays nil.
func voice(say func(string), r *episode.Redactor) func(string) {
	if say == nil {
		return nil
	}
	return func(line string) { say(r.Text(line)) }
}

func timed(e episode.Entry, text string) string {
	if !e.Simulated {
		return text
	}
	return fmt.Sprintf("%5.1f s  %s", e.Sim.Seconds(), text)
}
