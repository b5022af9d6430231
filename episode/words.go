package episode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rein-robotics/rein/internal/terminal"
)

// Describe says an event in one line for people, without its time. What models, servers and files wrote into it cannot
// forge lines, and is cut when it is long.
func Describe(e Event) string {
	if line := terminal.Line(describe(e)); line != "" {
		return line
	}
	return e.Kind()
}

func describe(e Event) string {
	switch e := e.(type) {
	case EpisodeStarted:
		return "episode begins: " + e.Task
	case EpisodeEnded:
		return "episode ends: " + e.Status
	case RunStarted:
		return fmt.Sprintf("run begins: %s (%s, %d tools)", e.Task, modelWords(e.Models), len(e.Tools))
	case RunContinued:
		return "run goes on from " + e.ContinuesFrom
	case RunPaused:
		return because(fmt.Sprintf("run paused by %s", e.By), e.Reason)
	case RunResumed:
		return because(fmt.Sprintf("run goes on, said %s", e.By), e.Reason)
	case RunEnded:
		return fmt.Sprintf("run ends: %s (claimed %s, checked %s). %s", e.Status, yesNo(e.Claimed), yesNo(e.Checked), e.Summary)
	case UserMessage:
		return "you: " + e.Text
	case AgentMessage:
		return "agent: " + e.Text
	case PlanUpdated:
		return "plan: " + planWords(e.Steps)
	case PlanStep:
		return fmt.Sprintf("step %s: %s %s (%s)", e.Step, e.Tool, compact(e.Args), e.Action)
	case Decision:
		return because(e.KindOf+" "+compact(e.Output), e.Rationale)
	}
	if s := describeAction(e); s != "" {
		return s
	}
	return describeRest(e)
}

func describeAction(e Event) string {
	switch e := e.(type) {
	case PlannerTurn:
		s := fmt.Sprintf("planner, woken by %s: %s", orNothing(e.Trigger), orNothing(e.Tools))
		return because(s, e.Text)
	case ActionStarted:
		return fmt.Sprintf("%s starts: %s %s", e.Action, e.Tool, compact(e.Args))
	case ActionEnded:
		s := fmt.Sprintf("%s ends: %s %s after %.1f s (%s)", e.Action, e.Tool, e.Outcome, e.ElapsedS, e.Cause)
		if e.SkillReason != "" && e.SkillReason != e.Reason {
			s = because(s, e.SkillReason)
		}
		return because(s, e.Reason)
	case Refused:
		return because(fmt.Sprintf("%s refused: %s", terminal.Cell(e.Tool), e.Code), e.Message)
	case TargetRejected:
		return fmt.Sprintf("%s refused: the target covers %.1f %% of the image, at most %.1f %%", e.Tool, 100*e.TargetArea, 100*e.Limit)
	case MonitorAnswer:
		return fmt.Sprintf("monitor on %s, tick %d: %s", e.Action, e.Tick, answerWords(e.Answers))
	case MonitorRule:
		return fmt.Sprintf("monitor on %s: %s is %s: %s", e.Action, e.Question, compact(e.Value), e.Do)
	case ControllerCheck:
		return because(fmt.Sprintf("check on %s: %s", e.Action, e.Do), e.Reason)
	case OperatorTakeover:
		return fmt.Sprintf("operator: %s; stopped %s", e.Input, orNothing(e.Stopped))
	case CommandRefused:
		return fmt.Sprintf("a command of %s is refused: %s", e.Owner, e.What)
	}
	return ""
}

