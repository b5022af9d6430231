package rule_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/monitor/rule"
)

// history is a slow and obvious reference: it keeps every tick and works everything out anew from all of them.
type history struct {
	questions []question.Question
	once      bool
	ticks     []rule.Tick
}

// counted are the ticks, oldest first, at which the question was answered and the rule counts.
func (h *history) counted(q question.Question, r question.Rule, n int) (held []bool) {
	for _, t := range h.ticks[:n] {
		for _, a := range t.Answers {
			if a.Question != q.Name || a.Missing != "" || t.At < r.After {
				continue
			}
			sure := a.P
			if q.Kind == question.Predicate && a.P < 0.5 {
				sure = 1 - a.P
			}
			held = append(held, a.Value == r.Value && sure >= r.Threshold)
		}
	}
	return held
}

// inARow is how many of the last ones are want.
func inARow(held []bool, want bool) (n int) {
	for i := len(held) - 1; i >= 0 && held[i] == want; i-- {
		n++
	}
	return n
}

// answered says whether the question was answered in tick n.
func (h *history) answered(q question.Question, n int) bool {
	for _, a := range h.ticks[n].Answers {
		if a.Question == q.Name && a.Missing == "" {
			return true
		}
	}
	return false
}

// holds says whether rule r is fulfilled in tick n.
func (h *history) holds(q question.Question, r question.Rule, n int) bool {
	return h.answered(q, n) && inARow(h.counted(q, r, n+1), true) >= r.Consecutive
}

// woke are the rules of a question that woke the planner, by tick.
func (h *history) woke(q question.Question) map[int]int {
	out := map[int]int{}
	spent, armed := -1, true
	for n := range h.ticks {
		if !h.answered(q, n) {
			continue
		}
		if !armed && !h.once {
			r := q.When[spent]
			armed = inARow(h.counted(q, r, n+1), false) >= r.Consecutive
		}
		for j, r := range q.When {
			if armed && r.Do == question.Escalate && h.holds(q, r, n) {
				out[n], spent, armed = j, j, false
			}
		}
	}
	return out
}

// fired is what fires in the last tick, in words.
func (h *history) fired() string {
	n := len(h.ticks) - 1
	for _, do := range []question.Do{question.Fail, question.Finish} {
		for _, q := range h.questions {
			for _, r := range q.When {
				if r.Do == do && !h.ticks[n].Old && h.holds(q, r, n) {
					return fmt.Sprintf("%s %s×%d", do, q.Name, inARow(h.counted(q, r, n+1), true))
				}
			}
		}
	}
	out := ""
	for _, q := range h.questions {
		if j, woke := h.woke(q)[n]; woke {
			if out != "" {
				out += ", "
			}
			out += fmt.Sprintf("escalate %s×%d", q.Name, inARow(h.counted(q, q.When[j], n+1), true))
		}
	}
	return out
}

func drawQuestions(t *rapid.T) (out []question.Question) {
	for i := range rapid.IntRange(1, 3).Draw(t, "questions") {
		q := question.Question{Name: string(rune('a' + i)), Kind: question.Predicate}
		values := []string{"true", "false"}
		if rapid.Bool().Draw(t, "choice") {
			q.Kind, values = question.Choice, []string{"x", "y", "z"}
			for _, v := range values {
				q.Options = append(q.Options, question.Option{Value: v})
			}
		}
		for range rapid.IntRange(0, 3).Draw(t, "rules") {
			q.When = append(q.When, question.Rule{
				Do:          rapid.SampledFrom([]question.Do{question.Finish, question.Fail, question.Escalate, question.Escalate}).Draw(t, "do"),
				Value:       rapid.SampledFrom(values).Draw(t, "value"),
				Threshold:   rapid.SampledFrom([]float64{0, 0.6, 0.8}).Draw(t, "threshold"),
				Consecutive: rapid.IntRange(1, 3).Draw(t, "consecutive"),
				After:       time.Duration(rapid.IntRange(0, 4).Draw(t, "after")) * time.Second,
			})
		}
		out = append(out, q)
	}
	return out
}

func drawAnswer(t *rapid.T, q question.Question) question.Answer {
	p := rapid.SampledFrom([]float64{0, 0.1, 0.3, 0.5, 0.7, 0.9, 1}).Draw(t, "p")
	switch {
	case rapid.IntRange(0, 4).Draw(t, "missing") == 0:
		return q.No(rapid.SampledFrom([]question.Missing{question.Refused, question.TimedOut, question.Invalid}).Draw(t, "why"), "")
	case q.Kind == question.Predicate:
		return q.Is(p)
	}
	return q.Chosen(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "chosen"), p)
}

// TestEngineIsTheReference: on any questions and any answers the engine fires what the reference fires, and an engine that
// is given the same ticks again fires the same.
func TestEngineIsTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		questions := drawQuestions(t)
		h := &history{questions: questions, once: rapid.Bool().Draw(t, "once")}
		mode := rule.Again
		if h.once {
			mode = rule.Once
		}
		e, again := rule.New(questions, mode), rule.New(questions, mode)
		at := time.Duration(0)
		for range rapid.IntRange(1, 20).Draw(t, "ticks") {
			tick := rule.Tick{Old: rapid.IntRange(0, 3).Draw(t, "old") == 0}
			step := rapid.IntRange(-1, 2).Draw(t, "step")
			tick.At = at + time.Duration(step)*time.Second
			for _, q := range questions {
				if rapid.IntRange(0, 5).Draw(t, "asked") > 0 {
					tick.Answers = append(tick.Answers, drawAnswer(t, q))
				}
			}
			got, ok := e.Tick(tick)
			if replayed, _ := again.Tick(tick); words(replayed) != words(got) {
				t.Fatalf("got %q and %q for the same ticks", words(got), words(replayed))
			}
			if newer := len(h.ticks) == 0 || step > 0; ok != newer {
				t.Fatalf("a frame of %v after one of %v: taken %t", tick.At, at, ok)
			}
			if !ok {
				continue
			}
			at = tick.At
			h.ticks = append(h.ticks, tick)
			if want := h.fired(); words(got) != want {
				t.Fatalf("tick %d: got %q, want %q", len(h.ticks), words(got), want)
			}
		}
	})
}
