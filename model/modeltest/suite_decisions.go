package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/model"
)

// DeciderMaker makes the decider under test.
type DeciderMaker func(e model.Endpoint, client *http.Client) (model.Decider, error)

// DeciderSuite runs the contract against a wire of typed answers.
type DeciderSuite struct {
	Wire Wire
	Make DeciderMaker
}

// TestDecider is the contract of every decider: what holds for all wires, then what is its own.
func TestDecider(t *testing.T, d DeciderSuite) {
	s := Suite{Wire: d.Wire, Make: func(e model.Endpoint, c *http.Client) (model.Provider, error) {
		p, err := d.Make(e, c)
		return asProvider{p}, err
	}}
	t.Run("refusals", s.refusals)
	t.Run("cancel", s.cancel)
	t.Run("nobody_there", s.nobodyThere)
	t.Run("keys", s.keys)
	t.Run("poisoned_environment", s.poisoned)
	t.Run("addresses", s.addresses)
	t.Run("limits", s.limits)
	t.Run("redirect", s.redirect)
	t.Run("answers", d.answers)
	t.Run("void_answers", d.void)
	t.Run("cut_bodies", d.cut)
	t.Run("late", d.late)
	t.Run("out_of_order", d.outOfOrder)
	t.Run("inquiries", d.inquiries)
	t.Run("closed_connection", d.closedConnection)
}

// asProvider asks one predicate, so that what is tried on every wire can be tried on this one.
type asProvider struct{ model.Decider }

// Stream says yes to a certain yes.
func (p asProvider) Stream(ctx context.Context, r model.Request, _ model.Options) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		d, err := p.Decide(ctx, model.Inquiry{
			System: r.System, Blocks: r.Messages[len(r.Messages)-1].Blocks, Questions: []model.Question{{Name: "so", Instructions: "It is so."}},
		})
		if err != nil {
			yield(nil, err)
			return
		}
		said := "no"
		if d.Answers[0].P == 1 {
			said = "yes"
		}
		_ = yield(model.Text{Text: said}, nil) && yield(d.Usage, nil) && yield(model.End{Reason: model.StopEndTurn}, nil)
	}
}

// Inquire is an inquiry about one picture: a predicate, then a choice.
func Inquire() model.Inquiry {
	p := Picture("front", 8, 6)
	return model.Inquiry{
		System: "You watch a robot.",
		Blocks: []model.Block{text("front_camera · current"), {Image: &p}, text(" "), text("Readings: {}")},
		Questions: []model.Question{
			{Name: "released", Instructions: "The object is <out> of the gripper & lies still."},
			{Name: "progress", Instructions: "Which phase is it?", Choices: []model.Choice{{Value: "true", Description: "It goes on."}, {Value: "failed"}}},
		},
	}
}

// decide asks once, in a bubble.
func (d DeciderSuite) decide(t *testing.T, step Step) (out model.Decisions, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		srv := New(t, d.Wire, Rules{}, step)
		out, err = d.decider(t, srv).Decide(t.Context(), Inquire())
	})
	return out, err
}

