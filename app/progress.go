package app

import (
	"fmt"

	"github.com/rein-robotics/rein/episode"
)

// progressLine is what a person reads of an event while a run goes on, "" when it says nothing to them.
func progressLine(e episode.Entry) string {
	switch ev := e.Event.(type) {
	case episode.Decision:
		if ev.Rationale == "" {
			return ""
		}
		return timed(e, "planner: "+ev.Rationale)
	case episode.RunStarted, episode.PlanUpdated, episode.ActionStarted, episode.ActionEnded, episode.Refused, episode.TargetRejected,
		episode.AgentMessage, episode.RunPaused, episode.RunResumed, episode.OperatorTakeover, episode.Estop, episode.EstopCleared,
		episode.ProviderError:
		return timed(e, episode.Describe(ev))
	}
	return ""
}

func timed(e episode.Entry, text string) string {
	if !e.Simulated {
		return text
	}
	return fmt.Sprintf("%5.1f s  %s", e.Sim.Seconds(), text)
}
