package assess

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor"
	"github.com/rein-robotics/rein/monitor/question"
) // the prompts

//go:embed json.md
var jsonPrompt string

//go:embed repair.md
var repairPrompt string

// JSON is an assessor on a model that answers in JSON. It may be used from several goroutines.
type JSON struct {
	Config

	provider   model.Provider
	structured Structured
}

// Structured says whether a model can be held to a JSON Schema.
type Structured int

// Without and with a schema.
const (
	Free Structured = iota
	BySchema
)

var _ monitor.Assessor = (*JSON)(nil)

// NewJSON makes an assessor of a model that is asked for its answers as JSON.
func NewJSON(p model.Provider, s Structured, c Config) *JSON {
	return &JSON{Config: c, provider: p, structured: s}
}

// Name is the model's.
func (a *JSON) Name() string { return a.Config.Name }

// Assess asks, and asks once more when what came is no answer to some question. What is none then is missing.
func (a *JSON) Assess(ctx context.Context, t monitor.Tick) (run.Assessed, error) {
	if len(t.Questions) == 0 {
		return run.Assessed{}, nil
	}
	r := model.Request{System: a.System, Messages: []model.Message{{Role: model.RoleUser, Blocks: append(a.shown(t), text(asked(t.Questions)))}}}
	var o model.Options
	if a.structured == BySchema {
		o.Output = schema(t.Questions)
	}
	var spent model.Usage
	for again := range 2 {
		h, err := a.hear(ctx, r, o)
		spent = spent.Add(h.usage)
		out := run.Assessed{Usage: a.spent(spent)}
		if err != nil {
			return out, err
		}
		if h.end == model.StopRefusal {
			out.Answers = none(t.Questions, question.Refused, "the model refuses to answer")
			return out, nil
		}
		var wrong []string
		out.Answers, wrong = read(h.text, t.Questions)
		if len(wrong) == 0 || again == 1 {
			return out, nil
		}
		r = h.repaired(r, wrong)
	}
	panic("assess: unreachable") // the second pass returns
}

// heard is one reply.
type heard struct {
	text   string
	blocks []model.Block
	usage  model.Usage
	end    model.StopReason
}

func (a *JSON) hear(ctx context.Context, r model.Request, o model.Options) (heard, error) {
	var h heard
	var said strings.Builder
	for p, err := range a.provider.Stream(ctx, r, o) {
		if err != nil {
			return h, err
		}
		switch p := p.(type) {
		case model.Text:
			said.WriteString(p.Text)
		case model.Opaque:
			h.blocks = append(h.blocks, model.Block{Opaque: &model.OpaqueBlock{Provider: p.Provider, Raw: p.Raw}})
		case model.Usage:
			h.usage = h.usage.Add(p)
		case model.End:
			h.end = p.Reason
		}
	}
	if h.text = said.String(); strings.TrimSpace(h.text) != "" {
		h.blocks = append(h.blocks, text(h.text))
	}
	return h, nil
}

// repaired is the request with what was wrong with its reply. A reply without a word cannot stand in a conversation.
func (h heard) repaired(r model.Request, wrong []string) model.Request {
	ask := text(repairPrompt + "- " + strings.Join(wrong, "\n- "))
	if strings.TrimSpace(h.text) == "" {
		first := r.Messages[0]
		r.Messages = []model.Message{{Role: first.Role, Blocks: append(slices.Clip(first.Blocks), ask)}}
		return r
	}
	r.Messages = append(slices.Clip(r.Messages),
		model.Message{Role: model.RoleAssistant, Blocks: h.blocks}, model.Message{Role: model.RoleUser, Blocks: []model.Block{ask}})
	return r
}

// asked are the questions in words.
func asked(list []question.Question) string {
	var b strings.Builder
	b.WriteString("Questions about the current pictures:\n")
	for _, q := range list {
		if q.Kind == question.Predicate {
			fmt.Fprintf(&b, "\n%s (yes or no): %s\n", q.Name, strings.TrimSpace(q.Instructions))
			continue
		}
		fmt.Fprintf(&b, "\n%s (choice): %s\n", q.Name, strings.TrimSpace(q.Instructions))
		for _, o := range q.Options {
			fmt.Fprintf(&b, "- %s: %s\n", o.Value, strings.TrimSpace(o.Looks))
		}
	}
	return b.String() + "\n" + jsonPrompt
}
