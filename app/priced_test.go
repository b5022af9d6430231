package app

import (
	"strings"
	"testing"

	"github.com/rein-robotics/rein/config"
)

// A limit of money that cannot be counted is refused before anything runs; a price of nothing is a price.
func TestALimitOfMoneyNeedsPrices(t *testing.T) {
	limit := 1.0
	model := config.Planner{Endpoint: config.Endpoint{Provider: "anthropic", Model: "claude-x"}}
	tests := map[string]struct {
		agent config.Agent
		want  string // in the error; "" = none
	}{
		"no_limit":        {config.Agent{Planner: model}, ""},
		"rules":           {config.Agent{Planner: config.Planner{Endpoint: config.Endpoint{Provider: config.ProviderRules}}, Budgets: config.Budgets{MaxCostUSD: &limit}}, ""},
		"planner":         {config.Agent{Planner: model, Budgets: config.Budgets{MaxCostUSD: &limit}}, "the planner: agent.prices has no price of claude-x"},
		"planner_is_free": {config.Agent{Planner: model, Budgets: config.Budgets{MaxCostUSD: &limit}, Prices: map[string]config.Price{"claude-x": {}}}, ""},
		"monitor": {config.Agent{
			Planner: config.Planner{Endpoint: config.Endpoint{Provider: config.ProviderRules}}, Monitor: &config.Monitor{Endpoint: config.Endpoint{Provider: "openai", Model: "tiny"}}, Budgets: config.Budgets{MaxCostUSD: &limit},
		}, "the monitor: agent.prices has no price of tiny"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := priced(&tc.agent)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || !IsUsage(err)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
