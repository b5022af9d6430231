package config

// Agent is the agent: block of controller.yaml.
type Agent struct {
	// The slow, smart model that plans.
	Planner Planner `yaml:"planner"`
	// The fast model that watches running actions. Without one, only deadlines and checks end a policy.
	Monitor *Monitor `yaml:"monitor"`
	// Whether the planner may delegate tasks that need only looking, reading or thinking. Left out: it may not.
	SubAgents *SubAgents `yaml:"sub_agents"`
	// What is judged of running actions by the robot's own readings.
	Checks []Tripwire `yaml:"checks"`
	// Seconds between wakes of the planner while actions run and nothing else happened; null turns them off.
	PlannerHeartbeatS *float64 `yaml:"planner_heartbeat_s" check:"above=0,max=1000000"`
	// What a run may use up.
	Budgets Budgets `yaml:"budgets"`
	// The pictures that the agent sees, as module/field. Empty: all.
	Cameras []string `yaml:"cameras"`
	// The readings that the agent sees, by module. Empty: all.
	StateFields map[string][]string `yaml:"state_fields"`
	// More pictures than this, and the conversation goes on in a new segment.
	MaxImagesInContext int `yaml:"max_images_in_context" check:"min=2,max=600"`
	// A point on a picture that is older is refused, seconds.
	MaxPointAgeS float64 `yaml:"max_point_age_s" check:"above=0,max=1000000"`
	// The longest side of a picture that the planner sees, pixels.
	ImageMaxSide int `yaml:"image_max_side" check:"min=64,max=4096"`
	// Whether planner pictures carry a labelled pixel grid.
	ImageGrid bool `yaml:"image_grid"`
	// Whether planner pictures show what the trackers marked. The monitor never sees it.
	ImageOverlays bool `yaml:"image_overlays"`
	// Plan and point, but start nothing.
	DryRun bool `yaml:"dry_run"`
	// What this robot is, and what its tools are good and bad at.
	SystemPrompt string `yaml:"system_prompt"`
	// A skill that starts whenever a run ends.
	OnIdle *Tool `yaml:"on_idle"`
	// What models cost, by model.
	Prices map[string]Price `yaml:"prices"`
	// Whether a point of any camera is void as soon as the robot has moved, and a step with a point is never complete.
	StrictPoints bool `yaml:"strict_points"`
	// Whether inputs of the operator that change nothing on the robot pause the run, too.
	StrictOperator bool `yaml:"strict_operator"`
	// How a move ends.
	Arrival Arrival `yaml:"arrival"`
	// Limits of what is waited for.
	Waits Waits `yaml:"waits"`
}

// Defaults of the agent.
const (
	DefaultHeartbeatS         = 20.0
	DefaultMaxImagesInContext = 40
	DefaultMaxPointAgeS       = 60.0
	DefaultImageMaxSide       = 1024
)

// SetDefaults gives the values of keys that are left out.
func (a *Agent) SetDefaults() {
	beat := DefaultHeartbeatS
	a.PlannerHeartbeatS = &beat
	a.MaxImagesInContext, a.MaxPointAgeS, a.ImageMaxSide = DefaultMaxImagesInContext, DefaultMaxPointAgeS, DefaultImageMaxSide
	a.ImageGrid, a.ImageOverlays = true, true
	a.Planner.SetDefaults()
	a.Budgets.SetDefaults()
	a.Arrival.SetDefaults()
	a.Waits.SetDefaults()
}

// SubAgents is the sub_agents: block of controller.yaml. What a sub-agent uses counts in the budgets of the run.
type SubAgents struct {
	// Rounds of one task at most.
	MaxTurns int `yaml:"max_turns" check:"min=1,max=100"`
	// Tokens of one task at most. Left out: as many as the run has left.
	MaxTokens *int `yaml:"max_tokens" check:"min=1"`
	// Whether a task is a job: the planner goes on meanwhile, and is woken when it has been done.
	Background bool `yaml:"background"`
}

// DefaultSubTurns is how many rounds a sub-agent has when nobody says.
const DefaultSubTurns = 10

// SetDefaults gives the values of keys that are left out.
func (s *SubAgents) SetDefaults() { s.MaxTurns = DefaultSubTurns }

// Budgets are what a run may use up.
type Budgets struct {
	// Rounds of the planner.
	MaxTurns int `yaml:"max_turns" check:"min=1"`
	// Minutes of the robot's clock while the run is neither paused nor waiting for the user.
	MaxMinutes float64 `yaml:"max_minutes" check:"above=0,max=100000"`
	// Failures in a row of one tool before the planner is told that another approach is due.
	RetriesPerStep int `yaml:"retries_per_step" check:"min=1"`
	// Money for planner, monitor and sub-agents, US dollars; each of their models then needs its `prices`. Left out: no limit.
	MaxCostUSD *float64 `yaml:"max_cost_usd" check:"above=0,max=1000000"`
	// Started actions. Left out: no limit.
	MaxMotions *int `yaml:"max_motions" check:"min=1"`
	// Tokens of planner, monitor and sub-agents. Left out: no limit.
	MaxTokens *int `yaml:"max_tokens" check:"min=1"`
}

// SetDefaults gives the values of keys that are left out.
func (b *Budgets) SetDefaults() { b.MaxTurns, b.MaxMinutes, b.RetriesPerStep = 80, 20, 3 }

