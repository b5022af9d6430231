package config

import (
	"fmt"
	"slices"
	"strings"
)

// Monitor is the endpoint of the monitor and what it is shown.
type Monitor struct {
	Endpoint `yaml:",inline"`
	// Seconds between two ticks; a tick waits for the previous call.
	PeriodS float64 `yaml:"period_s" check:"above=0,max=600"`
	// Frames of each camera in a tick: this one and those before.
	History int `yaml:"history" check:"min=1,max=16"`
	// The longest side of a frame, pixels.
	ImageMaxSide int `yaml:"image_max_side" check:"min=64,max=4096"`
	// Regions that the monitor sees instead of whole frames, by module/field: x0, y0, x1, y1 as fractions of the capture.
	CloseUps map[string][4]float64 `yaml:"close_ups" check:"min=0,max=1"`
	// Whether it also sees the frames from when the action started.
	Reference bool `yaml:"reference"`
	// Whether the tracked target is marked with a box on every frame.
	MarkTarget bool `yaml:"mark_target"`
	// What is always in view, and what a held object looks like.
	Instructions string `yaml:"instructions"`
	// An older answer may inform but not end an action, seconds.
	MaxAnswerAgeS float64 `yaml:"max_answer_age_s" check:"above=0,max=1000000"`
	// Whether a danger that went away and came back is told again.
	Rearm bool `yaml:"rearm"`
	// Fewer labelled ticks than this behind a rule that may end a skill, and `rein check` and the run warn; 0 never warns.
	MinLabelledTicks int `yaml:"min_labelled_ticks" check:"min=0,max=1000000"`
}

// SetDefaults gives the values of keys that are left out.
func (m *Monitor) SetDefaults() {
	m.PeriodS, m.History, m.ImageMaxSide, m.Reference, m.MaxAnswerAgeS, m.Rearm, m.MinLabelledTicks = 2, 2, 512, true, 10, true, 50
}

// Validate checks the provider and the regions.
func (m *Monitor) Validate(c *Check) {
	if m.Provider == "" {
		c.Errorf("", "add provider:, or leave monitor: out", "the monitor has no provider")
		return
	}
	m.validate(c, "anthropic", "openai", "openai_responses", "openai_decisions", ProviderRules)
	for _, camera := range sortedKeys(m.CloseUps) {
		if r := m.CloseUps[camera]; r[0] >= r[2] || r[1] >= r[3] {
			c.Errorf("close_ups."+camera, "write x0, y0, x1, y1 with x0 < x1 and y0 < y1", "the region is empty")
		}
	}
}

// Question is what the monitor is asked on every tick while a skill runs.
type Question struct {
	// Its name, by which rules and logs know it.
	Name string `yaml:"name" check:"required,name"`
	// `predicate` is answered with a probability, `choice` with one of the choices and its probability.
	Type string `yaml:"type" check:"oneof=predicate|choice"`
	// What is asked.
	Instructions string `yaml:"instructions" check:"required,size=1"`
	// What each choice looks like.
	Choices map[string]string `yaml:"choices"`
	// The rules: one, or a list. A question without any is only shown to the planner.
	When Rules `yaml:"when"`
}

// SetDefaults gives the values of keys that are left out.
func (q *Question) SetDefaults() { q.Type = "predicate" }

// Validate checks the choices, and that the rules of a choice have a value.
func (q *Question) Validate(c *Check) {
	switch {
	case q.Type == "choice" && len(q.Choices) < 2:
		c.Errorf("choices", "list what can be seen, one of them the failure", "a choice needs at least two choices")
		return
	case q.Type == "predicate" && len(q.Choices) > 0:
		c.Errorf("choices", "write type: choice", "a predicate has no choices")
		return
	}
	for i, r := range q.When {
		if r.Value == nil && q.Type == "choice" {
			c.Errorf(q.When.path(c.d.doc, c.path, i), "add value: and one of "+strings.Join(sortedKeys(q.Choices), ", "), "the rule of a choice needs a value")
		}
	}
}

// ValidateGiven checks the values of rules against the choices, where both can be understood.
func (q *Question) ValidateGiven(c *Check) {
	predicate, choice := q.Type == "predicate" && len(q.Choices) == 0, q.Type == "choice" && len(q.Choices) > 1
	for i, r := range q.When {
		at := q.When.path(c.d.doc, c.path, i) + ".value"
		switch {
		case r.Value == nil:
		case predicate:
			checkPredicateValue(c, at, r.Value)
		case choice:
			checkChoiceValue(c, at, r.Value, sortedKeys(q.Choices))
		}
	}
}

func checkPredicateValue(c *Check, at string, value any) {
	switch v := value.(type) {
	case bool:
	case string:
		if v == "true" || v == "false" {
			c.Errorf(at, "remove the quotes", "the value of a predicate's rule is true or false, not the text %q", v)
			return
		}
		c.Errorf(at, "write true or false, or add choices: and type: choice", "%q is no answer to a predicate", v)
	default:
		c.Errorf(at, "write true or false", "%v is no answer to a predicate", v)
	}
}

func checkChoiceValue(c *Check, at string, value any, known []string) {
	v, text := value.(string)
	if text && slices.Contains(known, v) {
		return
	}
	if !text {
		v = fmt.Sprint(value)
	}
	c.Errorf(at, "write one of "+strings.Join(known, ", "), "%q is no choice%s", v, didYouMean(v, known))
}

// Rules are the rules of a question.
type Rules []Rule

// UnmarshalConfig takes one rule or a list of them.
func (rs *Rules) UnmarshalConfig(r Raw) error {
	if r.Kind() == KindList {
		list, err := DecodeRaw[[]Rule](r)
		*rs = list
		return err
	}
	one, err := DecodeRaw[Rule](r)
	*rs = Rules{one}
	return err
}

// path is where rule i stands in doc, seen from the question at base: a list of one rule may be written without the list.
func (rs Rules) path(doc *Document, base string, i int) string {
	at := item("when", i)
	if _, listed := doc.positions[join(base, at)]; len(rs) > 1 || listed {
		return at
	}
	return "when"
}

// Rule says what a question's answer does.
type Rule struct {
	// `finish` stops the action as succeeded, `fail` as failed, `escalate` leaves it running and wakes the planner.
	Do string `yaml:"do" check:"required,oneof=finish|fail|escalate"`
	// The answer that counts: true or false of a predicate (true when left out), one of the choices of a choice.
	Value any `yaml:"value"`
	// A tick whose answer is less sure does nothing.
	Threshold float64 `yaml:"threshold" check:"min=0,max=1"`
	// So many ticks in a row.
	Consecutive int `yaml:"consecutive" check:"min=1"`
	// Ticks count once the action has run so long, seconds.
	AfterS float64 `yaml:"after_s" check:"min=0,max=1000000"`
	// A tool that starts, without arguments, as soon as the action has stopped.
	Then string `yaml:"then"`
}

// SetDefaults gives the values of keys that are left out.
func (r *Rule) SetDefaults() { r.Consecutive = 1 }

// ValidateGiven checks that only an end has a follow-up.
func (r *Rule) ValidateGiven(c *Check) {
	if r.Then != "" && r.Do == "escalate" {
		c.Errorf("then", "write do: finish or do: fail", "an action that goes on has no follow-up")
	}
}
