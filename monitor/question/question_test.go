package question_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/monitor/question"
)

const pick = `[{"name":"progress","type":"choice","instructions":"Which phase the pick is in.",
 "choices":{"approaching":"The fingers are open.","grasping":"Closing.","holding":"Pinched.","failed":"Nothing between them."},
 "when":[{"do":"finish","value":"holding","threshold":0.8,"consecutive":1,"then":"home_holding"},
         {"do":"escalate","value":"failed","threshold":0.8,"consecutive":2,"after_s":6}]},
 {"name":"released","instructions":"Are the fingers open?","when":{"do":"fail","value":false}},
 {"name":"shown","instructions":"Is there a hand in the picture?"}]`

func TestParseReadsTheSeedsQuestion(t *testing.T) {
	got, err := question.Parse(json.RawMessage(pick))
	if err != nil {
		t.Fatal(err)
	}
	want := []question.Question{
		{
			Name: "progress", Kind: question.Choice, Instructions: "Which phase the pick is in.",
			Options: []question.Option{{"approaching", "The fingers are open."}, {"grasping", "Closing."}, {"holding", "Pinched."}, {"failed", "Nothing between them."}},
			When: []question.Rule{
				{Do: question.Finish, Value: "holding", Threshold: 0.8, Consecutive: 1, Then: "home_holding"},
				{Do: question.Escalate, Value: "failed", Threshold: 0.8, Consecutive: 2, After: 6 * time.Second},
			},
		},
		{Name: "released", Kind: question.Predicate, Instructions: "Are the fingers open?", When: []question.Rule{{Do: question.Fail, Value: "false", Consecutive: 1}}},
		{Name: "shown", Kind: question.Predicate, Instructions: "Is there a hand in the picture?"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"home_holding"}, question.Thens(got)); diff != "" {
		t.Error(diff)
	}
}

func TestParseIsStrict(t *testing.T) {
	tests := map[string]struct{ raw, want string }{
		"unknown_key":        {`[{"name":"a","instructions":"x","whn":[]}]`, "unknown key"},
		"no_name":            {`[{"instructions":"x"}]`, "name"},
		"no_instructions":    {`[{"name":"a"}]`, "instructions"},
		"name_twice":         {`[{"name":"a","instructions":"x"},{"name":"a","instructions":"y"}]`, "another question"},
		"value_of_no_choice": {`[{"name":"a","type":"choice","instructions":"x","choices":{"b":"","c":""},"when":{"do":"fail","value":"d"}}]`, "no choice"},
		"choice_of_one":      {`[{"name":"a","type":"choice","instructions":"x","choices":{"b":""}}]`, "two choices"},
		"floor_above_1":      {`[{"name":"a","instructions":"x","when":{"do":"fail","threshold":1.2}}]`, "too large"},
		"no_tick":            {`[{"name":"a","instructions":"x","when":{"do":"fail","consecutive":0}}]`, "too small"},
		"then_of_escalate":   {`[{"name":"a","instructions":"x","when":{"do":"escalate","then":"home"}}]`, "follow-up"},
		"no_list":            {`{"name":"a"}`, "list"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got, err := question.Parse(json.RawMessage(tc.raw)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, %v; want an error with %q", got, err, tc.want)
			}
		})
	}
	for _, none := range []string{"", "null", "[]"} {
		if got, err := question.Parse(json.RawMessage(none)); err != nil || len(got) != 0 {
			t.Errorf("%q: got %v, %v", none, got, err)
		}
	}
}

