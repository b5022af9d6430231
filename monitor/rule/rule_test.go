package rule_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/monitor/rule"
)

// parse reads questions as a skill's file has them.
func parse(t *testing.T, raw string) []question.Question {
	t.Helper()
	list, err := question.Parse(json.RawMessage(raw))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// say is the answers of a tick in short: "p=0.9" of a predicate, "c=in:0.8" of a choice, "p!" of a missing one.
func say(t *testing.T, list []question.Question, words string) (out []question.Answer) {
	t.Helper()
	for w := range strings.FieldsSeq(words) {
		name, value, is := strings.Cut(strings.TrimSuffix(w, "!"), "=")
		var q question.Question
		for _, x := range list {
			if x.Name == name {
				q = x
			}
		}
		option, number, chosen := strings.Cut(value, ":")
		if !chosen {
			number = option
		}
		p, err := strconv.ParseFloat(number, 64)
		switch {
		case !is:
			out = append(out, q.No(question.TimedOut, ""))
		case err != nil:
			t.Fatal(err)
		case chosen:
			out = append(out, q.Chosen(option, p))
		default:
			out = append(out, q.Is(p))
		}
	}
	return out
}

// words says what fired: "fail p×2".
func words(fs []rule.Firing) string {
	var out []string
	for _, f := range fs {
		out = append(out, fmt.Sprintf("%s %s×%d", f.Rule.Do, f.Question.Name, f.Ticks))
	}
	return strings.Join(out, ", ")
}

const (
	progress = `{"name":"c","type":"choice","instructions":"x","choices":{"in":"","out":"","lost":""},"when":[
		{"do":"finish","value":"in","threshold":0.8,"consecutive":1,"then":"home"},
		{"do":"escalate","value":"lost","threshold":0.8,"consecutive":2,"after_s":6}]}`
	plain = `{"name":"p","instructions":"x","when":{"do":"fail","consecutive":2}}`
)

// TestSentences: each case is a sentence of the specification. A tick is a second after the one before; "|" parts ticks,
// and each one says what was answered and, behind "→", what fires. "old" before the answers: they came too late.
func TestSentences(t *testing.T) {
	tests := map[string]struct {
		questions string
		ticks     string
	}{
		"a_rule_fires_when_its_condition_holds_consecutive_ticks_in_a_row": {plain, `p=0.9 | p=0.9 → fail p×2`},
		"without_a_floor_half_sure_is_enough":                              {plain, `p=0.5 | p=0.5 → fail p×2`},
		"a_predicate_is_true_at_one_half_and_above":                        {plain, `p=0.49 | p=0.49 | p=0.5 | p=0.51 → fail p×2`},
		"a_contrary_answer_breaks_the_row":                                 {plain, `p=0.9 | p=0.1 | p=0.9 | p=0.9 → fail p×2`},
		"one_confident_tick_acts":                                          {`[` + progress + `]`, `c=out:0.99 | c=in:0.8 → finish c×1`},
		"a_tick_whose_answer_is_less_sure_does_nothing_and_the_next_decides": {
			`[` + progress + `]`, `c=in:0.79 | c=in:0.81 → finish c×1`,
		},
		"an_unsure_answer_breaks_the_row": {
			`[{"name":"p","instructions":"x","when":{"do":"fail","threshold":0.8,"consecutive":2}}]`, `p=0.9 | p=0.7 | p=0.9 | p=0.9 → fail p×2`,
		},
		"a_missing_answer_is_no_tick_it_neither_counts_nor_breaks": {plain, `p=0.9 | p! | | p=0.9 → fail p×2`},
		"missing_answers_alone_never_fire":                         {plain, `p! | p! | p! | p!`},
		"after_s_keeps_a_rule_from_counting": {
			`[{"name":"p","instructions":"x","when":{"do":"fail","consecutive":2,"after_s":3}}]`, `p=1 | p=1 | p=1 | p=1 → fail p×2`,
		},
		"the_certainty_of_a_predicate_is_the_larger_of_p_and_1_minus_p": {
			`[{"name":"p","instructions":"x","when":{"do":"fail","value":false,"threshold":0.8}}]`, `p=0.3 | p=0.21 | p=0.9 | p=0.2 → fail p×1`,
		},
		"the_rule_of_a_choice_holds_only_for_its_value": {
			`[{"name":"c","type":"choice","instructions":"x","choices":{"in":"","out":""},"when":{"do":"fail","value":"in","consecutive":2}}]`,
			`c=in:0.6 | c=out:0.9 | c=in:0.6 | c=in:0.5 → fail c×2`,
		},
		"an_answer_that_is_no_choice_is_none": {
			`[{"name":"c","type":"choice","instructions":"x","choices":{"in":"","out":""},"when":{"do":"fail","value":"in","consecutive":2}}]`,
			`c=in:0.6 | c=up:0.9 | c=in:0.6 → fail c×2`,
		},
		"fail_before_finish_in_one_tick": {
			`[{"name":"p","instructions":"x","when":{"do":"finish"}},{"name":"q","instructions":"x","when":{"do":"fail"}}]`, `p=1 q=1 → fail q×1`,
		},
		"fail_before_finish_in_one_question": {
			`[{"name":"p","instructions":"x","when":[{"do":"finish"},{"do":"fail"}]}]`, `p=1 → fail p×1`,
		},
		"finish_before_escalate_in_one_tick": {
			`[{"name":"p","instructions":"x","when":{"do":"escalate"}},{"name":"q","instructions":"x","when":{"do":"finish"}}]`, `p=1 q=1 → finish q×1`,
		},
		"then_list_order": {
			`[{"name":"p","instructions":"x","when":{"do":"fail"}},{"name":"q","instructions":"x","when":{"do":"fail"}}]`, `q=1 p=1 → fail p×1`,
		},
		"each_question_wakes_in_list_order": {
			`[{"name":"p","instructions":"x","when":{"do":"escalate"}},{"name":"q","instructions":"x","when":{"do":"escalate"}}]`,
			`q=1 p=1 → escalate p×1, escalate q×1`,
		},
		"escalate_wakes_once_per_question_whatever_its_rules": {
			`[{"name":"p","instructions":"x","when":[{"do":"escalate"},{"do":"escalate","threshold":0.9}]}]`, `p=1 → escalate p×1 | p=1 | p=1`,
		},
		"a_danger_that_returns_is_told_again": {
			`[{"name":"p","instructions":"x","when":{"do":"escalate","consecutive":2}}]`,
			`p=1 | p=1 → escalate p×2 | p=1 | p=0 | p=1 | p=1 | p=0 | p=0 | p=1 | p=1 → escalate p×2`,
		},
		"a_missing_answer_arms_nothing": {
			`[{"name":"p","instructions":"x","when":{"do":"escalate"}}]`, `p=1 → escalate p×1 | p! | p=1 | p=0 | p! | p=1 → escalate p×1`,
		},
		"a_question_without_when_is_only_shown": {`[{"name":"p","instructions":"x"}]`, `p=1 | p=1`},
		"an_old_answer_ends_nothing":            {plain, `p=1 | old p=1 | p=1 → fail p×3`},
		"an_old_answer_may_wake": {
			`[{"name":"p","instructions":"x","when":{"do":"escalate"}}]`, `old p=1 → escalate p×1`,
		},
		"a_finish_that_came_too_late_leaves_the_others_to_speak": {
			`[{"name":"p","instructions":"x","when":{"do":"finish"}},{"name":"q","instructions":"x","when":{"do":"escalate"}}]`, `old p=1 q=1 → escalate q×1`,
		},
		"a_progress_that_is_lost_wakes_after_six_seconds": {
			`[` + progress + `]`,
			`c=lost:0.9 | c=lost:0.9 | c=lost:0.9 | c=lost:0.9 | c=lost:0.9 | c=lost:0.9 | c=lost:0.9 → escalate c×2 | c=lost:0.9`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			questions := tc.questions
			if questions[0] != '[' {
				questions = "[" + questions + "]"
			}
			list := parse(t, questions)
			e := rule.New(list, rule.Again)
			for i, tick := range strings.Split(tc.ticks, "|") {
				said, want, _ := strings.Cut(tick, "→")
				answers, old := strings.CutPrefix(strings.TrimSpace(said), "old ")
				got, ok := e.Tick(rule.Tick{At: time.Duration(i+1) * time.Second, Old: old, Answers: say(t, list, answers)})
				if !ok || words(got) != strings.TrimSpace(want) {
					t.Fatalf("tick %d: got %q, want %q", i+1, words(got), strings.TrimSpace(want))
				}
			}
		})
	}
}

