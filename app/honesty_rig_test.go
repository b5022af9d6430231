package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
	simrobot "github.com/rein-robotics/rein/robot/sim"
)

// attempt is a run that is to be watched.
type attempt struct {
	conf  string // "" = tabletop
	scene string // YAML
	task  string
	dry   bool           // it ends with the first action, which is not started
	brief bool           // it ends after 15 s of the robot clock: a mutant has shown itself by then
	fit   func(*running) // puts a mutant before robot or planner
}

// trial is what came of an attempt.
type trial struct {
	Result

	dir    string              // of the episode
	moves  int                 // commands that reached the servos and were no hold
	grips  []geom.Vec          // where the fingertips were when the fingers began to close, low over the table
	before map[string]geom.Vec // where things were when the planner first heard of the run
	after  map[string]geom.Vec // and after the verdict
}

// try carries an attempt out.
func try(t *testing.T, a attempt) trial {
	t.Helper()
	o := &Options{Conf: a.conf, Scene: sceneFile(t, a.scene), Record: t.TempDir(), NoFilm: true, DryRun: a.dry}
	if a.brief {
		o.MaxMinutes = 0.25
	}
	s, err := load(o)
	if err != nil {
		t.Fatal(err)
	}
	now := &simTime{}
	log, err := openLog(o, s, now)
	if err != nil {
		t.Fatal(err)
	}
	live := &running{o: o, setup: s, log: log, task: a.task, now: now}
	if a.fit != nil {
		a.fit(live)
	}
	hands, witness := watch(live)
	res, err := live.run(t.Context())
	dir := log.EpisodeDir()
	if err := errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	return trial{Result: res, dir: dir, moves: hands.moves, grips: hands.grips, before: witness.before, after: witness.after}
}

// unraced leaves a test out under the race detector: it shows what is decided, the goroutines are those of the tests that
// stay.
func unraced(t *testing.T) {
	t.Helper()
	if raced {
		t.Skip("too slow under the race detector; its goroutines run in other tests")
	}
}

