package point_test

import (
	"encoding/json"
	"fmt"
	"image"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

// The capture is 640 × 480; it is sent at half its size with a grid's margin of 20 and 10.
var sent = view.Mapping{Scale: [2]float64{0.5, 0.5}, Margin: [2]float64{20, 10}}

func frame(camera string, mount robot.Mount, at time.Duration) *robot.Frame {
	whole := image.Rect(0, 0, 640, 480)
	f := &robot.Frame{
		Camera: camera, At: at, Mount: mount, Region: whole, Color: image.NewRGBA(whole),
		Intrinsics: geom.Intrinsics{Width: 640, Height: 480, Fx: 500, Fy: 500, Cx: 320, Cy: 240}, Pose: geom.Pose{Rot: geom.Rot{Real: 1}},
	}
	for y := range 480 {
		for x := range 640 {
			v := uint8(60 + 20*((x/7+y/5)%5) + (x*31+y*17+int(at/time.Millisecond)*13)%3) // texture, and noise that differs by time
			copy(f.Color.Pix[f.Color.PixOffset(x, y):], []byte{v, v, v, 255})
		}
	}
	return f
}

func look(id string, f *robot.Frame, motions uint64) point.Look {
	return point.Look{ID: id, Frame: f, Mapping: sent, Width: 340, Height: 250, Motions: motions}
}

var pick = skill.Spec{Camera: "front", ImagePoints: []string{"point", "to"}}

func args(id string, x, y float64) string {
	return fmt.Sprintf(`{"point":[%g,%g],"observation_id":%q}`, x, y, id)
}

func TestResolve(t *testing.T) {
	var l point.Looks
	l.Add(look("o1.front", frame("front", robot.MountFixed, 0), 4), time.Minute)
	l.Add(look("o2.front", frame("front", robot.MountFixed, 50*time.Second), 4), time.Minute)
	l.Add(look("o2.wrist", frame("wrist", robot.MountMoving, 50*time.Second), 4), time.Minute)
	l.Add(look("o3.wrist", frame("wrist", robot.MountMoving, 50*time.Second), 4), time.Minute)
	dark := look("o4.front", frame("front", robot.MountFixed, 50*time.Second), 4)
	dark.NotLive = "the picture is black"
	l.Add(dark, time.Minute)
	wrist := skill.Spec{Camera: "wrist", ImagePoints: []string{"point"}}
	at := func(motions uint64) point.Now { return point.Now{At: 61 * time.Second, Motions: motions} }
	rules := point.Rules{MaxAge: time.Minute}
	tests := map[string]struct {
		args  string
		spec  skill.Spec
		rules point.Rules
		now   point.Now
		code  string // of the refusal; "" = none
		check int    // points whose patch must be compared
	}{
		"true":                         {args("o2.front", 30, 20), pick, rules, at(4), "", 0},
		"number_alone_of_one_image":    {args("o3", 30, 20), wrist, rules, at(4), "", 0},
		"number_alone_of_two":          {args("o2", 30, 20), pick, rules, at(4), "unknown_observation", 0},
		"unknown":                      {args("o9.front", 30, 20), pick, rules, at(4), "unknown_observation", 0},
		"no_id":                        {`{"point":[30,20]}`, pick, rules, at(4), "bad_arguments", 0},
		"empty_id":                     {args("", 30, 20), pick, rules, at(4), "bad_arguments", 0},
		"id_is_a_number":               {`{"point":[30,20],"observation_id":2}`, pick, rules, at(4), "bad_arguments", 0},
		"no_object":                    {`[30,20]`, pick, rules, at(4), "bad_arguments", 0},
		"point_of_one":                 {`{"point":[30],"observation_id":"o2.front"}`, pick, rules, at(4), "bad_arguments", 0},
		"point_of_three":               {`{"point":[30,20,1],"observation_id":"o2.front"}`, pick, rules, at(4), "bad_arguments", 0},
		"point_of_words":               {`{"point":["30","20"],"observation_id":"o2.front"}`, pick, rules, at(4), "bad_arguments", 0},
		"other_camera":                 {args("o2.wrist", 30, 20), pick, rules, at(4), "wrong_camera", 0},
		"left_of_the_image":            {args("o2.front", -0.1, 20), pick, rules, at(4), "point_outside_image", 0},
		"right_of_the_image":           {args("o2.front", 340, 20), pick, rules, at(4), "point_outside_image", 0},
		"below_the_image":              {args("o2.front", 30, 250), pick, rules, at(4), "point_outside_image", 0},
		"on_the_margin":                {args("o2.front", 19.9, 20), pick, rules, at(4), "point_outside_image", 0},
		"first_of_the_picture":         {args("o2.front", 20, 10), pick, rules, at(4), "", 0},
		"last_of_the_picture":          {args("o2.front", 339.99, 249.99), pick, rules, at(4), "", 0},
		"too_old":                      {args("o1.front", 30, 20), pick, rules, at(4), "point_too_old", 0},
		"just_not_too_old":             {args("o1.front", 30, 20), pick, rules, point.Now{At: time.Minute, Motions: 4}, "", 0},
		"fixed_after_a_motion":         {args("o2.front", 30, 20), pick, rules, at(5), "", 1},
		"two_points_after_a_motion":    {`{"point":[30,20],"to":[50,60],"observation_id":"o2.front"}`, pick, rules, at(5), "", 2},
		"fixed_while_it_moves":         {args("o2.front", 30, 20), pick, rules, point.Now{At: 61 * time.Second, Motions: 4, Moving: true}, "", 1},
		"fixed_after_a_motion_strict":  {args("o2.front", 30, 20), pick, point.Rules{MaxAge: time.Minute, Strict: true}, at(5), "view_changed", 0},
		"fixed_before_a_motion_strict": {args("o2.front", 30, 20), pick, point.Rules{MaxAge: time.Minute, Strict: true}, at(4), "", 0},
		"moving_before_a_motion":       {args("o2.wrist", 30, 20), wrist, rules, at(4), "", 0},
		"moving_after_a_motion":        {args("o2.wrist", 30, 20), wrist, rules, at(5), "view_changed", 0},
		"moving_while_it_moves":        {args("o2.wrist", 30, 20), wrist, rules, point.Now{At: 61 * time.Second, Motions: 4, Moving: true}, "view_changed", 0},
		"not_live":                     {args("o4.front", 30, 20), pick, rules, at(4), "camera_not_live", 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			found, r := point.Resolve(&l, point.Request{Spec: tc.spec, Args: json.RawMessage(tc.args)}, tc.rules, tc.now)
			code := ""
			if r != nil {
				code = r.Code
			}
			if code != tc.code {
				t.Fatalf("got %q (%v), want %q", code, r, tc.code)
			}
			if r != nil {
				if r.Message == "" || len(found.Points) != 0 {
					t.Errorf("got %+v beside %+v", found, r)
				}
				return
			}
			if len(found.Points) == 0 || len(found.Check) != tc.check {
				t.Errorf("got %d points, %d to check, want %d", len(found.Points), len(found.Check), tc.check)
			}
		})
	}
}

