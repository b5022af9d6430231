package config

// Controller is controller.yaml: how the robot is run, which tools there are, and the agent.
type Controller struct {
	// Control periods a second.
	ControlHz int `yaml:"control_hz" check:"min=10,max=1000"`
	// What is recorded.
	Recording Recording `yaml:"recording"`
	// The operator's interface of `rein serve`: `external` is the page and its API, `none` is none.
	UI string `yaml:"ui" check:"oneof=external|none"`
	// The tools, by name.
	Tools map[string]Tool `yaml:"tools"`
	// The agent. Without it the robot has a plain controller, and `rein run` has nobody to give the task to.
	Agent *Agent `yaml:"agent"`
}

// DefaultControlHz is the rate of the control loop.
const DefaultControlHz = 100

// SetDefaults gives the values of keys that are left out.
func (c *Controller) SetDefaults() {
	c.ControlHz, c.UI = DefaultControlHz, "external"
	c.Recording.SetDefaults()
}

// Validate checks the names of tools.
func (c *Controller) Validate(ck *Check) {
	for _, name := range sortedKeys(c.Tools) {
		switch {
		case !IsName(name):
			ck.Errorf("tools."+name, nameHint, "%q is no name", name)
		case isBuiltIn(name):
			ck.Errorf("tools."+name, "choose another name", "%q is a tool that every agent has", name)
		}
	}
}

// builtIn are the tools that the agent has by itself.
func isBuiltIn(name string) bool {
	switch name {
	case "update_plan", "observe", "stop_action", "ask_user", "finish_task", "wait", "jobs", "read_job", "info", "skill", "delegate":
		return true
	}
	return false
}

// Recording says where episodes go.
type Recording struct {
	// Whether runs are recorded.
	Controller bool `yaml:"controller"`
	// The name of sessions; it becomes a part of their folders' names.
	Session string `yaml:"session"`
}

// SetDefaults gives the values of keys that are left out.
func (r *Recording) SetDefaults() { r.Controller, r.Session = true, "session" }

// Tool is a skill with what the model does not choose.
type Tool struct {
	// Which skill it starts.
	Skill string `yaml:"skill" check:"required,name"`
	// The bound parameters. They never reach a model.
	Params map[string]any `yaml:"params"`
}

// Arrival chooses how a move ends.
type Arrival struct {
	// Whether a field within tolerance has arrived whatever its speed, and a stalled move is a success however far from
	// its target it is.
	Letter bool `yaml:"letter"`
	// An arm that has not begun to move is not stalled before so many seconds.
	StartDelayS float64 `yaml:"start_delay_s" check:"min=0,max=30"`
}

// SetDefaults gives the values of keys that are left out.
func (a *Arrival) SetDefaults() { a.StartDelayS = 1 }

// Waits are the limits of what the harness waits for, seconds. When one is reached, what it waited for is cancelled.
type Waits struct {
	// The first result of a tracker.
	FirstTrackS float64 `yaml:"first_track_s" check:"above=0,max=600"`
	// The stop of a skill.
	StopS float64 `yaml:"stop_s" check:"above=0,max=60"`
	// The control loop to take a command.
	CommandS float64 `yaml:"command_s" check:"above=0,max=60"`
	// A call of the monitor.
	MonitorS float64 `yaml:"monitor_s" check:"above=0,max=600"`
	// A fresh picture.
	FrameS float64 `yaml:"frame_s" check:"above=0,max=60"`
	// Silence on a planner's stream.
	StreamS float64 `yaml:"stream_s" check:"above=0,max=3600"`
}

// SetDefaults gives the values of keys that are left out.
func (w *Waits) SetDefaults() {
	*w = Waits{FirstTrackS: 5, StopS: 2, CommandS: 1, MonitorS: 20, FrameS: 2, StreamS: 60}
}