// sceneFile writes a scene and gives its path.
func sceneFile(t *testing.T, yaml string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scene.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// watch puts hands behind every mutant and a witness before them.
func watch(r *running) (*hands, *witness) {
	h, w := &hands{}, &witness{of: r}
	body, reasoner := r.body, r.reasoner
	r.body = func(b robot.Robot) robot.Robot {
		h.Robot = b
		if body != nil {
			return body(h)
		}
		return h
	}
	r.reasoner = func(p agent.Reasoner) agent.Reasoner {
		if reasoner != nil {
			p = reasoner(p)
		}
		w.Reasoner = p
		return w
	}
	return h, w
}

// hands note what reaches the servos. Commands come from one goroutine.
type hands struct {
	robot.Robot

	moves int
	grips []geom.Vec
}

func (h *hands) Do(c robot.Command) error {
	if !c.Target.Hold {
		h.moves++
	}
	now := h.Readings()
	if c.Target.ApertureM != nil {
		g, tip := now.Grippers[c.Target.Module], h.tip(now)
		if *c.Target.ApertureM < g.TargetM-0.001 && tip.Z < 0.05 {
			h.grips = append(h.grips, tip)
		}
	}
	return h.Robot.Do(c)
}

// tip is where the fingertips of the only arm are.
func (h *hands) tip(r *robot.Readings) geom.Vec {
	for _, a := range r.Arms {
		return a.Tip.Pos
	}
	return geom.Vec{}
}

// witness notes where things are before the first round and after the verdict.
type witness struct {
	agent.Reasoner

	of            *running
	before, after map[string]geom.Vec
}

func (w *witness) Instant() bool { return true }

func (w *witness) Begin(ctx context.Context, r agent.RunInfo) error {
	w.before = w.places()
	return w.Reasoner.Begin(ctx, r)
}

func (w *witness) End(ctx context.Context, r agent.RunInfo, success *bool) error {
	w.after = w.places()
	return w.Reasoner.End(ctx, r, success)
}

func (w *witness) places() map[string]geom.Vec {
	out := map[string]geom.Vec{}
	for _, o := range w.of.setup.scene.Objects {
		if p := w.of.robot.WorldPose(o.Name); p != nil {
			out[o.Name] = p.Pos
		}
	}
	return out
}

// second is a planner that may change each reply before it is heard.
type second struct {
	agent.Reasoner

	change func(v run.View, parts []model.Part) []model.Part
}

func (s *second) Instant() bool { return true }

func (s *second) Deliberate(ctx context.Context, v run.View) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		var parts []model.Part
		for p, err := range s.Reasoner.Deliberate(ctx, v) {
			if err != nil {
				yield(nil, err)
				return
			}
			parts = append(parts, p)
		}
		for _, p := range s.change(v, parts) {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// changed makes the planner of a run one whose replies are changed.
func changed(change func(r *running, v run.View, parts []model.Part) []model.Part) func(*running) {
	return func(r *running) {
		r.reasoner = func(p agent.Reasoner) agent.Reasoner {
			return &second{Reasoner: p, change: func(v run.View, parts []model.Part) []model.Part { return change(r, v, parts) }}
		}
	}
}

// repoint puts another point into every call and every step of a tool.
func repoint(parts []model.Part, tool string, px [2]float64) []model.Part {
	out := make([]model.Part, len(parts))
	for i, p := range parts {
		c, ok := p.(model.Call)
		var args map[string]any
		if !ok || json.Unmarshal(c.Args, &args) != nil {
			out[i] = p
			continue
		}
		if c.Name == tool {
			args["point"] = px
		}
		steps, _ := args["steps"].([]any)
		for _, s := range steps {
			if s, ok := s.(map[string]any); ok && s["tool"] == tool {
				s["args"].(map[string]any)["point"] = px
			}
		}
		c.Args, _ = json.Marshal(args) // of values that came out of JSON
		out[i] = c
	}
	return out
}

// seenAt is where a world point is seen in the newest image of a view, as sent.
func seenAt(v run.View, p geom.Vec) [2]float64 {
	for _, img := range shown(v.Request.Messages) {
		u, w, ok := img.Lens.Project(img.Pose.Inv().Apply(p))
		if ok {
			return img.Mapping.ToSent([2]float64{u, w})
		}
	}
	return [2]float64{}
}

// shown are the images that a conversation tells of, newest first.
func shown(ms []model.Message) []view.Image {
	var out []view.Image
	add := func(data json.RawMessage) {
		var r struct{ Images []view.Image }
		if json.Unmarshal(data, &r) == nil {
			for _, img := range r.Images {
				out = append([]view.Image{img}, out...)
			}
		}
	}
	for _, m := range ms {
		for _, b := range m.Blocks {
			switch {
			case b.Text != nil:
				add(b.Text.Data)
			case b.Result != nil:
				add(b.Result.JSON)
			}
		}
	}
	return out
}

// otherEyes is a robot whose pictures come from another world, which lives in step with its own.
type otherEyes struct {
	robot.Robot

	mu    sync.Mutex
	other *simrobot.Robot
}

func (o *otherEyes) Frame(ctx context.Context, q robot.FrameRequest) (*robot.Frame, error) {
	o.mu.Lock()
	for now := o.Readings().At; o.other.Clock().Now() < now; {
		if err := o.other.Clock().Advance(ctx); err != nil {
			o.mu.Unlock()
			return nil, err
		}
	}
	o.mu.Unlock()
	return o.other.Frame(ctx, q)
}

// lookingAt makes a run see another scene than the one it acts in.
func lookingAt(t *testing.T, scene string) func(*running) {
	t.Helper()
	o := &Options{Scene: sceneFile(t, scene)}
	s, err := load(o)
	if err != nil {
		t.Fatal(err)
	}
	rob, eng, err := openRobot(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(rob.Close(), eng.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	return func(r *running) {
		r.body = func(b robot.Robot) robot.Robot { return &otherEyes{Robot: b, other: rob} }
	}
}

// turnNames are the planner turns of an episode in order.
func turnNames(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "logs", "turns", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no turns in %s (%v)", dir, err)
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = "turns/" + filepath.Base(f)
	}
	return names
}

func readTurn(t *testing.T, dir, name string) episode.Turn {
	t.Helper()
	turn, err := episode.ReadTurn(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

// parts is a reply as text that two equal replies share.
func parts(t *testing.T, ps []model.Part) string {
	t.Helper()
	var b strings.Builder
	for _, p := range ps {
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%T %s\n", p, data)
	}
	return b.String()
}

// started are the tools of the actions that began.
func (a trial) started(t *testing.T) []string {
	t.Helper()
	var out []string
	for e, err := range episode.Read(a.dir) {
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := e.Event.(episode.ActionStarted); ok {
			out = append(out, s.Tool)
		}
	}
	return out
}

// story is the log without what may differ between two runs, and every reply of the planner.
func (a trial) story(t *testing.T) []string {
	t.Helper()
	var out []string
	for e, err := range episode.Read(a.dir) {
		if err != nil {
			t.Fatal(err)
		}
		line, err := episode.Canonical(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(line))
	}
	for _, name := range turnNames(t, a.dir) {
		out = append(out, parts(t, readTurn(t, a.dir, name).Response))
	}
	return out
}

// points are the points of the first plan by tool, in pixels of the capture.
func (a trial) points(t *testing.T) map[string][2]float64 {
	t.Helper()
	turn := readTurn(t, a.dir, turnNames(t, a.dir)[0])
	img := shown(turn.Request.Messages)[0]
	out := map[string][2]float64{}
	for _, p := range turn.Response {
		c, ok := p.(model.Call)
		if !ok || c.Name != "update_plan" {
			continue
		}
		var plan struct {
			Steps []struct {
				Tool string
				Args struct{ Point *[2]float64 }
			}
		}
		if err := json.Unmarshal(c.Args, &plan); err != nil {
			t.Fatal(err)
		}
		for _, s := range plan.Steps {
			if s.Args.Point != nil {
				out[s.Tool] = img.Mapping.ToCapture(*s.Args.Point)
			}
		}
	}
	return out
}

// is says what a verdict is.
func is(b *bool) string {
	if b == nil {
		return "nothing"
	}
	return fmt.Sprint(*b)
}
