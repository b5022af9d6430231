package app

import (
	"slices"

	"github.com/rein-robotics/rein/agent/hook"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/model"
)

// toolbox is what the planner's list of tools is made of.
func toolbox(s *setup, o *Options) run.Settings {
	set := run.Settings{Tools: s.tools, Functions: o.Functions}
	for _, g := range s.folder.Guides {
		set.Guides = append(set.Guides, run.Guide{Name: g.Name, Description: g.Description, Body: g.Body})
	}
	if s.agent == nil || s.agent.SubAgents == nil {
		return set
	}
	sub := s.agent.SubAgents
	set.SubAgents = &run.SubAgents{About: s.agent.SystemPrompt, Turns: sub.MaxTurns, Background: sub.Background}
	if sub.MaxTokens != nil {
		set.SubAgents.Tokens = *sub.MaxTokens
	}
	return set
}

// toolList is the planner's list of tools. An error says what cannot be on it.
func toolList(s *setup, o *Options) ([]model.ToolSpec, error) {
	set := toolbox(s, o)
	set.Functions, set.Monitor = slices.Concat(set.Functions, hook.Tools(o.Plugins)), monitorRules(s.agent, o)
	list, err := run.ToolSpecs(set)
	if err != nil {
		return nil, usage(err, "")
	}
	return list, nil
}
