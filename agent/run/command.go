package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/agent/job"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/tool"
)

// Names of the commands. Each is on the list only where it can be of use.
const (
	toolWait     = "wait"
	toolJobs     = "jobs"
	toolReadJob  = "read_job"
	toolInfo     = "info"
	toolSkill    = "skill"
	toolDelegate = "delegate"
)

type waitInput struct {
	Job      string  `json:"job"`
	TimeoutS float64 `json:"timeout_s"`
}

// waitSchema says what a struct cannot: the limit.
const waitSchema = `{"type":"object","properties":{` +
	`"job":{"type":"string","description":"the id of the job"},` +
	`"timeout_s":{"type":"number","minimum":0,"maximum":60,"description":"how long to wait at most, seconds"}},` +
	`"required":["job","timeout_s"],"additionalProperties":false}`

type jobsInput struct{}

type readJobInput struct {
	Job    string `json:"job"`
	Offset int    `json:"offset,omitempty"`
	Lines  *int   `json:"lines,omitempty"`
}

const readJobSchema = `{"type":"object","properties":{` +
	`"job":{"type":"string","description":"the id of the job"},` +
	`"offset":{"type":"integer","minimum":0,"description":"number of the first line of its output, counted from 0"},` +
	`"lines":{"type":"integer","minimum":1,"maximum":500,"description":"how many lines at most; 100 when it is left out"}},` +
	`"required":["job"],"additionalProperties":false}`

// linesRead is how many lines read_job gives when nobody says.
const linesRead = 100

type nameInput struct {
	Name string `json:"name" jsonschema:"its name"`
}

// compiled is a schema that is written down.
func compiled(raw string) func() (*tool.Schema, error) {
	return func() (*tool.Schema, error) { return tool.Compile(json.RawMessage(raw)) }
}

// commands are the tools that the planner has beside the built-in ones, as far as they can be of use.
func (s *Settings) commands() (out []builtin) {
	if s.canHaveJobs() {
		out = append(out,
			builtin{toolWait, "Wait for a job to end. Ends earlier when the user, the operator or an emergency stop needs you. Not for actions: you are woken when one has ended.", compiled(waitSchema)},
			builtin{toolJobs, "List the jobs of this run: those that run and those that have ended. Answered at once.", tool.SchemaFor[jobsInput]},
			builtin{toolReadJob, "Read what a job has put out so far, and its result when it has ended. Answered at once.", compiled(readJobSchema)})
	}
	if len(s.Guides) > 0 || slices.ContainsFunc(s.Functions, func(t *tool.Tool) bool { return t.Details != "" }) {
		out = append(out, builtin{toolInfo, "Read all that is known of one tool or guide. Answered at once.", tool.SchemaFor[nameInput]})
	}
	if len(s.Guides) > 0 {
		out = append(out, builtin{toolSkill, "Read a guide: written experience with a kind of task. Answered at once.", tool.SchemaFor[nameInput]})
	}
	if s.SubAgents != nil {
		out = append(out, builtin{toolDelegate, "Give a task that needs only looking, reading or thinking to a helper, and get its answer. It knows nothing but the task, and it moves nothing.", tool.SchemaFor[delegateInput]})
	}
	return out
}

// canHaveJobs says that a tool runs in the background.
func (s *Settings) canHaveJobs() bool {
	return s.SubAgents != nil && s.SubAgents.Background || slices.ContainsFunc(s.Functions, func(t *tool.Tool) bool { return t.Background })
}

// command answers a command that only reads.
func (s *State) command(m Moment, c call) {
	v, err := s.commanded(m, c)
	if err != nil {
		s.refuse(m, c, refusalOf(err))
		return
	}
	s.accepted()
	s.answer(m, c, v)
}

func (s *State) commanded(m Moment, c call) (any, error) {
	schema := s.set.builtin[c.name]
	switch c.name {
	case toolJobs:
		if _, err := tool.Decode[jobsInput](schema, c.args); err != nil {
			return nil, err
		}
		return s.listJobs(m), nil
	case toolReadJob:
		in, err := tool.Decode[readJobInput](schema, c.args)
		if err != nil {
			return nil, err
		}
		return s.readJob(m, in)
	}
	in, err := tool.Decode[nameInput](schema, c.args)
	if err != nil {
		return nil, err
	}
	if c.name == toolSkill {
		return s.set.guide(in.Name)
	}
	return s.set.info(in.Name)
}

func (s *State) listJobs(m Moment) any {
	list := []jobView{}
	for _, j := range s.jobs.All() {
		v := viewOf(j, m.At)
		v.Result = nil // read_job has it
		list = append(list, v)
	}
	return map[string]any{"jobs": list}
}

func (s *State) readJob(m Moment, in readJobInput) (any, error) {
	j, err := s.jobOf(in.Job)
	if err != nil {
		return nil, err
	}
	n := linesRead
	if in.Lines != nil {
		n = *in.Lines
	}
	v := viewOf(j, m.At)
	out := outputView{}
	out.Lines, out.From, out.Total = j.Lines(in.Offset, n)
	if len(out.Lines) == 0 {
		out.Lines = []string{}
	}
	v.Output = &out
	return v, nil
}

// jobOf finds a job, or refuses.
func (s *State) jobOf(id string) (job.Job, error) {
	if j, ok := s.jobs.Get(id); ok {
		return j, nil
	}
	if s.acts.Used(id) {
		return job.Job{}, &skill.Refusal{Code: "not_allowed", Message: id + " is an action, not a job", Hint: "you will be woken when it has ended"}
	}
	var known []string
	for _, j := range s.jobs.All() {
		known = append(known, j.ID)
	}
	hint := "there is no job in this run"
	if len(known) > 0 {
		hint = "there are " + strings.Join(known, ", ")
	}
	return job.Job{}, &skill.Refusal{Code: "unknown_job", Message: fmt.Sprintf("there is no job %q", id), Hint: hint}
}

// infoView is all that is known of one tool.
type infoView struct {
	Name         string          `json:"name"`
	Kind         string          `json:"kind"` // built_in, skill, function or guide
	Description  string          `json:"description"`
	Parameters   json.RawMessage `json:"parameters,omitempty"`
	Details      string          `json:"details,omitempty"`
	Commands     []string        `json:"commands,omitempty"` // modules that an action of it holds
	EndsByItself *bool           `json:"ends_by_itself,omitempty"`
	LimitS       float64         `json:"limit_s,omitempty"`
}

// info is all that is known of a tool or a guide.
func (s *Settings) info(name string) (any, error) {
	i := slices.IndexFunc(s.specs, func(t model.ToolSpec) bool { return t.Name == name })
	if i < 0 {
		if v, err := s.guide(name); err == nil {
			return v, nil
		}
		return nil, &skill.Refusal{Code: "unknown_tool", Message: fmt.Sprintf("there is no tool and no guide %q", name),
			Hint: "known are " + strings.Join(slices.Concat(s.toolNames(), s.guideNames()), ", ")}
	}
	v := infoView{Name: name, Kind: "built_in", Description: s.specs[i].Description, Parameters: s.specs[i].Parameters}
	if t := s.tools[name]; t != nil {
		v.Kind, v.Commands, v.EndsByItself, v.LimitS = "skill", t.Spec.Commands, &t.Spec.EndsByItself, t.Spec.MaxDuration.Seconds()
	}
	if f := s.functions[name]; f != nil {
		v.Kind, v.Details, v.LimitS = "function", f.Details, f.Limit.Seconds()
	}
	return v, nil
}
