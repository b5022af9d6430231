package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
)

// Blocks renders a report as the blocks of a user message: what happened, each image behind its label, and a closing
// line that says what woke the planner. The first text block carries the report as its Data.
func Blocks(r Report, images []model.ImageBlock) []model.Block {
	data, err := json.Marshal(r)
	if err != nil { // a report holds numbers, words and checked JSON
		panic("view: " + err.Error())
	}
	out := []model.Block{{Text: &model.TextBlock{Text: text(r), Data: data}}}
	for i := range images {
		out = append(out, model.Block{Text: &model.TextBlock{Text: Label(r.Images[i])}}, model.Block{Image: &images[i]})
	}
	if len(images) > 0 {
		out = append(out, model.Block{Text: &model.TextBlock{Text: closing(r)}})
	}
	return out
}

// Label is the line before an image: "o12.front_camera · 0.2 s ago · 640×480 px".
func Label(i Image) string {
	s := fmt.Sprintf("%s · %.1f s ago · %d×%d px", i.ID, i.AgeS, i.Width, i.Height)
	if i.NotLive != "" {
		s += " · NOT LIVE: " + i.NotLive
	}
	return s
}

func closing(r Report) string {
	if r.Why == "" {
		return "Woken by: " + wakes(r.Woke) + "."
	}
	return "Woken by: " + wakes(r.Woke) + ". " + r.Why
}

func wakes(ws []Wake) string {
	out := make([]string, len(ws))
	for i, w := range ws {
		out[i] = strings.ReplaceAll(string(w), "_", " ")
	}
	return strings.Join(out, ", ")
}

// text is the report in words, one fact a line.
func text(r Report) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if r.Task != "" {
		line("Task: %s", r.Task)
	}
	history(line, r)
	for _, m := range r.Messages {
		line("The user says: %s", m)
	}
	if len(r.Happened) > 0 {
		line("Happened:")
		for _, h := range r.Happened {
			line("- %s", happeningText(h))
		}
	}
	if len(r.Plan) > 0 {
		line("Plan:")
		for _, s := range r.Plan {
			line("- %s [%s] %s%s", s.ID, s.State, s.Text, callText(s.Tool, s.Args))
		}
	}
	for _, a := range r.Running {
		line("Running: %s%s, %s for %.1f s%s%s", a.Action, callText(a.Tool, a.Args), a.Phase, a.ElapsedS, prefixed("; ", a.Doing), prefixed("; monitor: ", answersText(a.Answers)))
	}
	for _, j := range r.Jobs {
		line("Job: %s%s, running for %.1f s", j.Job, callText(j.Tool, j.Args), j.ElapsedS)
	}
	if len(r.Readings) > 0 {
		var parts []string
		for _, v := range r.Readings {
			parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %.4g %s", v.Field, v.Value, v.Unit)))
		}
		line("Readings: %s", strings.Join(parts, " · "))
	}
	if left := budgetText(r.Budget); left != "" {
		line("Left: %s", left)
	}
	for _, n := range r.Notices {
		line("Notice: %s", n)
	}
	if len(r.Images) == 0 {
		line("%s", closing(r))
	}
	return strings.TrimRight(b.String(), "\n")
}

// history is what a new segment opens with.
func history(line func(format string, args ...any), r Report) {
	list := func(title string, lines []string) {
		if len(lines) == 0 {
			return
		}
		line("%s:", title)
		for _, l := range lines {
			line("- %s", l)
		}
	}
	list("Runs before this one", r.Earlier)
	list("So far in this run", r.SoFar)
	list("The user has said in this run", r.Said)
	if len(r.LeftOut) > 0 {
		line("Images left out here: %s", strings.Join(r.LeftOut, ", "))
	}
	for _, x := range r.Results {
		line("Your call%s was answered: %s", callText(x.Tool, x.Args), x.Answer)
	}
}

// Line is a happening as the planner reads it.
func (h Happening) Line() string { return happeningText(h) }

func budgetText(b *Budget) string {
	if b == nil {
		return ""
	}
	var parts []string
	add := func(set bool, format string, v any) {
		if set {
			parts = append(parts, fmt.Sprintf(format, v))
		}
	}
	add(b.Turns != nil, "%d planner rounds", value(b.Turns))
	add(b.Minutes != nil, "%.1f minutes", value(b.Minutes))
	add(b.Motions != nil, "%d actions", value(b.Motions))
	add(b.Tokens != nil, "%d tokens", value(b.Tokens))
	add(b.CostUSD != nil, "$%.2f", value(b.CostUSD))
	return strings.Join(parts, ", ")
}

func value[T int | float64](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func callText(tool string, args json.RawMessage) string {
	if tool == "" {
		return ""
	}
	return fmt.Sprintf(" → %s%s", tool, prefixed(" ", string(args)))
}

func prefixed(p, s string) string {
	if s == "" {
		return ""
	}
	return p + s
}

func happeningText(h Happening) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%.1f s: %s", h.AtS, strings.ReplaceAll(h.Kind, "_", " "))
	b.WriteString(prefixed(" ", h.Action))
	b.WriteString(callText(h.Tool, h.Args))
	b.WriteString(prefixed(" · step ", h.Step))
	b.WriteString(prefixed(" · ", h.Outcome))
	b.WriteString(prefixed(" · by ", h.Cause))
	b.WriteString(prefixed(" · ", h.Reason))
	b.WriteString(prefixed(" · monitor: ", answersText(h.Answers)))
	return b.String()
}

// answersText is "holding is true (p 0.93, 1.2 s ago), …".
func answersText(as []Answer) string {
	out := make([]string, len(as))
	for i, a := range as {
		out[i] = fmt.Sprintf("%s is %s (p %.2f, %.1f s ago)", a.Question, a.Value, a.P, a.AgeS)
	}
	return strings.Join(out, ", ")
}

// ReadingsOf picks the wanted fields, "module/field", of a snapshot; no names = all. The order is that of the modules.
func ReadingsOf(d *robot.Description, r *robot.Readings, names []string) []Reading {
	wanted := func(f string) bool {
		if len(names) == 0 {
			return true
		}
		return slices.Contains(names, f)
	}
	var out []Reading
	add := func(field string, v float64, unit string) {
		if wanted(field) {
			out = append(out, Reading{Field: field, Value: v, Unit: unit})
		}
	}
	for _, m := range d.Modules {
		if a, ok := r.Arms[m.Name]; ok {
			add(m.Name+"/x", a.Tip.Pos.X, "m")
			add(m.Name+"/y", a.Tip.Pos.Y, "m")
			add(m.Name+"/z", a.Tip.Pos.Z, "m")
		}
		if g, ok := r.Grippers[m.Name]; ok {
			add(m.Name+"/aperture_mm", g.ApertureM*1000, "mm")
		}
	}
	return out
}
