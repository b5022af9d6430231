package rules_test

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"maps"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/agent/plan"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/reason/rules"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/vision"
)

// rig plays the harness for the planner: it renders, keeps conversation and plan queue, and carries actions out on a
// world without physics.
type rig struct {
	t     *testing.T
	world *world
	lens  lens
	tools []model.ToolSpec

	// before is asked before each action; it may change the world, refuse, or say how the action ends.
	before  func(tool string, n int) (code, reason string)
	looked  func() // before each look; nil = nothing
	notLive string
	prompt  string

	plan     plan.Plan
	messages []model.Message
	frames   map[string]*robot.Frame
	news     []view.Happening
	looks    int
	number   int // of actions
	rounds   int
	atLook   bool
	points   []string // of every started action: "pick_object [x y]"
	views    []run.View
	replies  [][]model.Part
	claimed  *bool
	summary  string
}

const prompt = "It reaches what lies 0.17 to 0.36 m from its foot and grips from above what is up to 60 mm wide."

// newRig gives the tools of the embedded configuration, for one camera.
func newRig(t *testing.T, w *world, l lens) *rig {
	r := &rig{t: t, world: w, lens: l, frames: map[string]*robot.Frame{}, prompt: prompt}
	pointing := func(name, more string) {
		schema := `{"type":"object","properties":{"point":{"type":"array"},"observation_id":{"type":"string"}` + more + `}}`
		r.tools = append(r.tools, model.ToolSpec{Name: name, Description: "Do it.\nPoints are [x, y] pixels in an image of " + l.name + ", with that image's observation_id.", Parameters: json.RawMessage(schema)})
	}
	pointing("pick_object", "")
	pointing("place_at", "")
	pointing("push_object", `,"direction":{"type":"string","enum":["left","right","away","closer"]},"distance_m":{"type":"number","maximum":0.25}`)
	pointing("pull_handle", `,"distance_m":{"type":"number"}`)
	pointing("press_at", "")
	r.tools = append(r.tools, model.ToolSpec{Name: "move_to_pose", Description: "Move.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"pose":{"type":"string","enum":["home","home_holding","look"]}}}`)})
	return r
}

// without takes a tool away.
func (r *rig) without(name string) *rig {
	for i := range r.tools {
		if r.tools[i].Name == name {
			r.tools = append(r.tools[:i:i], r.tools[i+1:]...)
			break
		}
	}
	return r
}

// run goes on until the planner ends the run.
func (r *rig) run(task string) *rig {
	r.t.Helper()
	wake, text := view.WakeMessage, []string{task}
	for turn := 0; r.claimed == nil; turn++ {
		if turn > 30 {
			r.t.Fatalf("no end after %d turns; the last said %v", turn, r.replies[len(r.replies)-1])
		}
		info := r.look()
		r.say(view.Report{Woke: []view.Wake{wake}, Task: task, Messages: text, Plan: r.steps(), Images: []view.Image{info}}, []model.ImageBlock{{ID: info.ID}})
		text = nil
		for started := false; !started && r.claimed == nil; {
			var answered bool
			started, answered = r.round()
			if !started && answered && r.claimed == nil {
				r.say(view.Report{Woke: []view.Wake{view.WakeResults}, Plan: r.steps()}, nil)
			}
			if !answered {
				r.t.Fatalf("a reply without a call: %v", r.replies[len(r.replies)-1])
			}
		}
		wake = r.queue()
	}
	return r
}

// look takes a picture and tells of it.
func (r *rig) look() view.Image {
	r.looks++
	if r.looked != nil {
		r.looked()
	}
	f := r.world.picture(r.lens, image.Rectangle{})
	id := fmt.Sprintf("o%d.%s", r.looks, r.lens.name)
	r.frames[id] = f
	return view.Image{
		ID: id, Camera: r.lens.name, Fixed: r.lens.mount == robot.MountFixed, Width: imageWidth + 30, Height: imageWidth*3/4 + 16, NotLive: r.notLive,
		Mapping: view.Mapping{Scale: [2]float64{1, 1}, Margin: [2]float64{30, 16}}, Lens: f.Intrinsics, Pose: f.Pose,
	}
}

// say writes a user message; the news goes with it.
func (r *rig) say(rep view.Report, images []model.ImageBlock) {
	rep.Happened, r.news = r.news, nil
	blocks := view.Blocks(rep, images)
	if n := len(r.messages); n > 0 && r.messages[n-1].Role == model.RoleUser {
		r.messages[n-1].Blocks = append(r.messages[n-1].Blocks, blocks...)
		return
	}
	r.messages = append(r.messages, model.Message{Role: model.RoleUser, Blocks: blocks})
}

func (r *rig) steps() []view.Step {
	var out []view.Step
	for _, st := range r.plan.Steps() {
		out = append(out, view.Step{ID: st.ID, Text: st.Text, Tool: st.Tool, Args: st.Args, State: string(st.State())})
	}
	return out
}

// view is what the next round is decided on, copied, so that it can be asked again.
func (r *rig) view() run.View {
	raw, err := json.Marshal(model.Request{System: r.prompt, Tools: r.tools, Messages: r.messages})
	if err != nil {
		r.t.Fatal(err)
	}
	var req model.Request
	if err := json.Unmarshal(raw, &req); err != nil {
		r.t.Fatal(err)
	}
	frames := map[string]*robot.Frame{}
	maps.Copy(frames, r.frames)
	return run.View{Request: req, Frames: frames}
}

// round asks the planner once and carries its calls out.
func (r *rig) round() (started, answered bool) {
	r.rounds++
	v := r.view()
	parts := ask(r.t, v)
	r.views, r.replies = append(r.views, v), append(r.replies, parts)
	said := model.Message{Role: model.RoleAssistant}
	var results model.Message
	results.Role = model.RoleUser
	for i, p := range parts {
		c, ok := p.(model.Call)
		if !ok {
			continue
		}
		id := fmt.Sprintf("c%d.%d", r.rounds, i)
		said.Blocks = append(said.Blocks, model.Block{Call: &model.CallBlock{ID: id, Name: c.Name, Args: c.Args}})
		ans, bad, did := r.call(c)
		started = started || did
		raw, _ := json.Marshal(ans)
		results.Blocks = append(results.Blocks, model.Block{Result: &model.ResultBlock{CallID: id, IsError: bad, JSON: raw}})
	}
	r.messages = append(r.messages, said, results)
	return started, len(results.Blocks) > 0
}

// ask collects a reply and checks that it is whole.
func ask(t *testing.T, v run.View) []model.Part {
	t.Helper()
	var parts []model.Part
	for p, err := range rules.New().Deliberate(context.Background(), v) {
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		t.Fatal("an empty reply")
	}
	if _, ok := parts[len(parts)-1].(model.End); !ok {
		t.Fatalf("the reply ends with %T, want an End", parts[len(parts)-1])
	}
	return parts
}

// call carries out one call of the planner.
func (r *rig) call(c model.Call) (answer map[string]any, bad, started bool) {
	switch c.Name {
	case "update_plan":
		var in struct{ Steps []stepIn }
		if err := json.Unmarshal(c.Args, &in); err != nil {
			r.t.Fatalf("update_plan: %v", err)
		}
		var change plan.Change
		for _, s := range in.Steps {
			change.Steps = append(change.Steps, plan.Step{ID: s.ID, Text: s.Text, Tool: s.Tool, Args: s.Args, NeedsLook: s.NeedsLook})
		}
		next, err := r.plan.Update(change)
		if err != nil {
			r.t.Fatalf("update_plan was refused: %v", err)
		}
		r.plan = next
		return map[string]any{"status": "accepted"}, false, false
	case "finish_task":
		var in struct {
			Success bool
			Summary string
		}
		if err := json.Unmarshal(c.Args, &in); err != nil {
			r.t.Fatal(err)
		}
		r.claimed, r.summary = &in.Success, in.Summary
		return map[string]any{"status": "ended"}, false, false
	}
	action := fmt.Sprintf("a%d", r.number+1)
	next, _ := r.plan.Take(c.Name, action)
	code, reason := r.start(c.Name, c.Args)
	if code != "" {
		return map[string]any{"error": code, "message": reason}, true, false
	}
	r.plan = next
	r.end(c.Name, c.Args, action)
	return map[string]any{"action_id": action, "status": "running"}, false, true
}

type stepIn struct {
	ID        string          `json:"id"`
	Text      string          `json:"text"`
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"args"`
	NeedsLook bool            `json:"needs_look"`
}

// queue goes on with the plan until the planner must be woken.
func (r *rig) queue() view.Wake {
	for r.claimed == nil {
		if n := len(r.news); n > 0 && r.news[n-1].Kind == "action_ended" && r.news[n-1].Outcome != "succeeded" {
			return view.WakeEnded
		}
		d := r.plan.Decide(plan.Situation{Incomplete: r.incomplete})
		if d.Verb != plan.Start {
			return view.WakePlanDone
		}
		st := r.plan.Steps()[d.Step]
		action := fmt.Sprintf("a%d", r.number+1)
		if code, reason := r.start(st.Tool, st.Args); code != "" {
			r.news = append(r.news, view.Happening{Kind: "refused", Tool: st.Tool, Args: st.Args, Outcome: code, Reason: reason})
			return view.WakeStep
		}
		r.plan = r.plan.Bind(d.Step, action)
		r.end(st.Tool, st.Args, action)
	}
	return view.WakePlanDone
}

func (r *rig) incomplete(st plan.Step) string {
	pointing := st.Tool != "move_to_pose"
	if st.NeedsLook || len(st.Args) == 0 || pointing && r.lens.mount == robot.MountMoving {
		return "it needs a point in a fresh image"
	}
	return ""
}

// args are those of all tools.
type args struct {
	Point       [2]float64 `json:"point"`
	Observation string     `json:"observation_id"`
	Direction   string     `json:"direction"`
	Distance    float64    `json:"distance_m"`
	Pose        string     `json:"pose"`
}

func decode(t *testing.T, raw json.RawMessage) args {
	var a args
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatalf("arguments %s: %v", raw, err)
	}
	return a
}

// start makes the harness's own checks of a point and asks the script; a code means that it was refused.
func (r *rig) start(tool string, raw json.RawMessage) (code, reason string) {
	a := decode(r.t, raw)
	if r.before != nil {
		if code, reason = r.before(tool, r.number); code != "" && code != "failed" {
			return code, reason
		}
	}
	if tool == "move_to_pose" {
		return "", ""
	}
	f := r.frames[a.Observation]
	if f == nil {
		r.t.Fatalf("%s points into %q, which is no image", tool, a.Observation)
	}
	px := [2]float64{a.Point[0] - 30, a.Point[1] - 16}
	if f.Mount == robot.MountMoving {
		if !r.atLook || a.Observation != fmt.Sprintf("o%d.%s", r.looks, r.lens.name) {
			return "view_changed", "the robot has moved since"
		}
		return "", ""
	}
	if d := vision.PatchDiff(f, r.world.picture(r.lens, vision.PatchRegion(px)), px); d > 10 {
		return "view_changed", "the image around the point changed"
	}
	return "", ""
}

// end carries an action out and tells how it ended.
func (r *rig) end(tool string, raw json.RawMessage, action string) {
	r.number++
	a := decode(r.t, raw)
	outcome, reason := "succeeded", ""
	if r.before != nil {
		if code, why := r.before(tool, r.number-1); code == "failed" {
			outcome, reason = code, why
		}
	}
	if tool != "move_to_pose" {
		r.points = append(r.points, fmt.Sprintf("%s %.0f", tool, a.Point))
		if outcome == "succeeded" {
			f := r.frames[a.Observation]
			p, ok := f.World(int(a.Point[0]-30), int(a.Point[1]-16))
			if !ok {
				r.t.Fatalf("%s points at %v, where nothing is seen", tool, a.Point)
			}
			if reason = r.world.do(tool, p, a); reason != "" {
				outcome = "failed"
			}
		}
	}
	r.atLook = tool == "move_to_pose" && a.Pose == "look" && outcome == "succeeded"
	step := r.plan.StepOf(action)
	state := plan.Done
	if outcome != "succeeded" {
		state = plan.Failed
	}
	r.plan = r.plan.Resolve(action, state)
	r.news = append(r.news, view.Happening{Kind: "action_ended", Action: action, Tool: tool, Args: raw, Step: step, Outcome: outcome, Reason: reason})
}

// do changes the world as the tool would; a reason means that it failed.
func (w *world) do(tool string, p geom.Vec, a args) string {
	o := w.at(p)
	switch tool {
	case "pick_object":
		if o == nil || w.held != nil {
			return "closed on nothing"
		}
		w.held = o
		for i := range w.objects {
			if w.objects[i] == o {
				w.objects = append(w.objects[:i:i], w.objects[i+1:]...)
				break
			}
		}
	case "place_at":
		if w.held == nil {
			return "the gripper holds nothing"
		}
		w.drop(p)
	case "push_object":
		for _, d := range w.objects {
			if x, _ := d.local(p); d.shape == "drawer" && d.open > 0 && x < 0 {
				w.slide(d, -d.open)
				return ""
			}
		}
		if o == nil {
			return "nothing there"
		}
		d := map[string]geom.Vec{"left": {Y: 1}, "right": {Y: -1}, "away": {X: 1}, "closer": {X: -1}}[a.Direction]
		o.pos.X, o.pos.Y = o.pos.X+a.Distance*d.X, o.pos.Y+a.Distance*d.Y
	case "pull_handle":
		for _, d := range w.objects {
			if d.shape == "drawer" {
				w.slide(d, a.Distance)
			}
		}
	}
	return ""
}

// want checks how the run ended.
func (r *rig) want(success bool, words ...string) {
	r.t.Helper()
	if *r.claimed != success {
		r.t.Errorf("claimed %v, want %v; it said %q", *r.claimed, success, r.summary)
	}
	for _, w := range words {
		if !strings.Contains(strings.ToLower(r.summary), strings.ToLower(w)) {
			r.t.Errorf("it said %q, want it to say %q", r.summary, w)
		}
	}
}
