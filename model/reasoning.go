package model

import (
	"fmt"
	"slices"
)

// Reasoning is how much a model is told to reason, in the parameters that it takes.
type Reasoning struct {
	Budget   int    // tokens; 0 = no such parameter
	Adaptive bool   // it decides by itself
	Off      bool   // it is told not to think
	Effort   string // "" = no such parameter
	Output   int    // the longest reply, tokens, thinking included
	Notes    []string
}

// ReasoningOf turns what is configured into what the model takes. What it cannot take is left out, and Notes say so: a
// parameter that a model does not know costs the whole request.
func ReasoningOf(e Endpoint, l Limits) (Reasoning, error) {
	r := Reasoning{Output: e.MaxOutputTokens}
	if r.Output == 0 {
		r.Output = l.MaxOutput
	}
	switch {
	case e.ThinkingBudget > 0:
		if err := r.budget(e, l); err != nil {
			return Reasoning{}, err
		}
	case e.ReasoningEffort != "":
		r.effort(e, l)
	}
	return r, nil
}

func (r *Reasoning) budget(e Endpoint, l Limits) error {
	switch l.Thinking {
	case ThinkingBudget:
		r.Budget = e.ThinkingBudget
		if r.Budget < r.Output {
			return nil
		}
		if e.MaxOutputTokens != 0 {
			return fmt.Errorf("thinking_budget %d is not below max_output_tokens %d: raise the one or lower the other", r.Budget, r.Output)
		}
		r.Output += r.Budget
	case ThinkingAdaptive, ThinkingEffort:
		r.Adaptive = l.Thinking == ThinkingAdaptive
		r.Effort = nearest(effortOf(e.ThinkingBudget), l.Efforts)
	default:
		r.note("%s is not known to think: thinking_budget is not sent", e.Model)
	}
	return nil
}

func (r *Reasoning) effort(e Endpoint, l Limits) {
	if len(l.Efforts) == 0 {
		r.note("%s is not known to take an effort: reasoning_effort is not sent", e.Model)
		return
	}
	if e.ReasoningEffort == "none" && !slices.Contains(l.Efforts, "none") {
		r.Off = l.Thinking != ThinkingEffort
		if r.Off {
			return
		}
	}
	r.Adaptive = l.Thinking == ThinkingAdaptive
	r.Effort = nearest(e.ReasoningEffort, l.Efforts)
	if r.Effort != e.ReasoningEffort {
		r.note("%s does not know reasoning_effort %s: %s is sent", e.Model, e.ReasoningEffort, r.Effort)
	}
}

func (r *Reasoning) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// effortOf is the effort that stands for a budget of thinking tokens.
func effortOf(budget int) string {
	switch {
	case budget <= 2048:
		return "low"
	case budget <= 8192:
		return "medium"
	case budget <= 24576:
		return "high"
	}
	return "xhigh"
}

// Efforts are the words that reasoning_effort is configured with, lowest first. A model may know only some of them.
func Efforts() []string { return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"} }

// nearest is want, or the highest known word below it, or the lowest known one; "" when none is known.
func nearest(want string, known []string) string {
	order := Efforts()
	best := ""
	for _, w := range order[:slices.Index(order, want)+1] {
		if slices.Contains(known, w) {
			best = w
		}
	}
	if best == "" && len(known) > 0 {
		return known[0]
	}
	return best
}
