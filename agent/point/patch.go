package point

import (
	"bytes"
	"fmt"
	"image"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
	"github.com/rein-robotics/rein/vision"
)

// Patch is the region to look at anew before p may be used, clipped to the capture.
func Patch(p skill.Point) image.Rectangle {
	c := image.Pt(int(p.Pixel[0]), int(p.Pixel[1]))
	r := image.Rect(c.X-PatchHalf, c.Y-PatchHalf, c.X+PatchHalf+1, c.Y+PatchHalf+1)
	return r.Intersect(image.Rect(0, 0, p.Frame.Intrinsics.Width, p.Frame.Intrinsics.Height))
}

// Unchanged compares the patch around p with a new picture of it and refuses when the world around the point is no
// longer what the planner saw, or when an arm stands before it.
func Unchanged(p skill.Point, now *robot.Frame, d *robot.Description, r *robot.Readings) *skill.Refusal {
	hint := "look at the new image and point again"
	if arm := hides(d, r, now, p.Pixel); arm != "" {
		return &skill.Refusal{Code: "view_changed", Message: fmt.Sprintf("%s stands before the point in %s", arm, now.Camera), Hint: hint}
	}
	if frozen(p, now) {
		return &skill.Refusal{Code: "camera_not_live", Message: now.Camera + " is not trusted: its picture has not changed by a single pixel", Hint: "nothing can be pointed at until the camera shows live pictures again"}
	}
	if diff := vision.PatchDiff(p.Frame, now, p.Pixel); diff > MaxPatchDiff {
		return &skill.Refusal{Code: "view_changed",
			Message: fmt.Sprintf("the image around [%.0f, %.0f] changed since %s (%.0f of 255, at most %d)", p.Pixel[0], p.Pixel[1], p.Observation, diff, MaxPatchDiff), Hint: hint}
	}
	return nil
}

// frozen says that a later picture of the patch is the earlier one to the byte, noise and all. A patch without noise, black
// or blinded, says nothing.
func frozen(p skill.Point, now *robot.Frame) bool {
	if now.At == p.Frame.At {
		return false // one instant has one picture
	}
	r := vision.PatchRegion(p.Pixel).Intersect(p.Frame.Color.Rect).Intersect(now.Color.Rect)
	noisy := false
	for y := r.Min.Y; y < r.Max.Y; y++ {
		a := p.Frame.Color.Pix[p.Frame.Color.PixOffset(r.Min.X, y):][:4*r.Dx()]
		b := now.Color.Pix[now.Color.PixOffset(r.Min.X, y):][:4*r.Dx()]
		if !bytes.Equal(a, b) {
			return false
		}
		noisy = noisy || !bytes.Equal(a[4:], a[:4*r.Dx()-4])
	}
	return noisy
}

// hides names the arm whose links, projected into the camera, cover the pixel; "" = none does.
func hides(d *robot.Description, r *robot.Readings, f *robot.Frame, px [2]float64) string {
	if r == nil {
		return ""
	}
	toCam := f.Pose.Inv()
	for _, m := range d.Modules {
		if m.Arm == nil || len(m.Arm.Chain.Joints) == 0 {
			continue
		}
		state, ok := r.Arms[m.Name]
		if !ok {
			continue
		}
		links := m.Arm.Chain.Links(state.Joints)
		at := make([]geom.Vec, 0, len(links)+1)
		for _, l := range links {
			at = append(at, toCam.Apply(l.Pos))
		}
		at = append(at, toCam.Apply(state.Tip.Pos))
		for i := 1; i < len(at); i++ {
			if covers(f.Intrinsics, [2]geom.Vec{at[i-1], at[i]}, m.Arm.LinkRadius, px) {
				return m.Name
			}
		}
	}
	return ""
}

// covers says whether a capsule between two points of the camera frame is seen at the pixel. Parts behind the camera
// hide nothing.
func covers(in geom.Intrinsics, seg [2]geom.Vec, radius float64, px [2]float64) bool {
	const steps = 16
	for i := range steps + 1 {
		t := float64(i) / steps
		p := geom.Vec{X: seg[0].X + t*(seg[1].X-seg[0].X), Y: seg[0].Y + t*(seg[1].Y-seg[0].Y), Z: seg[0].Z + t*(seg[1].Z-seg[0].Z)}
		u, v, ok := in.Project(p)
		if !ok {
			continue
		}
		r := radius * in.Fx / p.Z
		if (u-px[0])*(u-px[0])+(v-px[1])*(v-px[1]) <= r*r {
			return true
		}
	}
	return false
}
