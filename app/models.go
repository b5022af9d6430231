package app

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/internal/terminal"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/reason/llm"
	"github.com/rein-robotics/rein/reason/rules"
)

// replyLimit is how long a whole reply of a model may take, waits between tries included, wall clock. Streams that say
// nothing end long before: planner.timeout_s.
const replyLimit = 30 * time.Minute

// planners are the providers of a planner.
func planners() []string {
	return []string{config.ProviderRules, "anthropic", "openai", "openai_responses"}
}

// checkModels checks the planner and the monitor that flags and configuration ask for; flags stand before the configuration.
// The flags are applied to s.agent.
func checkModels(s *setup, o *Options) error {
	a := s.agent
	if err := plannerFlags(a, o); err != nil {
		return err
	}
	if err := monitorFlags(a, o); err != nil {
		return err
	}
	if err := s.folder.Supports(planners(), monitors()); err != nil {
		return usage(err, "")
	}
	if err := priced(a); err != nil {
		return err
	}
	if _, err := assessor(a, s.body, os.LookupEnv, nil); err != nil {
		return usage(err, keyHint(err, "set the variable, name a server of your own with --monitor-url, or use --monitor none"))
	}
	if a.Planner.Provider == config.ProviderRules {
		return nil
	}
	if _, err := newModelPlanner(a, os.LookupEnv, nil); err != nil {
		return usage(err, keyHint(err, "set the variable, or name a server of your own with --planner-url"))
	}
	return nil
}

// keyHint is the hint of an error that is about a key, "" of another.
func keyHint(err error, hint string) string {
	if errors.Is(err, model.ErrNoKey) || errors.Is(err, model.ErrBadKey) {
		return hint
	}
	return ""
}

// plannerFlags puts --planner and --planner-url over the configuration's planner.
func plannerFlags(a *config.Agent, o *Options) error {
	if o.Planner != "" && o.Planner != config.ProviderRules {
		provider, name, ok := strings.Cut(o.Planner, ":")
		if !ok || name == "" || provider == config.ProviderRules || !slices.Contains(planners(), provider) {
			return usage(fmt.Errorf("--planner %s: wanted `rules`, or provider:model", o.Planner),
				"providers are "+strings.Join(planners()[1:], ", "))
		}
		if provider != a.Planner.Provider {
			a.Planner = config.Planner{Retries: a.Planner.Retries, TimeoutS: a.Planner.TimeoutS}
		}
		a.Planner.Provider, a.Planner.Model = provider, name
	}
	if o.Planner == config.ProviderRules {
		a.Planner.Provider = config.ProviderRules
	}
	switch {
	case o.PlannerURL == "":
	case a.Planner.Provider == config.ProviderRules:
		return usage(errors.New("--planner-url: the planner `rules` is at no address"), "leave it out, or choose a model with --planner")
	default:
		if _, err := model.Root(o.PlannerURL); err != nil {
			return usage(fmt.Errorf("--planner-url: %w", err), "")
		}
		a.Planner.BaseURL = o.PlannerURL
	}
	return nil
}

// planner makes the planner of the run.
func (r *running) planner() (agent.Planner, error) {
	a := r.setup.agent
	if a.Planner.Provider == config.ProviderRules {
		return agent.Planner{Reasoner: rules.New(), SystemPrompt: a.SystemPrompt, MaxImages: a.MaxImagesInContext}, nil
	}
	m, err := newModelPlanner(a, os.LookupEnv, func(c *llm.Config) {
		c.OnFault = func(f llm.Fault) { r.log.Post(faultEvent(c.Model, f)) }
	})
	if err != nil {
		return agent.Planner{}, err
	}
	for _, n := range m.notes {
		r.o.say("planner: " + n)
	}
	return agent.Planner{
		Reasoner: m, SystemPrompt: llm.SystemPrompt(a.SystemPrompt, m.limits.Points), MaxImages: min(a.MaxImagesInContext, m.limits.Images),
		ContextTokens: m.room(a), PointForm: m.limits.Points,
	}, nil
}

// room is what a request may hold, tokens: the model's window without the longest reply.
func (m *modelPlanner) room(a *config.Agent) int {
	reply := m.limits.MaxOutput
	if n := a.Planner.MaxOutputTokens; n != nil {
		reply = *n
	}
	return max(m.limits.Context-reply, m.limits.Context/2)
}

func faultEvent(component string, f llm.Fault) episode.ProviderError {
	return episode.ProviderError{Component: component, Class: string(model.ClassOf(f.Err)), Attempt: f.Attempt, WaitS: f.Wait.Seconds()}
}

// say hands a text, on one line, to whoever reads the progress.
func (o *Options) say(line string) {
	if o.Progress != nil {
		o.Progress(terminal.Line(line))
	}
}
