// Package point maps a pixel that a planner gave back to the capture that it was read from, or refuses it.
//
// Its one invariant: a pixel never travels without the observation it was read from, and none is used that the world may
// have left behind.
package point

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

// PatchHalf is half the side of the patch that is compared, in capture pixels: 25 × 25.
const PatchHalf = 12

// MaxPatchDiff is the largest mean absolute difference (of 255) of an unchanged patch.
const MaxPatchDiff = 10

// Look is one image that the planner was shown, as it was captured.
type Look struct {
	ID      string // "o12.front_camera"
	Frame   *robot.Frame
	Mapping view.Mapping
	Width   int // of the image as sent
	Height  int
	Motions uint64 // how many motions had begun on the robot when it was taken
	NotLive string // why its camera was not trusted then; "" = it was
}

// Looks are the newest images of the run by id: all that a point may still be read from.
type Looks struct {
	byID    map[string]Look
	byFrame map[string][]string // observation number "o12" → image ids
	order   []string            // ids, the oldest first
}

// keepMost is how many looks are kept at most, and keepLeast how many whatever their age.
const (
	keepMost  = 40
	keepLeast = 8
)

// Add keeps a look, and forgets those that no point can be read from any more: older than maxAge before it.
func (l *Looks) Add(k Look, maxAge time.Duration) {
	if l.byID == nil {
		l.byID, l.byFrame = map[string]Look{}, map[string][]string{}
	}
	l.byID[k.ID] = k
	l.order = append(l.order, k.ID)
	o, _, _ := strings.Cut(k.ID, ".")
	l.byFrame[o] = append(l.byFrame[o], k.ID)
	for n := len(l.order); n > keepMost || n > keepLeast && k.Frame.At-l.byID[l.order[0]].Frame.At > maxAge; n = len(l.order) {
		l.forget(l.order[0])
	}
}

func (l *Looks) forget(id string) {
	delete(l.byID, id)
	l.order = slices.Delete(l.order, 0, 1)
	o, _, _ := strings.Cut(id, ".")
	if l.byFrame[o] = slices.DeleteFunc(l.byFrame[o], func(x string) bool { return x == id }); len(l.byFrame[o]) == 0 {
		delete(l.byFrame, o)
	}
}

// passed says that id names a look that was forgotten: looks are numbered in their order.
func (l *Looks) passed(id string) bool {
	number := func(id string) int {
		o, _, _ := strings.Cut(id, ".")
		n, err := strconv.Atoi(strings.TrimPrefix(o, "o"))
		if err != nil || !strings.HasPrefix(o, "o") {
			return 0
		}
		return n
	}
	n := number(id)
	return n > 0 && len(l.order) > 0 && n < number(l.order[0])
}

// Frames are the raw pictures by image id.
func (l *Looks) Frames() map[string]*robot.Frame {
	out := make(map[string]*robot.Frame, len(l.byID))
	for id, k := range l.byID {
		out[id] = k.Frame
	}
	return out
}

// find resolves "o12.front_camera", or "o12" when that look has one image.
func (l *Looks) find(id string) (Look, bool) {
	if k, ok := l.byID[id]; ok {
		return k, true
	}
	if ids := l.byFrame[id]; len(ids) == 1 {
		return l.byID[ids[0]], true
	}
	return Look{}, false
}

// NotLiveHint is the remedy for a camera that is not trusted.
const NotLiveHint = "nothing can be pointed at until the camera shows live pictures again"

// Rules are the limits of the configuration.
type Rules struct {
	MaxAge time.Duration // max_point_age_s
	Strict bool          // strict_points: a point is void once the robot moved, also in a fixed camera
	Form   model.Points  // in which points are given; "" = pixels
}

// Now is what the check needs of the present.
type Now struct {
	At      time.Duration // robot clock
	Motions uint64        // how many motions have begun
	Moving  bool          // one is under way: no picture is sure to be true any more
}

// Request is the pointing part of a call.
type Request struct {
	Spec skill.Spec
	Args json.RawMessage // the call's arguments
}

// Found is a call's points, mapped. Check lists those whose patch must still be compared with the newest picture.
type Found struct {
	Points map[string]skill.Point
	Check  []skill.Point
}

