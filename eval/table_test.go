package eval_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/monitor/question"
)

// No name in a table, a configuration's or a recording's, holds what moves a cursor or a column.
func TestTheTablePrintsNoControlCharacters(t *testing.T) {
	const bad = "x\x1b[2J\r\ty"
	q := question.Question{
		Name: "progress", Kind: question.Choice, Options: []question.Option{{Value: bad}, {Value: "other"}},
		When: []question.Rule{{Do: question.Finish, Value: bad, Consecutive: 1}},
	}
	tick := &eval.Tick{Key: eval.Key{Episode: bad, Action: bad, Tick: 1}, At: time.Second}
	all := []eval.Sample{{Tick: tick, Label: bad, Answers: []question.Answer{q.Chosen(bad, 1)}}}
	r := eval.Measure(bad, eval.Criteria{Question: q, All: []question.Question{q}, MostFalse: 0.05}, all)
	var out strings.Builder
	if err := eval.Table(&out, []eval.Result{r}, 0.05); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\r\t") || !strings.Contains(out.String(), `x\x1b[2J y`) {
		t.Errorf("got %q", out.String())
	}
}