func TestAnswers(t *testing.T) {
	p := question.Question{Name: "p", Kind: question.Predicate}
	c := question.Question{Name: "c", Kind: question.Choice, Options: []question.Option{{Value: "in"}, {Value: "out"}}}
	tests := map[string]struct {
		a         question.Answer
		value     string
		missing   question.Missing
		certainty float64
		json      string
	}{
		"a_predicate_is_true_at_one_half": {p.Is(0.5), "true", "", 0.5, "true"},
		"a_predicate_is_false_below":      {p.Is(0.49), "false", "", 0.51, "false"},
		"certain_that_it_is_false":        {p.Is(0), "false", "", 1, "false"},
		"a_choice_is_as_sure_as_its_p":    {c.Chosen("in", 0.4), "in", "", 0.4, `"in"`},
		"no_such_choice":                  {c.Chosen("up", 0.4), "", question.Invalid, 0, "null"},
		"not_a_number":                    {p.Is(math.NaN()), "", question.Invalid, 0, "null"},
		"above_one":                       {c.Chosen("in", 1.01), "", question.Invalid, 0, "null"},
		"a_choice_answered_with_a_number": {c.Is(0.9), "", question.Invalid, 0, "null"},
		"a_predicate_with_a_word":         {p.Chosen("true", 0.9), "", question.Invalid, 0, "null"},
		"a_refusal":                       {p.No(question.Refused, "no"), "", question.Refused, 0, "null"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.a.Value != tc.value || tc.a.Missing != tc.missing || math.Abs(tc.a.Certainty()-tc.certainty) > 1e-9 || string(tc.a.ValueJSON()) != tc.json {
				t.Errorf("got %+v, certainty %v, %s", tc.a, tc.a.Certainty(), tc.a.ValueJSON())
			}
		})
	}
}

func TestWatchForIsAFailureRuleFromSixSeconds(t *testing.T) {
	own := []question.Question{{Name: "watch_1", Kind: question.Predicate}}
	got, err := question.Watch(own, []question.WatchFor{{Question: " Is the cup tipping? "}, {Name: "spill", Question: "Is there water?", Do: question.Fail}})
	if err != nil {
		t.Fatal(err)
	}
	rule := question.Rule{Do: question.Escalate, Value: "true", Threshold: 0.8, Consecutive: 2, After: 6 * time.Second}
	failing := rule
	failing.Do = question.Fail
	want := []question.Question{
		own[0],
		{Name: "watch_2", Kind: question.Predicate, Instructions: "Is the cup tipping?", When: []question.Rule{rule}, AskFrom: 6 * time.Second, FromPlanner: true},
		{Name: "spill", Kind: question.Predicate, Instructions: "Is there water?", When: []question.Rule{failing}, AskFrom: 6 * time.Second, FromPlanner: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWatchForIsRefused(t *testing.T) {
	many := make([]question.WatchFor, question.MaxWatchFor+1)
	tests := map[string]struct {
		list []question.WatchFor
		want string
	}{
		"it_never_finishes_an_action": {[]question.WatchFor{{Question: "x", Do: question.Finish}}, "escalate or fail"},
		"an_empty_question":           {[]question.WatchFor{{Question: " "}}, "empty"},
		"a_question_too_long":         {[]question.WatchFor{{Question: strings.Repeat("ä", question.MaxWatchWords+1)}}, "more than 1000 characters"},
		"a_name_of_the_skills":        {[]question.WatchFor{{Name: "own", Question: "x"}}, "asked already"},
		"a_name_twice":                {[]question.WatchFor{{Name: "a", Question: "x"}, {Name: "a", Question: "y"}}, "asked already"},
		"no_name":                     {[]question.WatchFor{{Name: "A b", Question: "x"}}, "no name"},
		"too_many":                    {many, "at most"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := question.Watch([]question.Question{{Name: "own"}}, tc.list)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, %v; want an error with %q", got, err, tc.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(pick))
	f.Add([]byte(`[{"name":"a","type":"choice","choices":{"a":{"b":1}}}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, err := question.Parse(raw)
		if err != nil {
			return
		}
		for _, q := range list {
			if q.Kind == question.Choice && len(q.Options) < 2 {
				t.Errorf("%q: a choice of %d", raw, len(q.Options))
			}
			for _, r := range q.When {
				if !q.Has(r.Value) || r.Consecutive < 1 || r.Threshold < 0 || r.Threshold > 1 {
					t.Errorf("%q: the rule %+v of %s", raw, r, q.Name)
				}
			}
		}
	})
}
