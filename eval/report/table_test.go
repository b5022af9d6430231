package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/eval/measure"
	"github.com/rein-robotics/rein/eval/report"
	"github.com/rein-robotics/rein/monitor/question"
)

// No name in a table, a configuration's or a recording's, holds what moves a cursor or a column.
func TestTheTablePrintsNoControlCharacters(t *testing.T) {
	const bad = "x\x1b[2J\r\ty"
	q := question.Question{
		Name: "progress", Kind: question.Choice, Options: []question.Option{{Value: bad}, {Value: "other"}},
		When: []question.Rule{{Do: question.Finish, Value: bad, Consecutive: 1}},
	}
	all := []measure.Sample{{Key: measure.Key{Episode: bad, Action: bad, Tick: 1}, At: time.Second, Label: bad, Answers: []question.Answer{q.Chosen(bad, 1)}}}
	r := measure.Of(measure.Criteria{Question: q, All: []question.Question{q}, MostFalse: 0.05}, all)
	got := written(t, report.Column{Name: bad, Result: r, LeftOut: []string{bad}})
	if strings.ContainsAny(got, "\x1b\r\t") || !strings.Contains(got, `x\x1b[2J y`) {
		t.Errorf("got %q", got)
	}
}

// written is the table of the columns.
func written(t *testing.T, columns ...report.Column) string {
	t.Helper()
	var out strings.Builder
	if err := report.Table(&out, columns, 0.05); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// cells are the rows of a table by their name.
func cells(table string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(table) {
		var parts []string
		for p := range strings.SplitSeq(strings.TrimSpace(line), "  ") {
			if p = strings.TrimSpace(p); p != "" {
				parts = append(parts, p)
			}
		}
		if len(parts) > 1 {
			out[parts[0]] = parts[1:]
		}
	}
	return out
}

// The rules of two configurations may differ: each has rows of its own, and what one does not have is said.
func TestRulesOfTwoConfigurations(t *testing.T) {
	both := question.Rule{Do: question.Fail, Value: "failed", Threshold: 0.8, Consecutive: 2, After: 2 * time.Second}
	column := func(floor, met float64) report.Column {
		finish := question.Rule{Do: question.Finish, Value: "holding", Threshold: floor, Consecutive: 1}
		return report.Column{Name: "m", Result: measure.Result{
			Question: question.Question{Name: "progress", When: []question.Rule{finish, both}},
			Score: measure.Score{Rules: []measure.RuleScore{
				{Rule: finish, Met: measure.ShareOf(met, 1)}, {Rule: both, Met: measure.ShareOf(1, 1)},
			}},
		}}
	}
	got := cells(written(t, column(0.8, 1), column(0.95, 0.5)))
	for name, want := range map[string][]string{
		"finish holding ≥ 0.8: met on a right tick":           {"100.0 % (1 of 1; 20.7–100.0)", "no such rule"},
		"finish holding ≥ 0.95: met on a right tick":          {"no such rule", "50.0 % (0.5 of 1; 5.5–94.5)"},
		"fail failed ≥ 0.8 ×2 after 2 s: met on a right tick": {"100.0 % (1 of 1; 20.7–100.0)", "100.0 % (1 of 1; 20.7–100.0)"},
	} {
		if d := cmp.Diff(want, got[name]); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// Ticks that could not be asked, or were shown without their mark, have a row; that of the mark only where there are some.
func TestWhatWasNotMeasuredIsSaid(t *testing.T) {
	table := written(t, report.Column{Name: "m", LeftOut: []string{"s/1 a1 tick 3: it is lost", "s/1 a1 tick 4: it is torn"}, Bare: 2}, report.Column{Name: "n"})
	got := cells(table)
	for name, want := range map[string][]string{"ticks left out": {"2", "0"}, "ticks without their mark": {"2", "0"}} {
		if d := cmp.Diff(want, got[name]); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if !strings.Contains(table, "\nm: ticks left out\n  s/1 a1 tick 3: it is lost\n  s/1 a1 tick 4: it is torn\n") || strings.Contains(table, "\nn: ticks left out") {
		t.Errorf("got\n%s", table)
	}
	if row := cells(written(t, report.Column{Name: "n"}))["ticks without their mark"]; row != nil {
		t.Errorf("a row of ticks without their mark: %q", row)
	}
}
