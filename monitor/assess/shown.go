package assess

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/robot"
)

// Config is what an assessor that is a model is made of. Name is required.
type Config struct {
	Name   string // "openai_decisions:gpt-6-luna", for the log
	System string // what the model is told before all else: frames.Settings.System
	// Body and Fields say which readings are shown, "module/field"; no Body = none, no Fields = all.
	Body   *robot.Description
	Fields []string
	Price  model.Price // nothing = a call costs nothing
}

// spent is a usage with what it costs.
func (c *Config) spent(u model.Usage) model.Usage {
	u.CostUSD = c.Price.Cost(u)
	return u
}

// shown is a tick as a model sees it: the action and the readings, then each picture behind its label.
func (c *Config) shown(t monitor.Tick) []model.Block {
	out := []model.Block{text(c.about(t))}
	for i := range t.Look.Pictures {
		p := &t.Look.Pictures[i]
		out = append(out, text(p.Label+":"), model.Block{Image: &p.Image})
	}
	return out
}

func text(s string) model.Block { return model.Block{Text: &model.TextBlock{Text: s}} }

func (c *Config) about(t monitor.Tick) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Action: %s%s, running for %.1f s.", t.Watched.Tool, arguments(t), t.Elapsed.Seconds())
	if d := strings.TrimSpace(t.Watched.Description); d != "" {
		fmt.Fprintf(&b, "\nWhat it does: %s", d)
	}
	told := t.Look.Told
	if told == nil && c.Body != nil && t.Look.Readings != nil {
		told = view.ReadingsOf(c.Body, t.Look.Readings, c.Fields)
	}
	var parts []string
	for _, r := range told {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %.4g %s", r.Field, r.Value, r.Unit)))
	}
	if len(parts) > 0 {
		fmt.Fprintf(&b, "\nReadings: %s", strings.Join(parts, " · "))
	}
	return b.String()
}

// arguments are those of the call that say something to who has not seen the planner's pictures.
func arguments(t monitor.Tick) string {
	var args map[string]json.RawMessage
	if json.Unmarshal(t.Watched.Args, &args) != nil { // it has passed the tool's schema, or there are none
		return ""
	}
	for _, name := range []string{"observation_id", "watch_for"} {
		delete(args, name)
	}
	for name := range t.Watched.Points {
		delete(args, name)
	}
	if len(args) == 0 {
		return ""
	}
	raw, err := json.Marshal(args)
	if err != nil { // it was JSON
		return ""
	}
	return " " + string(raw)
}

// none are answers that are missing, all for one reason.
func none(list []question.Question, m question.Missing, why string) []question.Answer {
	out := make([]question.Answer, len(list))
	for i, q := range list {
		out[i] = q.No(m, why)
	}
	return out
}
