package vision_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/vision"
)

var (
	scenes  = flag.Int("scenes", 6, "how many random scenes are tried")
	first   = flag.Int("first", 0, "the number of the first of them")
	variant = flag.String("variant", "", "how they are looked at: fine, half, light, moved, crowd, wrist, contents; empty = as the front camera does")
)

// varied is scene number i and how it is looked at, under the chosen variant.
func varied(i int) (scene, shot) {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	n := 6
	if *variant == "crowd" {
		n = 11
	}
	s, shot := randomScene(r, n), front(640, 480)
	shot.seq = uint64(i)
	switch *variant {
	case "fine":
		shot.fine = true
	case "half":
		w := shot.seq
		shot = front(320, 240)
		shot.seq = w
	case "light":
		s.light = 0.75 + 0.5*r.Float64()
	case "moved":
		d := func() float64 { return (r.Float64()*2 - 1) * 0.05 }
		shot.pose = geom.LookAt(geom.Vec{X: 0.02 + d(), Y: d(), Z: 0.80 + d()}, geom.Vec{X: 0.25 + d(), Y: d()}, geom.Vec{Z: 1})
	case "wrist":
		w := shot.seq
		shot = wrist(geom.Vec{X: 0.26}, 0.45)
		shot.seq = w
	}
	return s, shot
}

// matched is the index of the thing whose middle is nearest to the object, within 15 mm; -1 when there is none.
func matched(o object, things []vision.Thing) int {
	best, dist := -1, 0.015
	for i := range things {
		t := &things[i]
		if d := math.Hypot(t.World.X-o.pos.X, t.World.Y-o.pos.Y); d < dist {
			best, dist = i, d
		}
	}
	return best
}

func TestRandomScenesAreSeenRightly(t *testing.T) {
	total, good := map[vision.Kind]int{}, map[vision.Kind]int{}
	false1 := 0
	for i := *first; i < *first+*scenes; i++ {
		s, shot := varied(i)
		things := vision.Detect(draw(s, shot), nil)
		used := map[int]bool{}
		for _, o := range s.objects {
			total[o.kind]++
			k := matched(o, things)
			if k < 0 {
				t.Logf("scene %d: %s %s at %.3f %.3f size %.3f: not seen", i, o.colour, o.shape, o.pos.X, o.pos.Y, o.size)
				continue
			}
			used[k] = true
			th := &things[k]
			if th.Kind != o.kind || !th.Is(o.colour) {
				t.Logf("scene %d: %s %s %s at %.3f %.3f size %.3f yaw %.2f: seen as %v", i, o.colour, o.kind, o.shape, o.pos.X, o.pos.Y, o.size, o.yaw, describe(th))
				continue
			}
			good[o.kind]++
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
	for _, k := range []vision.Kind{vision.Battery, vision.Block} {
		if good[k]*100 < total[k]*99-50 {
			t.Errorf("%s: %d of %d are right, want 99 in 100", k, good[k], total[k])
		}
	}
}

func mapKeys(m map[vision.Kind]int) func(func(vision.Kind) bool) {
	return func(yield func(vision.Kind) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func describe(t *vision.Thing) string {
	return fmt.Sprintf("%s %v %.2f at %.3f %.3f %.3f size %.3f×%.3f×%.3f yaw %.2f in %d on %d conf %.2f", t.Kind, t.Colours, t.RGB,
		t.World.X, t.World.Y, t.World.Z, t.Length, t.Width, t.Height, t.Yaw, t.Inside, t.On, t.Confidence)
}
