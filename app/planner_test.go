package app

import (
	"strings"
	"testing"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
)

func planner(provider, base string) *config.Agent {
	a := &config.Agent{}
	a.SetDefaults()
	a.Planner.Provider, a.Planner.Model, a.Planner.BaseURL = provider, "any", base
	return a
}

func env(values map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := values[name]; return v, ok }
}

func TestPlannerNeedsItsKey(t *testing.T) {
	tests := map[string]struct {
		agent *config.Agent
		env   map[string]string
		want  string // in the error; "" = none
	}{
		"missing":     {planner("anthropic", ""), nil, "ANTHROPIC_API_KEY"},
		"malformed":   {planner("openai", ""), map[string]string{"OPENAI_API_KEY": `"quoted-secret"`}, "OPENAI_API_KEY"},
		"given":       {planner("openai_responses", ""), map[string]string{"OPENAI_API_KEY": " key\n"}, ""},
		"not_needed":  {planner("openai", "http://127.0.0.1:1/v1"), nil, ""},
		"no_address":  {planner("openai", "127.0.0.1"), nil, "no address"},
		"not_planner": {planner("openai_decisions", ""), map[string]string{"OPENAI_API_KEY": "k"}, "no wire"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := newModelPlanner(tc.agent, env(tc.env), nil)
			if (err == nil) != (tc.want == "") || err != nil && (!strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret")) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// A planner at another address gets no vendor's key, and its own when one is configured.
func TestPlannerSpeaksEachWire(t *testing.T) {
	for _, w := range []modeltest.Wire{modeltest.Anthropic(), modeltest.Chat(), modeltest.Responses()} {
		t.Run(w.Name, func(t *testing.T) {
			srv := modeltest.Listen(t, w, modeltest.Rules{NoKey: true}, modeltest.Step{Reply: modeltest.Reply{Text: "yes", Usage: model.Usage{Input: 1e6, Output: 1e6}}})
			a := planner(w.Name, srv.URL)
			effort := 4096
			a.Planner.MaxOutputTokens, a.Planner.ReasoningEffort = &effort, "high"
			a.Prices = map[string]config.Price{"any": {Input: 3, Output: 15}}
			r, err := newModelPlanner(a, env(map[string]string{"OPENAI_API_KEY": "poison", "ANTHROPIC_API_KEY": "poison"}), nil)
			if err != nil || len(r.notes) != 1 || r.known || r.limits.Images != 100 {
				t.Fatalf("got %+v, %v", r, err)
			}
			said, cost := "", 0.0
			for p, err := range r.Deliberate(t.Context(), run.View{Request: modeltest.Ask("go")}) {
				if err != nil {
					t.Fatal(err)
				}
				switch p := p.(type) {
				case model.Text:
					said += p.Text
				case model.Usage:
					cost = p.CostUSD
				}
			}
			if said != "yes" || cost != 18 || r.Name() != w.Name+":any@1" {
				t.Errorf("%s said %q for %v", r.Name(), said, cost)
			}
		})
	}
}
