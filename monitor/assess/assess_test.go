package assess_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
	"github.com/rein-robotics/rein/monitor/assess"
	"github.com/rein-robotics/rein/monitor/question"
)

// A monitor's answer as JSON counts when it is valid; else it is asked for once more, and what still fails is no answer.
func TestJSONAnswersAreHeldToTheirQuestions(t *testing.T) {
	const good = `{"released": {"p": 0.25}, "progress": {"value": "holding", "p": 0.9}}`
	no, yes := released.No(question.Invalid, ""), released.Is(0.25)
	held, none := progress.Chosen("holding", 0.9), progress.No(question.Invalid, "")
	refused := []question.Answer{released.No(question.Refused, ""), progress.No(question.Refused, "")}
	tests := map[string]struct {
		replies []said
		asked   int
		want    []question.Answer
	}{
		"valid":               {[]said{{text: good}}, 1, []question.Answer{yes, held}},
		"fenced":              {[]said{{text: "```json\n" + good + "\n```"}}, 1, []question.Answer{yes, held}},
		"thought_aloud":       {[]said{{text: "<think>is it {\"p\":1}?</think>\n" + good}}, 1, []question.Answer{yes, held}},
		"repaired":            {[]said{{text: "It holds."}, {text: good}}, 2, []question.Answer{yes, held}},
		"never":               {[]said{{text: "It holds."}}, 2, []question.Answer{no, none}},
		"nothing":             {[]said{{}}, 2, []question.Answer{no, none}},
		"prose_around":        {[]said{{text: "Sure: " + good}}, 2, []question.Answer{no, none}},
		"two_objects":         {[]said{{text: good + good}}, 2, []question.Answer{no, none}},
		"half":                {[]said{{text: good[:40], end: model.StopMaxTokens}}, 2, []question.Answer{no, none}},
		"one_is_missing":      {[]said{{text: `{"released": {"p": 0.25}}`}}, 2, []question.Answer{yes, none}},
		"a_text_is_no_number": {[]said{{text: `{"released": {"p": "0.9"}, "progress": {"value": "holding", "p": 0.9}}`}}, 2, []question.Answer{no, held}},
		"null_is_no_number":   {[]said{{text: `{"released": {"p": null}, "progress": {"value": "holding", "p": 0.9}}`}}, 2, []question.Answer{no, held}},
		"bare_number":         {[]said{{text: `{"released": 0.25, "progress": {"value": "holding", "p": 0.9}}`}}, 2, []question.Answer{no, held}},
		"percent":             {[]said{{text: `{"released": {"p": 25}, "progress": {"value": "holding", "p": 0.9}}`}}, 2, []question.Answer{no, held}},
		"negative":            {[]said{{text: `{"released": {"p": -0.1}, "progress": {"value": "holding", "p": 0.9}}`}}, 2, []question.Answer{no, held}},
		"no_choice":           {[]said{{text: `{"released": {"p": 0.25}, "progress": {"value": "Holding", "p": 0.9}}`}}, 2, []question.Answer{yes, none}},
		"a_value_for_a_yes":   {[]said{{text: `{"released": {"value": "true", "p": 0.25}, "progress": {"value": "holding", "p": 0.9}}`}}, 2, []question.Answer{no, held}},
		"two_answers":         {[]said{{text: `{"released": {"p": 0.1, "p": 0.9}, "progress": {"value": "holding", "p": 0.9}}`}}, 2, []question.Answer{no, held}},
		"a_question_twice":    {[]said{{text: `{"released": {"p": 0.1}, "released": {"p": 0.9}}`}}, 2, []question.Answer{no, none}},
		"refused":             {[]said{{text: "No.", end: model.StopRefusal}}, 1, refused},
		"refused_in_repair":   {[]said{{text: "Hm."}, {text: "No.", end: model.StopRefusal}}, 2, refused},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := &script{replies: tc.replies}
			got, err := assessJSON(t, s, assess.Free, released, progress)
			if err != nil || len(s.asked) != tc.asked {
				t.Fatalf("asked %d times, %v", len(s.asked), err)
			}
			for i := range got.Answers {
				if (got.Answers[i].Why == "") != (got.Answers[i].Missing == "") {
					t.Errorf("the reason %q", got.Answers[i].Why)
				}
				got.Answers[i].Why = ""
			}
			if diff := cmp.Diff(got.Answers, tc.want); diff != "" {
				t.Error(diff)
			}
			if want := 0.003 * float64(tc.asked); got.Usage.Input != 1000*tc.asked || got.Usage.CostUSD < want-1e-9 || got.Usage.CostUSD > want+1e-9 {
				t.Errorf("got usage %+v", got.Usage)
			}
		})
	}
}

