package episode

import (
	"encoding/json"

	"github.com/rein-robotics/rein/model"
)

// Event is one fact of a run. The set is closed: this file lists every kind; a struct's name in snake case is its kind.
// Events are values; nobody changes one after it was handed to a Log. Times are seconds of the robot clock unless a
// field says otherwise.
type Event interface {
	Kind() string
	tag() Tag
}

// Tag is what every event may carry.
type Tag struct {
	Run        string `json:"run,omitempty"`        // "<session>/<episode>" that the run started in
	Generation uint64 `json:"generation,omitempty"` // the control loop's count of interruptions; it begins at 1
}

func (t Tag) tag() Tag { return t }

// By is who decided on something.
type By string

// The deciders.
const (
	ByOperator By = "operator"
	ByAgent    By = "agent"
	ByHarness  By = "harness"
)

// Names is a list that is written as [] when it is nil.
type Names []string

// MarshalJSON writes the list.
func (n Names) MarshalJSON() ([]byte, error) {
	if n == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]string(n))
}

// EpisodeStarted opens an episode's log.
type EpisodeStarted struct {
	Tag
	Task string `json:"task"`
}

// EpisodeEnded is written before an episode is sealed.
type EpisodeEnded struct {
	Tag
	Status string `json:"status"`
}

// SkillStarted is a command that the control loop is about to carry out; it is written before the skill starts.
type SkillStarted struct {
	Tag
	Skill  string          `json:"skill"`
	Tool   string          `json:"tool"`
	Params json.RawMessage `json:"params"`
	By     By              `json:"by"`
}

// SkillStop is the command to stop a skill.
type SkillStop struct {
	Tag
	Skill  string `json:"skill"`
	Reason string `json:"reason"`
	By     By     `json:"by"`
}

// SkillEnded says how a skill ended. It names nobody: a skill ends by itself as often as it is stopped.
type SkillEnded struct {
	Tag
	Skill  string `json:"skill"`
	Status string `json:"status"` // completed | failed | stopped
	Reason string `json:"reason"`
}

// ServiceStarted is a tracker and the point that it was seeded with.
type ServiceStarted struct {
	Tag
	Module string          `json:"module"`
	Field  string          `json:"field"`
	Params json.RawMessage `json:"params"`
	By     By              `json:"by"`
}

// ServiceStopped ends a service.
type ServiceStopped struct {
	Tag
	Module string          `json:"module"`
	Field  string          `json:"field"`
	Params json.RawMessage `json:"params,omitempty"`
	By     By              `json:"by"`
}

// RunStarted opens a run. Tools are the specs exactly as the planner receives them.
type RunStarted struct {
	Tag
	Task         string            `json:"task"`
	Models       map[string]string `json:"models"` // by duty: planner, monitor
	SystemPrompt string            `json:"system_prompt"`
	Tools        []model.ToolSpec  `json:"tools"`
}

// RunPaused begins a time in which the run starts nothing.
type RunPaused struct {
	Tag
	By     By     `json:"by"`
	Reason string `json:"reason"`
}

// RunResumed ends a pause.
type RunResumed struct {
	Tag
	By     By     `json:"by"`
	Reason string `json:"reason"`
}

// RunContinued is the first event of a run in another episode than the one it started in.
type RunContinued struct {
	Tag
	ContinuesFrom string            `json:"continues_from"` // "<session>/<episode>" of the log before
	Task          string            `json:"task"`
	Models        map[string]string `json:"models"`
	SystemPrompt  string            `json:"system_prompt"`
	Tools         []model.ToolSpec  `json:"tools"`
	Status        string            `json:"status"`
	Plan          []PlanItem        `json:"plan"`
}

// RunEnded closes a run. Claimed is the planner's word, Checked the task's verdict; nil = there is none.
type RunEnded struct {
	Tag
	Status  string      `json:"status"`
	Summary string      `json:"summary"`
	Claimed *bool       `json:"claimed"`
	Checked *bool       `json:"checked"`
	Usage   model.Usage `json:"usage"`
}

// UserMessage is what the operator typed.
type UserMessage struct {
	Tag
	Text string `json:"text"`
}

// AgentMessage is text of the agent that the operator saw.
type AgentMessage struct {
	Tag
	Text string `json:"text"`
}