func (d DeciderSuite) decider(t testing.TB, srv *Server) model.Decider {
	t.Helper()
	p, err := d.Make(model.Endpoint{Provider: d.Wire.Name, Model: "any", BaseURL: srv.URL, Key: Key, KeyEnv: "TEST_KEY"}, srv.Client())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// answers: each answer is read by its type; what is none to its question is missing, and the others count.
func (d DeciderSuite) answers(t *testing.T) {
	const missing = "missing"
	released, progress := Yes("released", 0.25), Chose("progress", "failed", 0.7)
	tests := map[string]struct {
		first, second Answer
		want          [2]model.Decision
	}{
		"both":                   {released, progress, [2]model.Decision{{P: 0.25}, {Value: "failed", P: 0.7}}},
		"refused":                {RefusedAnswer("released"), progress, [2]model.Decision{{Missing: missing}, {Value: "failed", P: 0.7}}},
		"both_refused":           {RefusedAnswer("released"), RefusedAnswer("progress"), [2]model.Decision{{Missing: missing}, {Missing: missing}}},
		"certain":                {Yes("released", 1), Chose("progress", "true", 1), [2]model.Decision{{P: 1}, {Value: "true", P: 1}}},
		"a_boolean_is_no_choice": {released, with(progress, "choice", true), [2]model.Decision{{P: 0.25}, {Missing: missing}}},
		"no_choice_of_ours":      {released, Chose("progress", "flying", 0.9), [2]model.Decision{{P: 0.25}, {Missing: missing}}},
		"another_type":           {Chose("released", "true", 0.9), Yes("progress", 0.9), [2]model.Decision{{Missing: missing}, {Missing: missing}}},
		"a_score":                {object{"type": "score", "name": "released", "score": 1}, progress, [2]model.Decision{{Missing: missing}, {Value: "failed", P: 0.7}}},
		"no_type":                {object{"name": "released", "probability": 1}, progress, [2]model.Decision{{Missing: missing}, {Value: "failed", P: 0.7}}},
		"no_probability":         {object{"type": "predicate", "name": "released"}, without(progress, "probabilities"), [2]model.Decision{{Missing: missing}, {Missing: missing}}},
		"null":                   {with(released, "probability", nil), with(progress, "choice", nil), [2]model.Decision{{Missing: missing}, {Missing: missing}}},
		"above_one":              {Yes("released", 1.2), Chose("progress", "failed", 70), [2]model.Decision{{Missing: missing}, {Missing: missing}}},
		"below_zero":             {Yes("released", -0.1), progress, [2]model.Decision{{Missing: missing}, {Value: "failed", P: 0.7}}},
		"a_text":                 {with(released, "probability", "high"), progress, [2]model.Decision{{Missing: missing}, {Value: "failed", P: 0.7}}},
		"a_number_as_text":       {with(released, "probability", "0.9"), with(progress, "probabilities", odds("0.9")), [2]model.Decision{{Missing: missing}, {Missing: missing}}},
		"a_boolean":              {with(released, "probability", true), with(progress, "probabilities", odds(true)), [2]model.Decision{{Missing: missing}, {Missing: missing}}},
		"a_list":                 {with(released, "probability", []any{0.9}), with(progress, "probabilities", odds([]any{0.9})), [2]model.Decision{{Missing: missing}, {Missing: missing}}},
		"too_large_to_hold":      {with(released, "probability", json.Number("1e999")), with(progress, "probabilities", odds(json.Number("-1e999"))), [2]model.Decision{{Missing: missing}, {Missing: missing}}},
		"chosen_without_its_own": {released, with(progress, "probabilities", []any{object{"value": "true", "probability": 0.9}}), [2]model.Decision{{P: 0.25}, {Missing: missing}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			usage := model.Usage{Input: 900, Output: 4, CachedRead: 800, CachedWrite: 100, Reasoning: 2}
			got, err := d.decide(t, Step{Answers: []Answer{tc.first, tc.second}, Reply: Reply{Usage: usage}})
			if err != nil || len(got.Answers) != 2 || got.Usage != usage {
				t.Fatalf("got %+v, %v", got, err)
			}
			for i, a := range got.Answers {
				want := tc.want[i]
				want.Name = Inquire().Questions[i].Name
				if want.Missing != "" && a.Missing != "" {
					want.Missing = a.Missing
					want.Refused = [2]Answer{tc.first, tc.second}[i]["type"] == "refusal"
				}
				if a.Value != "" {
					if a.Confidence == nil || *a.Confidence != a.P/2 {
						t.Errorf("the confidence of %s is %v", a.Name, a.Confidence)
					}
				}
				a.Confidence = nil
				if diff := cmp.Diff(a, want); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// odds are the probabilities of a choice of "failed", as they come.
func odds(p any) []any { return []any{object{"value": "failed", "probability": p}} }

func with(a Answer, name string, v any) Answer {
	out := object{}
	maps.Copy(out, a)
	out[name] = v
	return out
}

func without(a Answer, name string) Answer {
	out := with(a, name, nil)
	delete(out, name)
	return out
}

// void: answers that cannot be told apart, and bodies that are none, are no answer at all.
func (d DeciderSuite) void(t *testing.T) {
	yes, chose := Yes("released", 1), Chose("progress", "failed", 1)
	tests := map[string]Step{
		"too_few":             {Answers: []Answer{yes}},
		"too_many":            {Answers: []Answer{yes, chose, yes}},
		"none":                {Answers: []Answer{}},
		"names_out_of_order":  {Answers: []Answer{chose, yes}},
		"a_name_twice":        {Answers: []Answer{yes, Chose("released", "failed", 1)}},
		"without_names":       {Answers: []Answer{without(yes, "name"), without(chose, "name")}},
		"refusal_for_nobody":  {Answers: []Answer{with(RefusedAnswer(""), "name", nil), chose}},
		"empty_object":        {Body: `{}`},
		"answers_null":        {Body: `{"model":"m","answers":null,"usage":{}}`},
		"answers_no_list":     {Body: `{"model":"m","answers":{"released":1},"usage":{}}`},
		"another_wire":        {Body: `{"object":"chat.completion","choices":[]}`},
		"a_list":              {Body: `[1]`},
		"no_json":             {Body: `yes`},
		"empty":               {Body: " "},
		"a_page":              {Body: "<html>hello</html>", Header: map[string]string{"Content-Type": "text/html"}},
		"malformed":           {Body: `{"answers": [}]`},
		"json_of_wrong_media": {Body: `{"answers":[]}`, Header: map[string]string{"Content-Type": "text/plain"}},
	}
	for name, step := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := d.decide(t, step)
			if err == nil || got.Answers != nil {
				t.Fatalf("got %+v, %v", got.Answers, err)
			}
			unwrap(t, err)
		})
	}
}

// cut: a body that breaks off, or does not come, is given up in time, and is no answer.
func (d DeciderSuite) cut(t *testing.T) {
	for name, tc := range map[string]struct {
		step Step
		took time.Duration
	}{
		"ends_early":     {Step{Fault: CleanEOF, At: 1}, 0},
		"never_begins":   {Step{Fault: CleanEOF}, 0},
		"breaks":         {Step{Fault: Abort, At: 1}, 0},
		"breaks_at_once": {Step{Fault: Abort}, 0},
		"garbage":        {Step{Fault: Malformed, At: 1}, 0},
		"stalls":         {Step{Fault: Stall, At: 1}, model.DefaultByteWait},
		"stalls_at_once": {Step{Fault: Stall}, model.DefaultByteWait},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				_, err := d.decider(t, New(t, d.Wire, Rules{}, tc.step)).Decide(t.Context(), Inquire())
				if e := unwrap(t, err); e.Class != model.DeadStream && e.Class != model.Incompatible {
					t.Errorf("got %v", err)
				}
				if took := time.Since(began); took < tc.took || took > tc.took+time.Second {
					t.Errorf("given up after %s, want %s", took, tc.took)
				}
			})
		})
	}
}

