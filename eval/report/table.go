package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/rein-robotics/rein/eval/measure"
	"github.com/rein-robotics/rein/internal/terminal"
	"github.com/rein-robotics/rein/monitor/question"
)

// Column is one model with one configuration, and what was measured of it.
type Column struct {
	Name string
	measure.Result
	LeftOut []string // labelled ticks that could not be asked: why, with the file and what to do
	Bare    int      // asked ticks with a picture without the mark that the configuration wants
}

// Table writes the columns side by side. Their questions have the same name and the same answers; rules may differ.
func Table(w io.Writer, list []Column, most float64) error {
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

// tableRow is one row: its name, and what stands in a column.
type tableRow struct {
	name string
	cell func(r *Column) string
}

// bareRow is there only where it is not 0 in all columns.
const bareRow = "ticks without their mark"

func rowsOf(list []Column) []tableRow {
	out := []tableRow{
		{list[0].Question.Name, func(r *Column) string { return terminal.Cell(r.Name) }},
		{"ticks (unsure), actions", func(r *Column) string {
			return fmt.Sprintf("%d (%d), %d", r.Score.Ticks, r.Score.Unsure, r.Score.Actions)
		}},
		{"ticks left out", func(r *Column) string { return fmt.Sprint(len(r.LeftOut)) }},
		{bareRow, func(r *Column) string { return fmt.Sprint(r.Bare) }},
		{"calls", func(r *Column) string { return fmt.Sprint(r.Score.Calls) }},
		{"no answer", func(r *Column) string { return missing(r.Score.Missing) }},
		{"right", func(r *Column) string { return share(r.Score.Right) }},
	}
	if !slices.ContainsFunc(list, func(r Column) bool { return r.Bare > 0 }) {
		out = slices.DeleteFunc(out, func(r tableRow) bool { return r.name == bareRow })
	}
	for _, name := range ruleNames(list) {
		out = append(out,
			tableRow{name + ": met on a right tick", ruleCell(name, func(s *measure.RuleScore) measure.Share { return s.Met })},
			tableRow{name + ": met on a wrong tick", ruleCell(name, func(s *measure.RuleScore) measure.Share { return s.Wrong })},
			tableRow{name + ": below its floor", ruleCell(name, func(s *measure.RuleScore) measure.Share { return s.Below })})
	}
	return append(out,
		tableRow{"repeats disagree", func(r *Column) string { return share(r.Score.Disagree) }},
		tableRow{"first rule on a right tick", func(r *Column) string { return share(r.Firsts.Right) }},
		tableRow{"first rule on a wrong tick", func(r *Column) string { return share(r.Firsts.Wrong) }},
		tableRow{"no rule, though labelled", func(r *Column) string { return share(r.Firsts.Missed) }},
		tableRow{"moment to firing p50 / p95 / most", func(r *Column) string { return spread(r.Firsts.Delay) }},
		tableRow{"latency p50 / p95 / most", func(r *Column) string { return spread(r.Score.Latency) }},
		tableRow{"cost", func(r *Column) string { return cost(r.Score.Usage) }})
}

// ruleCell is a number of the rule of that name, in whichever place it stands in the column's question.
func ruleCell(name string, get func(s *measure.RuleScore) measure.Share) func(r *Column) string {
	return func(r *Column) string {
		if i := slices.Index(ruleNames([]Column{*r}), name); i >= 0 {
			return share(get(&r.Score.Rules[i]))
		}
		return "no such rule"
	}
}

// ruleNames are the rules of all columns, each once, in order. Of two rules with one name in one question the second is
// numbered.
func ruleNames(list []Column) []string {
	var out []string
	for i := range list {
		times := map[string]int{}
		for _, x := range list[i].Question.When {
			name := ruleName(x)
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

// ruleName is a rule in words: "finish holding ≥ 0.8 ×2".
func ruleName(r question.Rule) string {
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
