package rules

import (
	"fmt"
	"math"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/reason/rules/language"
	"github.com/rein-robotics/rein/vision/detect"
)

// pushStep pushes a thing as far as it still has to go.
func (p *planner) pushStep(w *work, it *item, hit touched) {
	c := p.clause(it.goal)
	t := &p.seen.things[it.now]
	why := p.reach.away(t.World)
	if t.Kind == detect.Drawer || t.Kind == detect.Button {
		why = "fixed to the table: it cannot be pushed about"
	}
	if why != "" && it.part > 0.01 {
		why = "only " + centimetres(it.part) + " farther and now " + why
	}
	if why != "" {
		w.blocked = append(w.blocked, "the "+p.named(it.mark)+" is "+why)
		return
	}
	want := c.Distance
	if want == 0 {
		want = standard
	}
	left := want - it.part
	for range p.refusedStarts(it.prefix() + "push") { // a way that was refused is tried shorter
		left *= 0.75
	}
	args := map[string]any{"direction": string(c.Direction)}
	if p.tools.push.takes("distance_m") {
		args["distance_m"] = p.tools.push.within("distance_m", math.Round(max(left, 0.02)*1000)/1000)
	}
	w.steps = append(w.steps, p.pointed(it, "push", fmt.Sprintf("push the %s %s", p.named(it.mark), c.Direction), p.tools.push, hit, it.now, args))
	hit[it.now] = true
}

// drawerStep opens or closes a drawer.
func (p *planner) drawerStep(w *work, it *item, hit touched) {
	c := p.clause(it.goal)
	if c.Verb == language.Open {
		p.pull(w, it, c.Distance, hit)
		return
	}
	d := &p.seen.things[it.now]
	out := opens(d)
	best, most := language.Away, math.Inf(-1)
	for _, dir := range [...]language.Direction{language.Away, language.Left, language.Right, language.Closer} {
		a := along(dir)
		if v := -(a.X*out.X + a.Y*out.Y); v > most {
			best, most = dir, v
		}
	}
	args := map[string]any{"direction": string(best)}
	if p.tools.push.takes("distance_m") {
		args["distance_m"] = p.tools.push.within("distance_m", math.Round((d.Opening/max(most, 0.5)+0.01)*1000)/1000)
	}
	st := step{id: it.prefix() + "push", text: "push the drawer closed", tool: p.tools.push, args: args}
	if h, ok := d.Spot(detect.SpotHandle); ok && !hit[it.now] {
		st.pixel = &h.Pixel
	}
	w.steps = append(w.steps, st)
	hit[it.now] = true
}

// pull opens the drawer that the item is.
func (p *planner) pull(w *work, it *item, distance float64, hit touched) {
	d := &p.seen.things[it.now]
	args := map[string]any{}
	if p.tools.pull.takes("distance_m") {
		if distance == 0 {
			distance = standard
		}
		left := math.Round(max(distance-d.Opening, 0.02)*1000) / 1000
		args["distance_m"] = p.tools.pull.within("distance_m", left)
	}
	st := step{id: it.prefix() + "pull", text: "pull the drawer open", tool: p.tools.pull, args: args}
	if h, ok := d.Spot(detect.SpotHandle); ok && !hit[it.now] {
		st.pixel = &h.Pixel
	}
	w.steps = append(w.steps, st)
	hit[it.now] = true
}

// opens is the way, in the table plane, in which a drawer comes out: from its middle to its handle, along one of its sides.
func opens(d *detect.Thing) geom.Vec {
	h, ok := d.Spot(detect.SpotHandle)
	if !ok {
		return geom.Vec{X: -1}
	}
	x, y := h.World.X-d.World.X, h.World.Y-d.World.Y
	var best geom.Vec
	most := math.Inf(-1)
	for k := range 4 {
		sin, cos := math.Sincos(d.Yaw + float64(k)*math.Pi/2)
		if v := x*cos + y*sin; v > most {
			best, most = geom.Vec{X: cos, Y: sin}, v
		}
	}
	return best
}
