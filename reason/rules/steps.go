package rules

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/reason/rules/language"
	"github.com/rein-robotics/rein/vision/detect"
)

// step is one step of the plan to be written.
type step struct {
	id, text  string
	tool      *tool
	args      map[string]any // nil = none yet
	pixel     *[2]float64    // capture pixel to point at; nil = the tool takes none, or it is not known yet
	needsLook bool
}

// wire is a step as update_plan takes it.
type wire struct {
	ID        string         `json:"id"`
	Text      string         `json:"text"`
	Tool      string         `json:"tool,omitempty"`
	Args      map[string]any `json:"args,omitempty"`
	NeedsLook bool           `json:"needs_look,omitempty"`
}

// points says whether the step's tool takes a point.
func (st *step) points() bool { return st.tool != nil && st.tool.camera != "" }

// call is the step's call, with its point in the image of s.
func (st *step) call(s *scene) call {
	args := map[string]any{}
	maps.Copy(args, st.args)
	if st.pixel != nil {
		args["point"] = s.sent(*st.pixel)
		args["observation_id"] = s.info.ID
	}
	return call{st.tool.name, args}
}

// wired is the step for the plan. A point in a carried camera's image is good only now, so it is left out.
func (st *step) wired(s *scene) wire {
	w := wire{ID: st.id, Text: st.text, NeedsLook: st.needsLook}
	if st.tool == nil {
		w.Args = st.args
		return w
	}
	w.Tool = st.tool.name
	switch {
	case !st.points():
		w.Args = st.args
		if w.Args == nil {
			w.Args = map[string]any{}
		}
	case st.pixel == nil || s == nil || !s.info.Fixed:
		w.NeedsLook = true
	default:
		w.Args = st.call(s).args.(map[string]any)
	}
	return w
}

// same says whether the plan's unfinished steps are these already.
func same(plan []view.Step, steps []wire) bool {
	if len(plan) != len(steps) {
		return false
	}
	for i, w := range steps {
		st := plan[i]
		if st.ID != w.ID || st.Tool != w.Tool || st.State != "todo" || !sameJSON(st.Args, w.Args) {
			return false
		}
	}
	return true
}

func sameJSON(raw json.RawMessage, args map[string]any) bool {
	if len(args) == 0 {
		return len(raw) == 0 || string(raw) == "{}" || string(raw) == "null"
	}
	var was map[string]any
	if json.Unmarshal(raw, &was) != nil {
		return false
	}
	a, errA := json.Marshal(was)
	b, errB := json.Marshal(args)
	var again map[string]any
	if errA != nil || errB != nil || json.Unmarshal(b, &again) != nil {
		return false
	}
	c, errC := json.Marshal(again)
	return errC == nil && string(a) == string(c)
}

// work is what is still to be done, in steps, and what was given up.
type work struct {
	steps   []step
	blocked []string // why, in words
	lost    []string
}

// touched are the seen things that steps before change.
type touched map[int]bool

// plan makes the steps of everything that is left to do.
func (p *planner) plan() (work, error) {
	var w work
	hit := touched{}
	if p.held == strange {
		p.layDown(&w)
	}
	for g := range p.memory.Goals {
		if p.memory.Goals[g].Later {
			w.later(g, p.clause(g))
			continue
		}
		if p.past(g) {
			w.blocked = append(w.blocked, p.given(g)...)
			continue
		}
		from := marks{len(w.blocked), len(w.lost)}
		items := p.todo(g)
		for k := range items {
			if err := p.itemSteps(&w, &items[k], hit); err != nil {
				return w, err
			}
		}
		p.memory.Goals[g].Done = len(items) == 0
		p.judged(g, &w, from)
	}
	return w, nil
}

// later is the step of a goal whose things cannot be seen yet. It is given up with what should have brought them to light.
func (w *work) later(goal int, c *language.Clause) {
	if len(w.blocked) > 0 && len(w.steps) == 0 {
		w.blocked = append(w.blocked, "so I could not "+c.Text)
		return
	}
	w.steps = append(w.steps, step{id: fmt.Sprintf("%d.later", goal+1), text: c.Text, needsLook: true})
}