// Price is what a model costs, US dollars for a million tokens.
type Price struct {
	// Tokens of the request that were not cached.
	Input float64 `yaml:"input" check:"required,min=0"`
	// Tokens of the reply.
	Output float64 `yaml:"output" check:"required,min=0"`
	// Tokens of the request that were read from the cache.
	CachedInput float64 `yaml:"cached_input" check:"min=0"`
	// Tokens of the request that were written to the cache.
	CacheWrite float64 `yaml:"cache_write" check:"min=0"`
}

// Endpoint is a model and where it is.
type Endpoint struct {
	// The wire that the model is spoken to over. `rules` is the offline planner, or the offline monitor, and takes no other key.
	Provider string `yaml:"provider" check:"oneof=anthropic|openai|openai_responses|openai_decisions|rules"`
	// The model's name.
	Model string `yaml:"model"`
	// The environment variable that holds the key. Left out: the provider's usual one.
	APIKeyEnv string `yaml:"api_key_env"`
	// Where a compatible server, a proxy or a recording is: the root before /v1. Left out: the provider's.
	BaseURL string `yaml:"base_url"`
	// How many tokens the model may think; at least 1024.
	ThinkingBudget *int `yaml:"thinking_budget" check:"min=1024"`
	// How hard the model thinks.
	ReasoningEffort string `yaml:"reasoning_effort" check:"oneof=|none|minimal|low|medium|high|xhigh|max"`
	// The longest reply, tokens.
	MaxOutputTokens *int `yaml:"max_output_tokens" check:"min=1"`
}

// validate checks the keys of one duty ("planner", "monitor").
func (e *Endpoint) validate(c *Check, providers ...string) {
	if wrong, hint := address(e.BaseURL); wrong != "" {
		c.Errorf("base_url", hint, "%s", wrong)
	}
	if e.APIKeyEnv != "" && !variable(e.APIKeyEnv) { // who writes the key itself there does not find it in a message
		c.Errorf("api_key_env", "write a name such as MONITOR_KEY, and put the key into that variable", "it is no name of an environment variable")
	}
	known := false
	for _, p := range providers {
		known = known || p == e.Provider
	}
	switch {
	case !known:
		c.Errorf("provider", "", "%s cannot be used here", e.Provider)
	case e.Provider == ProviderRules && (e.Model != "" || e.BaseURL != "" || e.APIKeyEnv != ""):
		c.Errorf("provider", "remove model, base_url and api_key_env", "rules is no model and needs no place or key")
	case e.Provider != ProviderRules && e.Model == "":
		c.Errorf("provider", "add model:", "%s needs a model", e.Provider)
	case e.Provider == ProviderRules || e.Provider == "openai_decisions":
		e.thinksNot(c)
	case e.ThinkingBudget != nil && e.ReasoningEffort != "":
		c.Errorf("thinking_budget", "keep one of them", "thinking_budget and reasoning_effort say the same in two ways")
	case e.ThinkingBudget != nil && e.Provider != "anthropic":
		c.Errorf("thinking_budget", "write reasoning_effort", "%s takes no thinking_budget", e.Provider)
	}
}

// variable says that a shell can set an environment variable of this name.
func variable(name string) bool {
	for i, r := range name {
		if r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// thinksNot refuses the keys that say how long a model may think and reply, for providers that take none of them.
func (e *Endpoint) thinksNot(c *Check) {
	if e.ReasoningEffort != "" {
		c.Errorf("reasoning_effort", "remove it", "%s takes no reasoning_effort", e.Provider)
	}
	if e.ThinkingBudget != nil {
		c.Errorf("thinking_budget", "remove it", "%s takes no thinking_budget", e.Provider)
	}
	if e.MaxOutputTokens != nil {
		c.Errorf("max_output_tokens", "remove it", "%s takes no max_output_tokens", e.Provider)
	}
}

// ProviderRules is the provider that needs no model.
const ProviderRules = "rules"

// KeyEnv is the environment variable that must hold the endpoint's key; "" when it needs none.
func (e *Endpoint) KeyEnv() string {
	switch {
	case e.APIKeyEnv != "":
		return e.APIKeyEnv
	case e.Provider == ProviderRules || e.BaseURL != "":
		return ""
	case e.Provider == "anthropic":
		return "ANTHROPIC_API_KEY"
	}
	return "OPENAI_API_KEY"
}

// Planner is the endpoint of the planner.
type Planner struct {
	Endpoint `yaml:",inline"`
	// How often in a row a request is asked again after an error that may pass.
	Retries int `yaml:"retries" check:"min=0,max=100"`
	// A stream without a part for so long is dead, seconds.
	TimeoutS float64 `yaml:"timeout_s" check:"above=0,max=1000000"`
	// Tools of the provider itself (a web search) that are declared to the model.
	NativeTools []Raw `yaml:"native_tools"`
}

// SetDefaults gives the values of keys that are left out.
func (p *Planner) SetDefaults() { p.Provider, p.Retries, p.TimeoutS = ProviderRules, 4, 180 }

// Validate checks that the keys fit the provider.
func (p *Planner) Validate(c *Check) {
	p.validate(c, "anthropic", "openai", "openai_responses", ProviderRules)
}