// A call that fails is no answer to anything, and its usage counts.
func TestFailedCallsCost(t *testing.T) {
	broken := &model.Error{Class: model.Overloaded}
	for name, replies := range map[string][]said{"at_once": {{err: broken}}, "in_repair": {{text: "hm"}, {err: broken}}} {
		got, err := assessJSON(t, &script{replies: replies}, assess.Free, released)
		if !errors.Is(err, broken) || got.Answers != nil || got.Usage.Input != 1000*len(replies) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	s := &script{replies: []said{{}}}
	if got, err := assessJSON(t, s, assess.Free); err != nil || len(got.Answers) != 0 || len(s.asked) != 0 {
		t.Errorf("no question was asked: %+v, %v", got, err)
	}
}

// Structured output is asked for where the model has it, and its schema takes exactly what counts.
func TestStructuredOutput(t *testing.T) {
	s := &script{replies: []said{{text: `{"released":{"p":1},"progress":{"value":"failed","p":1}}`}}}
	if _, err := assessJSON(t, s, assess.BySchema, released, progress); err != nil || s.options[0].Output == nil {
		t.Fatalf("got %v, %v", s.options, err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(s.options[0].Output, &schema); err != nil {
		t.Fatal(err)
	}
	r, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for answer, ok := range map[string]bool{
		`{"released":{"p":1},"progress":{"value":"failed","p":1}}`: true,
		`{"released":{"p":1}}`: false,
		`{"released":{"p":1},"progress":{"value":"flying","p":1}}`:             false,
		`{"released":{"p":1},"progress":{"p":1}}`:                              false,
		`{"released":{"p":1},"progress":{"value":"failed","p":1},"more":true}`: false,
	} {
		var v any
		if err := json.Unmarshal([]byte(answer), &v); err != nil {
			t.Fatal(err)
		}
		if err := r.Validate(v); (err == nil) != ok {
			t.Errorf("%s: %v", answer, err)
		}
	}
	s = &script{replies: []said{{text: "{}"}}}
	if _, err := assessJSON(t, s, assess.Free, released); err != nil || s.options[0].Output != nil {
		t.Errorf("a model without it was asked for it: %v", err)
	}
}

// What a model is sent on a tick. The planner's pixels, which are of another picture, are left out.
func TestWhatAModelIsSent(t *testing.T) {
	s := &script{replies: []said{{text: "It holds."}}}
	if _, err := assessJSON(t, s, assess.Free, released, progress); err != nil {
		t.Fatal(err)
	}
	silent := &script{replies: []said{{}}}
	if _, err := assessJSON(t, silent, assess.Free, released); err != nil {
		t.Fatal(err)
	}
	d := &decider{}
	if _, err := assess.NewDecisions(d, config()).Assess(t.Context(), tick(released, progress)); err == nil {
		t.Fatal("the decider gives an error")
	}
	modeltest.Golden(t, "testdata/requests.txtar", []string{"json", "json_repair", "json_repair_of_nothing", "decisions"}, map[string]any{
		"json": s.asked[0], "json_repair": s.asked[1].Messages[1:], "json_repair_of_nothing": silent.asked[1].Messages, "decisions": d.asked,
	})
}

// decider gives what it was told to.
type decider struct {
	answers []model.Decision
	asked   model.Inquiry
}

func (d *decider) Decide(_ context.Context, i model.Inquiry) (model.Decisions, error) {
	d.asked = i
	out := model.Decisions{Answers: d.answers, Usage: model.Usage{Input: 1000, Output: 100}}
	if d.answers == nil {
		return out, &model.Error{Class: model.Incompatible}
	}
	return out, nil
}

// p is the probability that a predicate is true, and that of the chosen value of a choice; the confidence is another
// number. A refusal is not probability 0.
func TestTypedAnswers(t *testing.T) {
	half := 0.5
	tests := map[string]struct {
		first, second model.Decision
		want          [2]question.Answer
	}{
		"both":    {model.Decision{P: 0.25}, model.Decision{Value: "failed", P: 0.7}, [2]question.Answer{released.Is(0.25), progress.Chosen("failed", 0.7)}},
		"refused": {model.Decision{Missing: "no", Refused: true}, model.Decision{Missing: "odd"}, [2]question.Answer{released.No(question.Refused, "no"), progress.No(question.Invalid, "odd")}},
		"confidence": {model.Decision{P: 1}, model.Decision{Value: "failed", P: 0.7, Confidence: &half}, [2]question.Answer{released.Is(1), {
			Question: "progress", Kind: question.Choice, Value: "failed", P: 0.7, Confidence: &half,
		}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := assess.NewDecisions(&decider{answers: []model.Decision{tc.first, tc.second}}, config())
			got, err := a.Assess(t.Context(), tick(released, progress))
			if err != nil || got.Usage.CostUSD < 0.0029 || a.Name() != "fake:any" {
				t.Fatalf("got %+v, %v", got.Usage, err)
			}
			if diff := cmp.Diff(got.Answers, tc.want[:]); diff != "" {
				t.Error(diff)
			}
		})
	}
	got, err := assess.NewDecisions(&decider{}, config()).Assess(t.Context(), tick(released))
	if model.ClassOf(err) != model.Incompatible || got.Answers != nil || got.Usage.Input != 1000 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Whatever a model says, each question gets one answer, and one that is not missing is of its question.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{``, `{}`, `{"released":{"p":0.5},"progress":{"value":"failed","p":1}}`, "```\n{}\n```", `<think>`, `{"released":`, `[1]`, `{"a":1,"a":2}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		s := &script{replies: []said{{text: reply}}}
		got, err := assessJSON(t, s, assess.Free, released, progress)
		if err != nil || len(got.Answers) != 2 {
			t.Fatalf("got %+v, %v", got, err)
		}
		for i, q := range []question.Question{released, progress} {
			a := got.Answers[i]
			if a.Question != q.Name || a.Missing == "" && (!q.Has(a.Value) || !(a.P >= 0 && a.P <= 1) || !strings.Contains(reply, q.Name)) {
				t.Errorf("got %+v of %q", a, reply)
			}
		}
	})
}