func describeRest(e Event) string {
	switch e := e.(type) {
	case SkillStarted:
		return fmt.Sprintf("skill %s starts (%s, by %s)", e.Skill, e.Tool, e.By)
	case SkillStop:
		return because(fmt.Sprintf("skill %s is stopped by %s", e.Skill, e.By), e.Reason)
	case SkillEnded:
		return because(fmt.Sprintf("skill %s %s", e.Skill, e.Status), e.Reason)
	case ServiceStarted:
		return fmt.Sprintf("service %s/%s starts", e.Module, e.Field)
	case ServiceStopped:
		return fmt.Sprintf("service %s/%s stops", e.Module, e.Field)
	case MonitorFrame:
		return fmt.Sprintf("monitor on %s: first frame kept", e.Action)
	case ContextCheckpoint:
		return because("the conversation goes on in a new segment", e.Why)
	case ProviderError:
		switch {
		case e.WaitS <= 0 && e.Attempt <= 1: // it was the only one
			return fmt.Sprintf("%s: %s", e.Component, e.Class)
		case e.WaitS <= 0: // it was the last
			return fmt.Sprintf("%s: %s, attempt %d", e.Component, e.Class, e.Attempt)
		}
		return fmt.Sprintf("%s: %s, attempt %d, next in %.0f s", e.Component, e.Class, e.Attempt, e.WaitS)
	case Estop:
		return fmt.Sprintf("emergency stop by %s", e.By)
	case EstopCleared:
		return fmt.Sprintf("emergency stop cleared by %s", e.By)
	case Hook:
		return fmt.Sprintf("plugin %s at %s: %s", e.Plugin, e.Point, e.Effect)
	case AgentMessageWithdrawn:
		return "the agent takes its last text back"
	case Late:
		return fmt.Sprintf("late and dropped: %s %s", e.What, e.ID)
	case JobDone:
		return fmt.Sprintf("job done: %s %s", e.ID, e.What)
	}
	return e.Kind()
}

// Show writes the episode in folder dir for people: one line for each event. It ends at damage and says so.
func Show(w io.Writer, dir string) error {
	var start Entry
	for e, err := range Read(dir) {
		if err != nil {
			return err
		}
		if start.Event == nil {
			start = e
		}
		if _, err := fmt.Fprintf(w, "%8.2f s  %s\n", Elapsed(start, e).Seconds(), Describe(e.Event)); err != nil {
			return err
		}
	}
	return nil
}

// Elapsed is the time from one entry to another: of the robot clock when both have it simulated, else of the wall clock.
func Elapsed(from, to Entry) time.Duration {
	if from.Simulated && to.Simulated {
		return to.Sim - from.Sim
	}
	return to.T.Sub(from.T)
}

func because(s, why string) string {
	if why == "" {
		return s
	}
	return s + ": " + why
}

func yesNo(b *bool) string {
	switch {
	case b == nil:
		return "unknown"
	case *b:
		return "yes"
	}
	return "no"
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	cells := make([]string, len(names))
	for i, n := range names {
		cells[i] = terminal.Cell(n)
	}
	return strings.Join(cells, ", ")
}

// compact is JSON, or its beginning when it is long: the log has all of it.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) == 0 || string(raw) == "{}" || json.Compact(&b, raw) != nil {
		return terminal.Cell(strings.Trim(string(raw), "{}"))
	}
	return terminal.Cell(b.String())
}

func planWords(steps []PlanItem) string {
	var words []string
	for _, s := range steps {
		words = append(words, fmt.Sprintf("%s %s [%s]", s.ID, s.Text, s.State))
	}
	return orNothing(words)
}

func answerWords(answers map[string]Answer) string {
	var words []string
	for _, name := range sortedNames(answers) {
		a := answers[name]
		if a.Missing != "" {
			words = append(words, because(fmt.Sprintf("%s no answer (%s)", name, a.Missing), a.Why))
			continue
		}
		words = append(words, fmt.Sprintf("%s %s (%.2f)", name, compact(a.Value), a.P))
	}
	return orNothing(words)
}

// modelWords are the models of a run.
func modelWords(models map[string]string) string {
	out := "planner " + models["planner"]
	if m := models["monitor"]; m != "" {
		out += ", monitor " + m
	}
	return out
}

// MonitorOf is the component that a failed request of the monitor is logged under: its model may be the planner's, too.
func MonitorOf(model string) string { return "monitor (" + model + ")" }