func TestResolveGivesTheFrameThatWasSeen(t *testing.T) {
	var l point.Looks
	f := frame("front", robot.MountFixed, 0)
	l.Add(look("o1.front", f, 0), time.Minute)
	found, r := point.Resolve(&l, point.Request{Spec: pick, Args: json.RawMessage(args("o1", 30, 20))}, point.Rules{MaxAge: time.Minute}, point.Now{})
	if r != nil {
		t.Fatal(r)
	}
	p := found.Points["point"]
	if p.Frame != f || p.Observation != "o1.front" || p.Pixel != [2]float64{20, 20} {
		t.Errorf("got %+v", p)
	}
	if got := l.Frames(); len(got) != 1 || got["o1.front"] != f {
		t.Errorf("got frames %v", got)
	}
}

// TestMappingBackIsExact to half a capture pixel: whatever the scale, crop and margins, the pixel that a planner reads off
// the image as sent, in whole pixels, is the one that it means.
func TestMappingBackIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := func(name string) float64 { return rapid.Float64Range(0.25, 4).Draw(t, name) }
		off := func(name string) float64 { return rapid.Float64Range(0, 60).Draw(t, name) }
		m := view.Mapping{Scale: [2]float64{scale("sx"), scale("sy")}, Margin: [2]float64{off("mx"), off("my")}, Crop: [2]float64{off("cx"), off("cy")}}
		p := [2]float64{rapid.Float64Range(100, 300).Draw(t, "x"), rapid.Float64Range(100, 300).Draw(t, "y")}
		k := look("o1.front", frameOnce, 0)
		k.Mapping, k.Width, k.Height = m, 4000, 4000
		var l point.Looks
		l.Add(k, time.Minute)
		at := m.ToSent(p)
		found, r := point.Resolve(&l, point.Request{Spec: pick, Args: json.RawMessage(fmt.Sprintf(`{"point":[%v,%v],"observation_id":"o1"}`, at[0], at[1]))},
			point.Rules{MaxAge: time.Minute}, point.Now{})
		if r != nil {
			t.Fatal(r)
		}
		got := found.Points["point"].Pixel
		if d := math.Hypot(got[0]-p[0], got[1]-p[1]); d > 1e-6 {
			t.Fatalf("%v came back as %v", p, got)
		}
		for i, s := range m.Scale { // half a pixel of the image as sent is not more than half a capture pixel when it is sent enlarged
			whole := [2]float64{math.Floor(at[0]) + 0.5, math.Floor(at[1]) + 0.5}
			if d := math.Abs(m.ToCapture(whole)[i] - p[i]); d > 0.5/s+1e-9 {
				t.Fatalf("axis %d: off by %g capture pixels at scale %g", i, d, s)
			}
		}
	})
}