// PlannerTurn is one planner call; Turn names its file in the episode's logs folder.
type PlannerTurn struct {
	Tag
	Turn     string      `json:"turn"`      // "turns/0001.json"
	Trigger  Names       `json:"trigger"`   // what woke the planner
	LatencyS float64     `json:"latency_s"` // wall clock
	Usage    model.Usage `json:"usage"`
	Text     string      `json:"text"`
	Tools    Names       `json:"tools"` // names of the tools called, in order
}

// Decision is a choice of a reasoner that differs from its choice before. The last five are those of a model, whose decisions are logged when its reply is over.
type Decision struct {
	Tag
	KindOf     string          `json:"kind_of"` // subgoal | instruction | skill | abort | ask_human
	Output     json.RawMessage `json:"output"`
	Rationale  string          `json:"rationale"`
	Trigger    string          `json:"trigger"`
	Component  string          `json:"component"` // name@version
	Inputs     json.RawMessage `json:"inputs"`
	Model      string          `json:"model,omitempty"`
	PromptHash string          `json:"prompt_hash,omitempty"`
	TokensIn   int             `json:"tokens_in,omitempty"`
	TokensOut  int             `json:"tokens_out,omitempty"`
	LatencyS   float64         `json:"latency_s,omitempty"` // wall clock
}

// PlanItem is one step of the plan as it stands.
type PlanItem struct {
	ID        string          `json:"id"`
	Text      string          `json:"text"`
	Tool      string          `json:"tool,omitempty"`
	Args      json.RawMessage `json:"args,omitempty"`
	NeedsLook bool            `json:"needs_look,omitempty"`
	State     string          `json:"state"` // todo | running | done | failed | unconfirmed | skipped
}

// PlanUpdated holds the whole plan after a change.
type PlanUpdated struct {
	Tag
	Steps []PlanItem `json:"steps"`
}