// Resolve maps the points of a call to the capture, or refuses with the code of the contract. It makes every check that
// needs no new picture.
func Resolve(l *Looks, q Request, r Rules, now Now) (Found, *skill.Refusal) {
	var args map[string]json.RawMessage
	if err := json.Unmarshal(q.Args, &args); err != nil {
		return Found{}, &skill.Refusal{Code: "bad_arguments", Message: "the arguments are not a JSON object"}
	}
	var id string
	if err := json.Unmarshal(args["observation_id"], &id); err != nil || id == "" {
		return Found{}, &skill.Refusal{Code: "bad_arguments", Message: "observation_id: the id of the image that the point was read from is missing",
			Hint: "pass the id that stands on the label of the image, such as o12." + q.Spec.Camera}
	}
	look, ok := l.find(id)
	if !ok && l.passed(id) {
		return Found{}, &skill.Refusal{Code: "point_too_old", Message: fmt.Sprintf("%s was left behind long ago", id), Hint: "observe again and point in the new image"}
	}
	if !ok {
		return Found{}, &skill.Refusal{Code: "unknown_observation", Message: fmt.Sprintf("there is no image %q in this run", id),
			Hint: "use the id on the label of the newest image of " + q.Spec.Camera}
	}
	if ref := usable(look, q.Spec, r, now); ref != nil {
		return Found{}, ref
	}
	f := Found{Points: map[string]skill.Point{}}
	for _, name := range q.Spec.ImagePoints {
		raw, given := args[name]
		if !given {
			continue
		}
		p, ref := mapped(name, raw, look, r.Form)
		if ref != nil {
			return Found{}, ref
		}
		f.Points[name] = p
		if now.moved(look) {
			f.Check = append(f.Check, p)
		}
	}
	return f, nil
}

// moved says that the robot may have moved since the look was taken.
func (n Now) moved(k Look) bool { return n.Moving || n.Motions != k.Motions }

// usable checks the look itself: camera, age, motion since, liveness.
func usable(k Look, s skill.Spec, r Rules, now Now) *skill.Refusal {
	moved := now.moved(k)
	switch age := now.At - k.Frame.At; {
	case k.Frame.Camera != s.Camera:
		return &skill.Refusal{Code: "wrong_camera", Message: fmt.Sprintf("%s is an image of %s; this tool takes points of %s", k.ID, k.Frame.Camera, s.Camera),
			Hint: "point in the newest image of " + s.Camera}
	case k.NotLive != "":
		return &skill.Refusal{Code: "camera_not_live", Message: fmt.Sprintf("%s is not trusted: %s", k.Frame.Camera, k.NotLive),
			Hint: NotLiveHint}
	case age > r.MaxAge:
		return &skill.Refusal{Code: "point_too_old", Message: fmt.Sprintf("%s is %.0f s old, points are taken for %.0f s", k.ID, age.Seconds(), r.MaxAge.Seconds()),
			Hint: "observe again and point in the new image"}
	case moved && (r.Strict || k.Frame.Mount == robot.MountMoving):
		return &skill.Refusal{Code: "view_changed", Message: fmt.Sprintf("the robot has moved since %s was taken", k.ID),
			Hint: "observe again and point in the new image"}
	}
	return nil
}

// thousand is the far edge of an image in the form [y, x] of 0 to 1000.
const thousand = 1000

// ofThousand is the pixel of a coordinate in thousandths; the far edge belongs to the last pixel.
func ofThousand(v float64, side int) float64 {
	return min(v/thousand*float64(side), math.Nextafter(float64(side), 0))
}

func mapped(name string, raw json.RawMessage, k Look, form model.Points) (skill.Point, *skill.Refusal) {
	var xy []float64
	if err := json.Unmarshal(raw, &xy); err != nil || len(xy) != 2 || math.IsNaN(xy[0]+xy[1]) {
		return skill.Point{}, &skill.Refusal{Code: "bad_arguments", Message: fmt.Sprintf("%s: a point is two numbers", name)}
	}
	if form == model.PointsYX1000 {
		if min(xy[0], xy[1]) < 0 || max(xy[0], xy[1]) > thousand {
			return skill.Point{}, &skill.Refusal{Code: "point_outside_image", Message: fmt.Sprintf("%s: [%g, %g] is not [y, x] between 0 and 1000", name, xy[0], xy[1])}
		}
		xy = []float64{ofThousand(xy[1], k.Width), ofThousand(xy[0], k.Height)}
	}
	if xy[0] < 0 || xy[1] < 0 || xy[0] >= float64(k.Width) || xy[1] >= float64(k.Height) {
		return skill.Point{}, &skill.Refusal{Code: "point_outside_image",
			Message: fmt.Sprintf("%s: [%g, %g] lies outside %s, which is %d×%d px", name, xy[0], xy[1], k.ID, k.Width, k.Height)}
	}
	px := k.Mapping.ToCapture([2]float64{xy[0], xy[1]})
	if b := k.Frame.Region; px[0] < float64(b.Min.X) || px[1] < float64(b.Min.Y) || px[0] >= float64(b.Max.X) || px[1] >= float64(b.Max.Y) {
		return skill.Point{}, &skill.Refusal{Code: "point_outside_image",
			Message: fmt.Sprintf("%s: [%g, %g] lies on the margin of %s, not in the picture", name, xy[0], xy[1], k.ID)}
	}
	return skill.Point{Observation: k.ID, Pixel: px, Frame: k.Frame}, nil
}
