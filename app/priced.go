package app

import (
	"fmt"

	"github.com/rein-robotics/rein/config"
)

// priced refuses a budget of money that cannot be counted: a model that it is to limit has no price.
func priced(a *config.Agent) error {
	if a.Budgets.MaxCostUSD == nil {
		return nil
	}
	missing := func(duty, provider, model string) error {
		if _, has := a.Prices[model]; has || provider == config.ProviderRules {
			return nil
		}
		return usage(fmt.Errorf("budgets.max_cost_usd cannot limit the %s: agent.prices has no price of %s", duty, model),
			"write what it costs, zeros when it costs nothing, or limit tokens with budgets.max_tokens")
	}
	if err := missing("planner", a.Planner.Provider, a.Planner.Model); err != nil {
		return err
	}
	if a.Monitor == nil {
		return nil
	}
	return missing("monitor", a.Monitor.Provider, a.Monitor.Model)
}
