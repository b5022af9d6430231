package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
	"github.com/rein-robotics/rein/model/openai"
)

func TestDecisions(t *testing.T) {
	modeltest.TestDecider(t, modeltest.DeciderSuite{Wire: modeltest.Decisions(), Make: func(e model.Endpoint, c *http.Client) (model.Decider, error) {
		return openai.NewDecisions(e, c)
	}})
}

func TestDecisionsBody(t *testing.T) {
	plain := modeltest.Inquire()
	bare := model.Inquiry{Blocks: plain.Blocks[:1], Questions: plain.Questions[:1]}
	modeltest.Golden(t, "testdata/decisions.txtar", []string{"whole", "bare"}, map[string]any{
		"whole": openai.DecisionsBody(plain, "gpt-6-luna"), "bare": openai.DecisionsBody(bare, "gpt-6-luna"),
	})
}

// A key that the wire cannot take is an error, and not something left out.
func TestDecisionsTakeNoSettings(t *testing.T) {
	for name, e := range map[string]model.Endpoint{
		"reasoning_effort":  {Model: "gpt-6-luna", ReasoningEffort: "low"},
		"thinking_budget":   {Model: "gpt-6-luna", ThinkingBudget: 2048},
		"max_output_tokens": {Model: "gpt-6-luna", MaxOutputTokens: 100},
		"base_url":          {Model: "gpt-6-luna", BaseURL: "localhost"},
	} {
		if _, err := openai.NewDecisions(e, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	p, err := openai.NewDecisions(model.Endpoint{Model: "gpt-6-luna"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if l, _ := p.Limits(); l.Images != 128 || p.String() != "openai_decisions:gpt-6-luna" {
		t.Errorf("got %+v of %s", l, p)
	}
}
