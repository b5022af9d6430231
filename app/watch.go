package app

import (
	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/monitor/rule"
)

// monitorRules is how running actions are watched, nil when nobody does.
func monitorRules(a *config.Agent, o *Options) *agent.MonitorRules {
	if a == nil || a.Monitor == nil || o.Monitor == "none" {
		return nil
	}
	m := a.Monitor
	r := &agent.MonitorRules{
		Every: seconds(m.PeriodS), KeepsFirst: m.History > 1 || m.Reference, MaxAge: seconds(m.MaxAnswerAgeS), Rearm: rule.Again,
	}
	if !m.Rearm {
		r.Rearm = rule.Once
	}
	return r
}
