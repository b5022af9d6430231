package eval

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/rein-robotics/rein/internal/terminal"
	"github.com/rein-robotics/rein/monitor/question"
)

// Result is what was measured of one model with one configuration.
type Result struct {
	Name      string // of its column
	Question  question.Question
	Score     Score
	Replays   []Replay
	Firsts    Firsts
	Proposals []Proposal
	LeftOut   []LeftOut // labelled ticks that could not be asked
	Bare      int       // asked ticks with a picture without the mark that the configuration wants
}

// Criteria is what samples are counted by.
type Criteria struct {
	Question  question.Question   // that the labels are of
	All       []question.Question // of the skill: their rules run together
	Settings  Settings
	MostFalse float64 // rate of false stops that floors are proposed for, 0 to 1
}

// Measure counts the samples of one model; name is that of its column.
func Measure(name string, c Criteria, samples []Sample) Result {
	list := Replays(c.Question.Name, c.All, samples, c.Settings)
	return Result{
		Name: name, Question: c.Question, Score: ScoreOf(c.Question, samples), Replays: list, Firsts: FirstsOf(c.Question, list),
		Proposals: Propose(c.Question, samples, c.Settings, c.MostFalse),
	}
}

// Table writes the results side by side. Their questions have the same name and the same answers; rules may differ.
func Table(w io.Writer, list []Result, most float64) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range rowsOf(list) {
		fmt.Fprint(t, r.name)
		for i := range list {
			fmt.Fprint(t, "\t", r.cell(&list[i]))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i := range list {
		leftOut(&b, &list[i])
		confusion(&b, &list[i])
		replays(&b, &list[i])
		proposals(&b, &list[i], most)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// tableRow is one row: its name, and what stands in the column of a result.
type tableRow struct {
	name string
	cell func(r *Result) string
}

// bareRow is there only where it is not 0 in all columns.
const bareRow = "ticks without their mark"

func rowsOf(list []Result) []tableRow {
	out := []tableRow{
		{list[0].Question.Name, func(r *Result) string { return terminal.Cell(r.Name) }},
		{"ticks (unsure), actions", func(r *Result) string {
			return fmt.Sprintf("%d (%d), %d", r.Score.Ticks, r.Score.Unsure, r.Score.Actions)
		}},
		{"ticks left out", func(r *Result) string { return fmt.Sprint(len(r.LeftOut)) }},
		{bareRow, func(r *Result) string { return fmt.Sprint(r.Bare) }},
		{"calls", func(r *Result) string { return fmt.Sprint(r.Score.Calls) }},
		{"no answer", func(r *Result) string { return missing(r.Score.Missing) }},
		{"right", func(r *Result) string { return share(r.Score.Right) }},
	}
	if !slices.ContainsFunc(list, func(r Result) bool { return r.Bare > 0 }) {
		out = slices.DeleteFunc(out, func(r tableRow) bool { return r.name == bareRow })
	}
	for _, name := range ruleNames(list) {
		out = append(out,
			tableRow{name + ": met on a right tick", ruleCell(name, func(s *RuleScore) Share { return s.Met })},
			tableRow{name + ": met on a wrong tick", ruleCell(name, func(s *RuleScore) Share { return s.Wrong })},
			tableRow{name + ": below its floor", ruleCell(name, func(s *RuleScore) Share { return s.Below })})
	}
	return append(out,
		tableRow{"repeats disagree", func(r *Result) string { return share(r.Score.Disagree) }},
		tableRow{"first rule on a right tick", func(r *Result) string { return share(r.Firsts.Right) }},
		tableRow{"first rule on a wrong tick", func(r *Result) string { return share(r.Firsts.Wrong) }},
		tableRow{"no rule, though labelled", func(r *Result) string { return share(r.Firsts.Missed) }},
		tableRow{"moment to firing p50 / p95 / most", func(r *Result) string { return spread(r.Firsts.Delay) }},
		tableRow{"latency p50 / p95 / most", func(r *Result) string { return spread(r.Score.Latency) }},
		tableRow{"cost", func(r *Result) string { return cost(r.Score.Usage) }})
}

// ruleCell is a number of the rule of that name, in whichever place it stands in the result's question.
func ruleCell(name string, get func(s *RuleScore) Share) func(r *Result) string {
	return func(r *Result) string {
		if i := slices.Index(ruleNames([]Result{*r}), name); i >= 0 {
			return share(get(&r.Score.Rules[i]))
		}
		return "no such rule"
	}
}

// ruleNames are the rules of all results, each once, in order. Of two rules with one name in one question the second is
// numbered.
func ruleNames(list []Result) []string {
	var out []string
	for i := range list {
		times := map[string]int{}
		for _, x := range list[i].Question.When {
			name := RuleName(x)
			if times[name]++; times[name] > 1 {
				name += fmt.Sprintf(" (%d)", times[name])
			}
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// RuleName is a rule in words: "finish holding ≥ 0.8 ×2".
func RuleName(r question.Rule) string {
	s := string(r.Do) + " " + terminal.Cell(r.Value)
	if r.Threshold > 0 {
		s += fmt.Sprintf(" ≥ %g", r.Threshold)
	}
	if r.Consecutive > 1 {
		s += fmt.Sprintf(" ×%d", r.Consecutive)
	}
	if r.After > 0 {
		s += fmt.Sprintf(" after %g s", r.After.Seconds())
	}
	return s
}