// late: an answer that takes its time is one, unless its caller does not wait so long.
func (d DeciderSuite) late(t *testing.T) {
	for name, tc := range map[string]struct {
		limit time.Duration
		late  bool
	}{"waited_for": {25 * time.Second, false}, "not_waited_for": {10 * time.Second, true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tc.limit)
				defer cancel()
				began := time.Now()
				got, err := d.decider(t, New(t, d.Wire, Rules{}, Step{Delay: 20 * time.Second})).Decide(ctx, Inquire())
				if late := errors.Is(err, context.DeadlineExceeded); late != tc.late || !late && (err != nil || len(got.Answers) != 2) {
					t.Errorf("got %+v, %v", got, err)
				}
				if took := time.Since(began); took != min(tc.limit, 20*time.Second) {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

// outOfOrder: of two inquiries in flight each gets its own answers, whichever comes first.
func (d DeciderSuite) outOfOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := New(t, d.Wire, Rules{},
			Step{Delay: 5 * time.Second, Answers: []Answer{Yes("released", 0.1), RefusedAnswer("progress")}},
			Step{Delay: time.Second, Answers: []Answer{Yes("released", 0.9), RefusedAnswer("progress")}})
		p := d.decider(t, srv)
		ask := func(into chan<- float64) {
			got, err := p.Decide(t.Context(), Inquire())
			if err != nil {
				t.Error(err)
				into <- -1
				return
			}
			into <- got.Answers[0].P
		}
		first, second := make(chan float64, 1), make(chan float64, 1)
		go ask(first)
		synctest.Wait()
		began := time.Now()
		go ask(second)
		if p := <-second; p != 0.9 || time.Since(began) != time.Second {
			t.Errorf("the second got %v", p)
		}
		if p := <-first; p != 0.1 {
			t.Errorf("the first got %v", p)
		}
	})
}

// inquiries: what cannot be asked is not sent.
func (d DeciderSuite) inquiries(t *testing.T) {
	tests := map[string]func(*model.Inquiry){
		"no_question":     func(i *model.Inquiry) { i.Questions = nil },
		"a_name_twice":    func(i *model.Inquiry) { i.Questions[1].Name = "released" },
		"without_a_name":  func(i *model.Inquiry) { i.Questions[0].Name = "" },
		"one_choice":      func(i *model.Inquiry) { i.Questions[1].Choices = i.Questions[1].Choices[:1] },
		"a_choice_twice":  func(i *model.Inquiry) { i.Questions[1].Choices[1].Value = "true" },
		"an_empty_choice": func(i *model.Inquiry) { i.Questions[1].Choices[1].Value = "" },
		"a_call_is_no_eye": func(i *model.Inquiry) {
			i.Blocks = append(i.Blocks, model.Block{Call: &model.CallBlock{ID: "1", Name: "pick", Args: json.RawMessage("{}")}})
		},
		"400_and_one": func(i *model.Inquiry) { i.Questions = make([]model.Question, 401) },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			i := Inquire()
			spoil(&i)
			srv := New(t, d.Wire, Rules{})
			if _, err := d.decider(t, srv).Decide(t.Context(), i); model.ClassOf(err) != model.BadRequest || len(srv.Requests()) != 0 {
				t.Errorf("got %v after %d requests", err, len(srv.Requests()))
			}
		})
	}
}
