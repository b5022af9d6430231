package app

import (
	"fmt"
	"math/rand/v2"
	"net/http"

	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/anthropic"
	"github.com/rein-robotics/rein/model/openai"
	"github.com/rein-robotics/rein/reason/llm"
)

// modelPlanner is a planner that is a model, and what is known of the model.
type modelPlanner struct {
	*llm.Reasoner
	limits model.Limits
	known  bool     // a row of the table names it
	notes  []string // what of its settings it does not take, and why
}

// newModelPlanner makes a planner of an agent's settings. lookup reads an environment variable; nothing else of the
// environment is read. tune may add what only the caller has; nil = nothing.
func newModelPlanner(a *config.Agent, lookup func(name string) (string, bool), tune func(*llm.Config)) (*modelPlanner, error) {
	p := &a.Planner
	e, err := plannerEndpoint(p, lookup)
	if err != nil {
		return nil, fmt.Errorf("planner: %w", err)
	}
	w, err := newWire(e, nil)
	if err != nil {
		return nil, fmt.Errorf("planner: %w", err)
	}
	cfg := llm.Config{Provider: w, Model: p.Provider + ":" + p.Model, Retry: model.Retry{Max: p.Retries, Jitter: rand.Float64}}
	cfg.Price = priceOf(a, p.Model)
	if tune != nil {
		tune(&cfg)
	}
	m := &modelPlanner{Reasoner: llm.New(cfg), notes: w.Notes()}
	m.limits, m.known = w.Limits()
	return m, nil
}

// plannerEndpoint is a planner's settings with its key.
func plannerEndpoint(p *config.Planner, lookup func(name string) (string, bool)) (model.Endpoint, error) {
	e, err := endpoint(&p.Endpoint, lookup)
	e.Wait = model.Waits{Part: config.Seconds(p.TimeoutS)}
	for _, raw := range p.NativeTools {
		tool, err := raw.JSON()
		if err != nil {
			return e, err
		}
		e.NativeTools = append(e.NativeTools, tool)
	}
	return e, err
}

// endpoint is the settings of a model with its key.
func endpoint(p *config.Endpoint, lookup func(name string) (string, bool)) (model.Endpoint, error) {
	e := model.Endpoint{Provider: p.Provider, Model: p.Model, BaseURL: p.BaseURL, KeyEnv: p.KeyEnv(), ReasoningEffort: p.ReasoningEffort}
	if p.ThinkingBudget != nil {
		e.ThinkingBudget = *p.ThinkingBudget
	}
	if p.MaxOutputTokens != nil {
		e.MaxOutputTokens = *p.MaxOutputTokens
	}
	if e.KeyEnv == "" {
		return e, nil
	}
	value, _ := lookup(e.KeyEnv) // a variable that is not there is as good as an empty one
	key, err := model.Key(e.KeyEnv, value, e.BaseURL)
	e.Key = key
	return e, err
}

// modelWire is a provider that knows what its model takes.
type modelWire interface {
	model.Provider
	Notes() []string
	Limits() (l model.Limits, known bool)
}

// newWire is the one switch over the wires. client nil = one of its own.
func newWire(e model.Endpoint, client *http.Client) (modelWire, error) {
	switch e.Provider {
	case anthropic.Name:
		return anthropic.New(e, client)
	case openai.ChatName:
		return openai.NewChat(e, client)
	case openai.ResponsesName:
		return openai.NewResponses(e, client)
	}
	return nil, fmt.Errorf("%s is no wire to a planner", e.Provider)
}

// priceOf is what a model costs; nothing when nobody said.
func priceOf(a *config.Agent, name string) model.Price {
	p := a.Prices[name]
	return model.Price{Input: p.Input, Output: p.Output, CachedInput: p.CachedInput, CacheWrite: p.CacheWrite}
}