// PlanStep is a step that the harness started by itself.
type PlanStep struct {
	Tag
	Step   string          `json:"step"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Action string          `json:"action"`
}

// ActionStarted is written before the action's first motion.
type ActionStarted struct {
	Tag
	Action     string          `json:"action"`
	Tool       string          `json:"tool"`
	Args       json.RawMessage `json:"args"`
	Step       string          `json:"step"`
	TrackerS   float64         `json:"tracker_s"` // the tracker's seed took so long
	StartS     float64         `json:"start_s"`   // the start took so long
	TargetArea *float64        `json:"target_area,omitempty"`
}

// ActionEnded says how an action ended and what the measured stop found.
type ActionEnded struct {
	Tag
	Action      string    `json:"action"`
	Tool        string    `json:"tool"`
	Outcome     string    `json:"outcome"` // succeeded | failed | stopped | timed_out
	Cause       string    `json:"cause"`
	Reason      string    `json:"reason"`
	SkillReason string    `json:"skill_reason,omitempty"`
	Also        []AlsoEnd `json:"also,omitempty"`
	Arrival     *Arrival  `json:"arrival,omitempty"`
	ElapsedS    float64   `json:"elapsed_s"`
	Stop        *Stop     `json:"stop"` // null when nothing had to be stopped
}

// AlsoEnd is an end that came between the same two ticks as the recorded one.
type AlsoEnd struct {
	Outcome string `json:"outcome"`
	Cause   string `json:"cause"`
	Reason  string `json:"reason"`
}

// Arrival is how a move ended; Residual is by field, in the field's unit.
type Arrival struct {
	How      string             `json:"how"` // reached | stalled | capped
	Residual map[string]float64 `json:"residual"`
}

// Stop is a measured stop. SentS and StillS are instants of the robot clock; StillS is 0 when rest was not seen.
type Stop struct {
	SentS   float64 `json:"sent_s"`
	StillS  float64 `json:"still_s"`
	Outcome string  `json:"outcome"` // still | unconfirmed | moving | taken_over
}

// Refused is a call that the harness did not carry out.
type Refused struct {
	Tag
	Tool    string `json:"tool"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// TargetRejected is a call refused for its tracker's first mask. Areas are shares of the image, 0 to 1.
type TargetRejected struct {
	Tag
	Tool        string  `json:"tool"`
	TargetArea  float64 `json:"target_area"`
	Limit       float64 `json:"limit"`
	Observation string  `json:"observation"`
}

// MonitorFrame is a look that was kept and not judged: there was nothing to compare it with, or nothing new in it.
type MonitorFrame struct {
	Tag
	Action   string          `json:"action"`
	Images   Names           `json:"images"`
	AgesS    []float64       `json:"ages_s,omitempty"` // of each of the images
	Readings json.RawMessage `json:"readings"`
}

// MonitorAnswer is what the monitor said on one tick.
type MonitorAnswer struct {
	Tag
	Action   string            `json:"action"`
	Tick     int               `json:"tick"`
	Answers  map[string]Answer `json:"answers"`
	AgeS     float64           `json:"age_s"`     // of the newest frame when the answer came
	LatencyS float64           `json:"latency_s"` // wall clock
	Images   Names             `json:"images"`
	AgesS    []float64         `json:"ages_s,omitempty"` // of each of the images when the answer came
	Readings json.RawMessage   `json:"readings"`
	Usage    model.Usage       `json:"usage"`
}

// Answer is the monitor's answer to one question. P is of a predicate that it is true, of a choice that of Value.
type Answer struct {
	Value      json.RawMessage `json:"value"` // true or false, one of the choices, or null when it is missing
	P          float64         `json:"p"`
	Confidence *float64        `json:"confidence,omitempty"`
	Missing    string          `json:"missing,omitempty"` // why: refused, timeout, failed, invalid, unknown or not_live
	Why        string          `json:"why,omitempty"`     // in words
}

// ContextCheckpoint says that the conversation went on in a new segment. The counts are of the new request.
type ContextCheckpoint struct {
	Tag
	Why      string `json:"why"`
	Messages int    `json:"messages"`
	Images   int    `json:"images"`
	Tokens   int    `json:"tokens"`
}

// MonitorRule is a rule of a question that fired.
type MonitorRule struct {
	Tag
	Action      string          `json:"action"`
	Question    string          `json:"question"`
	Do          string          `json:"do"` // finish | fail | escalate
	Value       json.RawMessage `json:"value"`
	Then        string          `json:"then"`
	Consecutive int             `json:"consecutive"`
}

// ControllerCheck is a check of readings that fired.
type ControllerCheck struct {
	Tag
	Action string `json:"action"`
	Do     string `json:"do"`
	Reason string `json:"reason"`
	Then   string `json:"then"`
}

// OperatorTakeover is an operator's input that paused the run, and the actions that it stopped.
type OperatorTakeover struct {
	Tag
	Input   string `json:"input"`
	Stopped Names  `json:"stopped"`
	Phase   string `json:"phase,omitempty"` // of repeated keys: begins | ends
}

// CommandRefused is a motion command that the control loop did not carry out; Generation is the command's.
type CommandRefused struct {
	Tag
	Owner   string `json:"owner"`
	Current uint64 `json:"current"`
	What    string `json:"what"`
}

// ProviderError is a failed request to a model. The monitor's component is MonitorOf of its model.
type ProviderError struct {
	Tag
	Component string  `json:"component"` // provider:model; of the monitor: monitor (provider:model)
	Class     string  `json:"class"`
	Attempt   int     `json:"attempt"`
	WaitS     float64 `json:"wait_s"` // wall clock, until the next try; 0 = there is none
}

// Estop is an emergency stop.
type Estop struct {
	Tag
	By By `json:"by"`
}

// EstopCleared unlatches it.
type EstopCleared struct {
	Tag
	By By `json:"by"`
}

// Hook is what a plugin changed.
type Hook struct {
	Tag
	Plugin string          `json:"plugin"`
	Point  string          `json:"point"`
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
	Effect string          `json:"effect"`
}

// AgentMessageWithdrawn takes back text that had been shown.
type AgentMessageWithdrawn struct {
	Tag
	What string `json:"what"`
	ID   string `json:"id"`
}

// Late is a result that nobody waited for any more; it was dropped.
type Late struct {
	Tag
	What string `json:"what"`
	ID   string `json:"id"`
}

// JobDone is the end of a background job.
type JobDone struct {
	Tag
	What string `json:"what"`
	ID   string `json:"id"`
}

// Unknown is an event of a kind that this version does not know, as it was read. It cannot be written.
type Unknown struct {
	Tag
	Name string
	Raw  json.RawMessage // the whole line
}