// itemSteps adds the steps of one item, or the reason why there are none.
func (p *planner) itemSteps(w *work, it *item, hit touched) error {
	c := p.clause(it.goal)
	who := p.named(it.mark)
	if it.lost && !it.held {
		w.lost = append(w.lost, who)
		return nil
	}
	if why := p.blocked(it.prefix()); why != "" {
		if it.held {
			p.putBack(w, it)
		}
		if c.Verb == language.Close {
			why = "it does not close: " + why
		}
		w.blocked = append(w.blocked, who+": "+why)
		return nil
	}
	if need := p.missing(c.Verb); need != "" {
		return unseenf("I have no tool to %s.", need)
	}
	switch c.Verb {
	case language.Put, language.Stack:
		p.putSteps(w, it, hit)
	case language.Pick:
		p.pickStep(w, it, hit)
	case language.Push:
		p.pushStep(w, it, hit)
	case language.Open, language.Close:
		p.drawerStep(w, it, hit)
	case language.Press:
		w.steps = append(w.steps, p.pointed(it, "press", "press the "+who, p.tools.press, hit, it.now, nil))
	}
	return nil
}

// missing says what a verb needs and is not offered; "" = nothing.
func (p *planner) missing(v language.Verb) string {
	t := p.tools
	switch {
	case (v == language.Put || v == language.Stack || v == language.Pick) && t.pick == nil:
		return "pick things up"
	case (v == language.Put || v == language.Stack) && t.place == nil:
		return "put things down"
	case v == language.Push && t.push == nil:
		return "push things"
	case v == language.Open && t.pull == nil:
		return "pull a drawer open"
	case v == language.Close && t.push == nil:
		return "push a drawer closed"
	case v == language.Press && t.press == nil:
		return "press a button"
	}
	return ""
}

// pointed is a step that points at a seen thing; without the point when a step before changes it.
func (p *planner) pointed(it *item, what, text string, t *tool, hit touched, at int, args map[string]any) step {
	st := step{id: it.prefix() + what, text: text, tool: t, args: args}
	if at >= 0 && !hit[at] {
		px := p.seen.things[at].Point
		st.pixel = &px
	}
	return st
}

// pickStep grasps a thing; one that cannot be had is said so.
func (p *planner) pickStep(w *work, it *item, hit touched) bool {
	who := p.named(it.mark)
	t := &p.seen.things[it.now]
	if why := p.reach.cannotPick(t); why != "" {
		w.blocked = append(w.blocked, "the "+who+" is "+why)
		return false
	}
	st := p.pointed(it, "pick", "pick up the "+who, p.tools.pick, hit, it.now, nil)
	if st.pixel != nil {
		st.pixel = p.pickPoint(t, p.refusedStarts(it.prefix()+"pick"))
	}
	w.steps = append(w.steps, st)
	hit[it.now] = true
	return true
}

// refusedStarts counts how often a step was refused for its own sake before it began.
func (p *planner) refusedStarts(id string) int {
	n := 0
	for _, o := range p.story.of(id) {
		if o.start && !outside(o.code) {
			n++
		}
	}
	return n
}

// pickPoint is where a thing is pointed at; after a refusal beside its middle, along it, on one side and then the other.
func (p *planner) pickPoint(t *detect.Thing, refused int) *[2]float64 {
	px := t.Point
	if refused == 0 {
		return &px
	}
	side := 0.25
	if refused%2 == 0 {
		side = -side
	}
	sin, cos := math.Sincos(t.Yaw)
	at := geom.Vec{X: t.World.X + side*t.Length*cos, Y: t.World.Y + side*t.Length*sin, Z: t.Base + t.Height}
	if q, ok := p.seen.pixel(at); ok && t.Mask.At(int(q[0]), int(q[1])) {
		return &q
	}
	return &px
}