func TestRearmFalseRestoresTheLetter(t *testing.T) {
	list := parse(t, `[{"name":"p","instructions":"x","when":{"do":"escalate"}}]`)
	e := rule.New(list, rule.Once)
	var fired int
	for i, p := range []string{"p=1", "p=0", "p=0", "p=1", "p=1"} {
		got, _ := e.Tick(rule.Tick{At: time.Duration(i) * time.Second, Answers: say(t, list, p)})
		fired += len(got)
	}
	if fired != 1 {
		t.Errorf("got %d wakes, want 1", fired)
	}
}

// After_s is judged by the capture time of the tick's newest frame: the exact second counts.
func TestAfterCountsFromTheCaptureTime(t *testing.T) {
	list := parse(t, `[{"name":"p","instructions":"x","when":{"do":"fail","after_s":6}}]`)
	for at, want := range map[time.Duration]string{6*time.Second - 1: "", 6 * time.Second: "fail p×1"} {
		if got, _ := rule.New(list, rule.Again).Tick(rule.Tick{At: at, Answers: say(t, list, "p=1")}); words(got) != want {
			t.Errorf("at %v: got %q, want %q", at, words(got), want)
		}
	}
}

// A tick on a frame that is not newer than an accepted one is dropped: it changes nothing.
func TestAnOlderFrameIsDropped(t *testing.T) {
	list := parse(t, "["+plain+"]")
	e := rule.New(list, rule.Again)
	at := func(s int, words string) rule.Tick {
		return rule.Tick{At: time.Duration(s) * time.Second, Answers: say(t, list, words)}
	}
	if got, ok := e.Tick(at(5, "p=1")); !ok || len(got) != 0 {
		t.Fatalf("got %v, %v", got, ok)
	}
	for _, s := range []int{5, 4, 0} {
		if got, ok := e.Tick(at(s, "p=1")); ok || len(got) != 0 {
			t.Fatalf("a frame of %d s was taken: %v", s, got)
		}
		if got, ok := e.Tick(at(s, "p=0")); ok || len(got) != 0 {
			t.Fatalf("a frame of %d s was taken: %v", s, got)
		}
	}
	if got, ok := e.Tick(at(6, "p=1")); !ok || words(got) != "fail p×2" {
		t.Errorf("got %q, %v", words(got), ok)
	}
}
