package app

import (
	"fmt"
	"time"

	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/anthropic"
	"github.com/rein-robotics/rein/model/openai"
	"github.com/rein-robotics/rein/reason/llm"
)

// modelPlanner is a planner that is a model. notes say what of its settings the model does not take. lookup reads an
// environment variable; nothing else of the environment is read.
func modelPlanner(a *config.Agent, lookup func(name string) (string, bool), tune func(*llm.Config)) (r *llm.Reasoner, notes []string, err error) {
	p := &a.Planner
	e, err := endpoint(p, lookup)
	if err != nil {
		return nil, nil, fmt.Errorf("planner: %w", err)
	}
	cfg := llm.Config{Model: p.Provider + ":" + p.Model, Retry: model.Retry{Max: p.Retries}}
	if price, ok := a.Prices[p.Model]; ok {
		cfg.Price = model.Price{Input: price.Input, Output: price.Output, CachedInput: price.CachedInput, CacheWrite: price.CacheWrite}
	}
	if cfg.Provider, notes, err = newProvider(e); err != nil {
		return nil, nil, fmt.Errorf("planner: %w", err)
	}
	if tune != nil {
		tune(&cfg)
	}
	return llm.New(cfg), notes, nil
}

// endpoint is a planner's settings with its key.
func endpoint(p *config.Planner, lookup func(name string) (string, bool)) (model.Endpoint, error) {
	e := model.Endpoint{
		Provider: p.Provider, Model: p.Model, BaseURL: p.BaseURL, KeyEnv: p.KeyEnv(), ReasoningEffort: p.ReasoningEffort,
		Wait: model.Waits{Part: time.Duration(p.TimeoutS * float64(time.Second))},
	}
	if p.ThinkingBudget != nil {
		e.ThinkingBudget = *p.ThinkingBudget
	}
	if p.MaxOutputTokens != nil {
		e.MaxOutputTokens = *p.MaxOutputTokens
	}
	for _, raw := range p.NativeTools {
		tool, err := raw.JSON()
		if err != nil {
			return e, err
		}
		e.NativeTools = append(e.NativeTools, tool)
	}
	if e.KeyEnv == "" {
		return e, nil
	}
	value, _ := lookup(e.KeyEnv) // a variable that is not there is as good as an empty one
	key, err := model.Key(e.KeyEnv, value, e.BaseURL)
	e.Key = key
	return e, err
}

// newProvider is the one switch over the wires.
func newProvider(e model.Endpoint) (p model.Provider, notes []string, err error) {
	switch e.Provider {
	case anthropic.Name:
		a, err := anthropic.New(e, nil)
		if err != nil {
			return nil, nil, err
		}
		return a, a.Notes(), nil
	case openai.ChatName:
		c, err := openai.NewChat(e, nil)
		if err != nil {
			return nil, nil, err
		}
		return c, c.Notes(), nil
	case openai.ResponsesName:
		r, err := openai.NewResponses(e, nil)
		if err != nil {
			return nil, nil, err
		}
		return r, r.Notes(), nil
	}
	return nil, nil, fmt.Errorf("%s is no wire to a planner", e.Provider)
}
