package app

import (
	"fmt"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/internal/terminal"
)

// progressLine is what a person reads of an event while a run goes on, "" when it says nothing to them.
func progressLine(e episode.Entry) string {
	switch ev := e.Event.(type) {
	case episode.Decision:
		if ev.Rationale == "" {
			return ""
		}
		return timed(e, terminal.Line("planner: "+ev.Rationale))
	case episode.RunStarted, episode.PlanUpdated, episode.ActionStarted, episode.ActionEnded, episode.Refused, episode.TargetRejected,
		episode.AgentMessage, episode.RunPaused, episode.RunResumed, episode.OperatorTakeover, episode.Estop, episode.EstopCleared,
		episode.ProviderError:
		return timed(e, episode.Describe(ev))
	}
	return ""
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