// putSteps takes a thing to its place.
func (p *planner) putSteps(w *work, it *item, hit touched) {
	g := &p.memory.Goals[it.goal]
	dest := -1
	if g.Place != nil {
		if dest = p.seen.again(g.Place); dest < 0 {
			if n := p.named(g.Place); !slices.Contains(w.lost, n) {
				w.lost = append(w.lost, n)
			}
			return
		}
		if why := p.reach.away(p.seen.things[dest].World); why != "" && p.seen.things[dest].Kind != detect.Drawer {
			w.blocked = append(w.blocked, "the "+p.named(g.Place)+" is "+why)
			return
		}
	}
	if why := p.cannotPut(it, dest); why != "" { // before anything moves
		w.blocked = append(w.blocked, why)
		return
	}
	closed := dest >= 0 && !p.ready(it.goal, dest)
	if closed && !p.openFirst(w, it, dest, hit) {
		return
	}
	if !it.held && !p.pickStep(w, it, hit) {
		return
	}
	st := step{id: it.prefix() + "place", text: "put it " + p.where(it.goal), tool: p.tools.place}
	if !closed && (dest < 0 || !hit[dest]) {
		s, ok := p.placeFor(it, dest)
		switch {
		case ok:
			st.pixel = &s.pixel
		case it.held: // it may hide the place: gripped anew it may not
			if !p.putBack(w, it) {
				w.blocked = append(w.blocked, "I see no free place "+p.where(it.goal))
			}
			return
		case len(w.steps) < 2:
			w.blocked = append(w.blocked, "I see no free place "+p.where(it.goal))
			w.steps = w.steps[:len(w.steps)-1]
			return
		}
	}
	w.steps = append(w.steps, st)
	if dest >= 0 && p.relation(it.goal) == language.On {
		hit[dest] = true
	}
}

// where is the place of a goal in words, as it is understood: "on" an open box is in it.
func (p *planner) where(goal int) string {
	g := &p.memory.Goals[goal]
	if g.Place == nil {
		return "on the table"
	}
	return string(p.relation(goal)) + " the " + p.named(g.Place)
}

// ready says whether things can be put into the place now: a drawer must stand open.
func (p *planner) ready(goal, dest int) bool {
	d := &p.seen.things[dest]
	if d.Kind != detect.Drawer || p.relation(goal) != language.In {
		return true
	}
	_, inside := d.Spot(detect.SpotInside)
	return inside && d.Opening >= openEnough
}

// openFirst adds the step that opens a drawer, once for all items.
func (p *planner) openFirst(w *work, it *item, dest int, hit touched) bool {
	if hit[dest] {
		return true
	}
	lid := &item{goal: it.goal, index: -1, mark: it.mark, now: dest}
	if why := p.blocked(lid.prefix()); why != "" {
		w.blocked = append(w.blocked, "the drawer: "+why)
		return false
	}
	if p.tools.pull == nil {
		w.blocked = append(w.blocked, "the drawer is closed, and I have no tool to open it")
		return false
	}
	if it.held {
		p.putBack(w, it)
		return false
	}
	p.pull(w, lid, 0, hit)
	return true
}

// placeFor is where an item goes.
func (p *planner) placeFor(it *item, dest int) (spot, bool) {
	if dest < 0 {
		return p.onTable(it.mark.pos(), it.mark)
	}
	switch r := p.relation(it.goal); r {
	case language.In:
		if m := p.memory.Goals[it.goal].Place; m.Out != nil && p.seen.things[dest].Kind != detect.Drawer {
			return p.tray(m)
		}
		return p.inside(dest, len(p.memory.Goals[it.goal].Items), p.refusedStarts(it.prefix()+"place"))
	case language.On:
		return p.onTop(dest)
	default:
		return p.next(r, dest, it.mark)
	}
}

// putBack lays something that cannot be put where it should be on the table, at most twice.
func (p *planner) putBack(w *work, it *item) bool {
	if len(p.story.of(it.prefix()+"back")) > 1 || p.tools.place == nil {
		return false
	}
	s, ok := p.onTable(it.mark.pos(), it.mark)
	if ok {
		w.steps = append(w.steps, step{id: it.prefix() + "back", text: "lay the " + p.named(it.mark) + " back on the table", tool: p.tools.place, pixel: &s.pixel})
	}
	return ok
}

// layDown frees the gripper of something that this run did not pick up.
func (p *planner) layDown(w *work) {
	if len(p.story.of(strange+"back")) > 1 || p.tools.place == nil {
		return
	}
	if s, ok := p.onTable(geom.Vec{X: 0.25}, &mark{Size: [3]float64{0.06, 0.06, 0.06}}); ok {
		w.steps = append(w.steps, step{id: strange + "back", text: "lay what the gripper holds on the table", tool: p.tools.place, pixel: &s.pixel})
	}
}