var frameOnce = frame("front", robot.MountFixed, 0)

func TestPatchIsClippedToTheCapture(t *testing.T) {
	for px, want := range map[[2]float64]image.Rectangle{
		{320, 240}:     image.Rect(308, 228, 333, 253),
		{320.9, 240.9}: image.Rect(308, 228, 333, 253),
		{0, 0}:         image.Rect(0, 0, 13, 13),
		{639.5, 479.5}: image.Rect(627, 467, 640, 480),
	} {
		if got := point.Patch(skill.Point{Pixel: px, Frame: frameOnce}); got != want {
			t.Errorf("%v: got %v, want %v", px, got, want)
		}
	}
}

// shifted is the picture of a later time with what is in rect made brighter by d.
func shifted(at time.Duration, rect image.Rectangle, d uint8) *robot.Frame {
	f := frame("front", robot.MountFixed, at)
	for y := rect.Min.Y; y < rect.Max.Y; y++ {
		for x := rect.Min.X; x < rect.Max.X; x++ {
			for c := range 3 {
				f.Color.Pix[f.Color.PixOffset(x, y)+c] += d
			}
		}
	}
	return f
}

func TestUnchanged(t *testing.T) {
	p := skill.Point{Observation: "o1.front", Pixel: [2]float64{320, 240}, Frame: frameOnce}
	whole := image.Rect(0, 0, 640, 480)
	black := frame("front", robot.MountFixed, time.Second)
	clear(black.Color.Pix)
	frozen := *frameOnce
	frozen.At = time.Second
	tests := map[string]struct {
		now  *robot.Frame
		want string
	}{
		"same_but_for_noise":  {frame("front", robot.MountFixed, time.Second), ""},
		"the_very_same":       {frameOnce, ""},
		"brighter_everywhere": {shifted(time.Second, whole, 60), ""},
		"something_came":      {shifted(time.Second, image.Rect(300, 230, 322, 250), 90), "view_changed"},
		"something_elsewhere": {shifted(time.Second, image.Rect(100, 100, 200, 200), 90), ""},
		"went_black":          {black, "view_changed"},
		"frozen":              {&frozen, "camera_not_live"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := point.Unchanged(p, tc.now, &robot.Description{}, nil)
			got := ""
			if r != nil {
				got = r.Code
			}
			if got != tc.want {
				t.Errorf("got %q (%v), want %q", got, r, tc.want)
			}
		})
	}
}

// TestArmBeforeThePoint: an arm whose links pass between camera and point hides it; one beside it or behind the camera
// does not.
func TestArmBeforeThePoint(t *testing.T) {
	shape := geom.DefaultArmShape()
	home := shape.Home()
	arm := func(foot geom.Vec) (*robot.Description, *robot.Readings) {
		chain := shape.Chain().Placed(geom.Pose{Pos: foot, Rot: geom.Rot{Real: 1}})
		d := &robot.Description{Modules: []robot.Module{
			{Name: "grip", Kind: robot.KindGripper},
			{Name: "arm", Kind: robot.KindArm, Arm: &robot.Arm{Chain: chain, LinkRadius: 0.02}},
		}}
		return d, &robot.Readings{Arms: map[string]robot.ArmState{"arm": {Joints: home, Tip: chain.Tip(home)}}}
	}
	eye := geom.LookAt(geom.Vec{Z: 1}, geom.Vec{}, geom.Vec{X: 1})
	now := frame("front", robot.MountFixed, time.Second)
	now.Pose = eye
	seen := *frameOnce
	seen.Pose = eye
	d, r := arm(geom.Vec{})
	links := d.Modules[1].Arm.Chain.Links(home)
	elbow := links[2].Pos
	u, v, _ := now.Intrinsics.Project(eye.Inv().Apply(elbow))
	p := skill.Point{Observation: "o1.front", Pixel: [2]float64{u, v}, Frame: &seen}
	ref := point.Unchanged(p, now, d, r)
	if ref == nil || ref.Code != "view_changed" || !strings.Contains(ref.Message, "arm stands before") {
		t.Errorf("the elbow is at the point: got %v", ref)
	}
	for name, foot := range map[string]geom.Vec{"beside": {X: 0.5, Y: 0.5}, "behind_the_camera": {Z: 3}} {
		t.Run(name, func(t *testing.T) {
			d, r := arm(foot)
			if ref := point.Unchanged(p, now, d, r); ref != nil {
				t.Errorf("got %v", ref)
			}
		})
	}
}
