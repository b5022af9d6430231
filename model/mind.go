package model

import (
	"fmt"
	"slices"
)

// Mind is how much a model is told to think, in the words that it takes.
type Mind struct {
	Budget   int    // tokens; 0 = no such parameter
	Adaptive bool   // it decides by itself
	Off      bool   // it is told not to think
	Effort   string // "" = no such parameter
	Output   int    // the longest reply, tokens, thinking included
	Notes    []string
}

// MindOf turns what is configured into what the model takes. What it cannot take is left out, and Notes say so: a
// parameter that a model does not know costs the whole request.
func MindOf(e Endpoint, l Limits) (Mind, error) {
	m := Mind{Output: e.MaxOutputTokens}
	if m.Output == 0 {
		m.Output = l.MaxOutput
	}
	switch {
	case e.ThinkingBudget > 0:
		if err := m.budget(e, l); err != nil {
			return Mind{}, err
		}
	case e.ReasoningEffort != "":
		m.effort(e, l)
	}
	return m, nil
}

func (m *Mind) budget(e Endpoint, l Limits) error {
	switch l.Thinking {
	case ThinkingBudget:
		m.Budget = e.ThinkingBudget
		if m.Budget < m.Output {
			return nil
		}
		if e.MaxOutputTokens != 0 {
			return fmt.Errorf("thinking_budget %d is not below max_output_tokens %d: raise the one or lower the other", m.Budget, m.Output)
		}
		m.Output += m.Budget
	case ThinkingAdaptive, ThinkingEffort:
		m.Adaptive = l.Thinking == ThinkingAdaptive
		m.Effort = nearest(effortOf(e.ThinkingBudget), l.Efforts)
	default:
		m.note("%s is not known to think: thinking_budget is not sent", e.Model)
	}
	return nil
}

func (m *Mind) effort(e Endpoint, l Limits) {
	if len(l.Efforts) == 0 {
		m.note("%s is not known to take an effort: reasoning_effort is not sent", e.Model)
		return
	}
	if e.ReasoningEffort == "none" && !slices.Contains(l.Efforts, "none") {
		m.Off = l.Thinking != ThinkingEffort
		if m.Off {
			return
		}
	}
	m.Adaptive = l.Thinking == ThinkingAdaptive
	m.Effort = nearest(e.ReasoningEffort, l.Efforts)
	if m.Effort != e.ReasoningEffort {
		m.note("%s does not know reasoning_effort %s: %s is sent", e.Model, e.ReasoningEffort, m.Effort)
	}
}

func (m *Mind) note(format string, args ...any) {
	m.Notes = append(m.Notes, fmt.Sprintf(format, args...))
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
