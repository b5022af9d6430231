package detect_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/sim/render/rendertest"
	"github.com/rein-robotics/rein/vision/detect"
)

var (
	scenes  = flag.Int("scenes", 6, "how many random scenes are tried")
	first   = flag.Int("first", 0, "the number of the first of them")
	variant = flag.String("variant", "", "how they are looked at: fine, half, light, moved, crowd, wrist, contents; empty = as the front camera does")
)

// varied is scene number i and how it is looked at, under the chosen variant.
func varied(i int) (rendertest.Scene, rendertest.Shot) {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	n := 6
	if *variant == "crowd" {
		n = 11
	}
	s, shot := rendertest.RandomScene(r, n), rendertest.Front(640, 480)
	shot.Seq = uint64(i)
	switch *variant {
	case "fine":
		shot.Fine = true
	case "half":
		w := shot.Seq
		shot = rendertest.Front(320, 240)
		shot.Seq = w
	case "light":
		s.Light = 0.75 + 0.5*r.Float64()
	case "moved":
		d := func() float64 { return (r.Float64()*2 - 1) * 0.05 }
		shot.Pose = geom.LookAt(geom.Vec{X: 0.02 + d(), Y: d(), Z: 0.80 + d()}, geom.Vec{X: 0.25 + d(), Y: d()}, geom.Vec{Z: 1})
	case "wrist":
		w := shot.Seq
		shot = rendertest.Wrist(geom.Vec{X: 0.26}, 0.45)
		shot.Seq = w
	}
	return s, shot
}

// matched is the index of the thing whose middle is nearest to the object, within 15 mm; -1 when there is none.
func matched(o rendertest.Object, things []detect.Thing) int {
	best, dist := -1, 0.015
	for i := range things {
		t := &things[i]
		if d := math.Hypot(t.World.X-o.Pos.X, t.World.Y-o.Pos.Y); d < dist {
			best, dist = i, d
		}
	}
	return best
}

func TestRandomScenesAreSeenRightly(t *testing.T) {
	total, good := map[detect.Kind]int{}, map[detect.Kind]int{}
	false1 := 0
	for i := *first; i < *first+*scenes; i++ {
		s, shot := varied(i)
		things := detect.Things(rendertest.Draw(s, shot), nil)
		used := map[int]bool{}
		for _, o := range s.Objects {
			total[o.Kind]++
			k := matched(o, things)
			if k < 0 {
				t.Logf("scene %d: %s %s at %.3f %.3f size %.3f: not seen", i, o.Colour, o.Shape, o.Pos.X, o.Pos.Y, o.Size)
				continue
			}
			used[k] = true
			th := &things[k]
			if th.Kind != o.Kind || !th.Is(o.Colour) {
				t.Logf("scene %d: %s %s %s at %.3f %.3f size %.3f yaw %.2f: seen as %v", i, o.Colour, o.Kind, o.Shape, o.Pos.X, o.Pos.Y, o.Size, o.Yaw, describe(th))
				continue
			}
			good[o.Kind]++
		}
		for k := range things {
			if !used[k] {
				false1++
				t.Logf("scene %d: nothing is there: %v", i, describe(&things[k]))
			}
		}
	}
	for _, k := range slices.Sorted(mapKeys(total)) {
		t.Logf("%s: %d of %d", k, good[k], total[k])
	}
	t.Logf("seen without being there: %d", false1)
	for _, k := range []detect.Kind{detect.Battery, detect.Block} {
		if good[k]*100 < total[k]*99-50 {
			t.Errorf("%s: %d of %d are right, want 99 in 100", k, good[k], total[k])
		}
	}
}

func mapKeys(m map[detect.Kind]int) func(func(detect.Kind) bool) {
	return func(yield func(detect.Kind) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func describe(t *detect.Thing) string {
	return fmt.Sprintf("%s %v %.2f at %.3f %.3f %.3f size %.3f×%.3f×%.3f yaw %.2f in %d on %d conf %.2f", t.Kind, t.Colours, t.RGB,
		t.World.X, t.World.Y, t.World.Z, t.Length, t.Width, t.Height, t.Yaw, t.Inside, t.On, t.Confidence)
}
