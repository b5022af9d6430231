package config

import (
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

// Validate checks choices and the values of rules against them.
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
		q.checkValue(c, q.When.path(i), r)
	}
}

func (q *Question) checkValue(c *Check, path string, r Rule) {
	switch v := r.Value.(type) {
	case nil:
		if q.Type == "choice" {
			c.Errorf(path, "add value: and one of "+strings.Join(sortedKeys(q.Choices), ", "), "the rule of a choice needs a value")
		}
	case bool:
		if q.Type == "choice" {
			c.Errorf(path+".value", "write one of "+strings.Join(sortedKeys(q.Choices), ", "), "%v is no choice", v)
		}
	case string:
		if known := sortedKeys(q.Choices); q.Type == "predicate" || !slices.Contains(known, v) {
			c.Errorf(path+".value", "write one of "+strings.Join(known, ", "), "%q is no choice%s", v, didYouMean(v, known))
		}
	default:
		c.Errorf(path+".value", "write true, false or a choice", "%v is no answer", v)
	}
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

// path is where rule i stands, seen from the question.
func (rs Rules) path(i int) string {
	if len(rs) == 1 {
		return "when"
	}
	return item("when", i)
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

// Validate checks that only an end has a follow-up.
func (r *Rule) Validate(c *Check) {
	if r.Then != "" && r.Do == "escalate" {
		c.Errorf("then", "write do: finish or do: fail", "an action that goes on has no follow-up")
	}
}
