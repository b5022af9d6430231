package app

import (
	"fmt"
	"strings"

	"github.com/rein-robotics/rein/episode"
)

// progressLine is what a person reads of an event, "" when it says nothing to them.
func progressLine(e episode.Entry) string {
	text := eventLine(e.Event)
	if text == "" {
		return ""
	}
	if e.Simulated {
		return fmt.Sprintf("%6.1f s  %s", e.Sim.Seconds(), text)
	}
	return text
}

func eventLine(e episode.Event) string {
	switch e := e.(type) {
	case episode.RunStarted:
		return "task: " + e.Task
	case episode.Decision:
		if e.Rationale != "" {
			return "planner: " + e.Rationale
		}
	case episode.PlanUpdated:
		return planLine(e)
	case episode.ActionStarted:
		return fmt.Sprintf("%s starts %s%s", e.Action, e.Tool, inStep(e.Step))
	case episode.ActionEnded:
		return fmt.Sprintf("%s %s after %.1f s%s", e.Action, e.Outcome, e.ElapsedS, because(e.Reason))
	case episode.Refused:
		return fmt.Sprintf("%s refused (%s): %s", e.Tool, e.Code, e.Message)
	case episode.TargetRejected:
		return fmt.Sprintf("%s refused: the point selects %.1f %% of the image", e.Tool, 100*e.TargetArea)
	case episode.AgentMessage:
		return "agent: " + e.Text
	case episode.RunPaused:
		return "paused: " + e.Reason
	case episode.Estop:
		return "EMERGENCY STOP by " + string(e.By)
	case episode.RunEnded:
		return fmt.Sprintf("run ended: %s", e.Summary)
	}
	return ""
}

func planLine(e episode.PlanUpdated) string {
	var steps []string
	for _, s := range e.Steps {
		if s.State == "todo" || s.State == "running" {
			steps = append(steps, s.Text)
		}
	}
	return "plan: " + strings.Join(steps, " → ")
}

func inStep(id string) string {
	if id == "" {
		return ""
	}
	return " (step " + id + ")"
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}
