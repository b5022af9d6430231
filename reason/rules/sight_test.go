package rules_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/geom"
)

func TestBlindfold(t *testing.T) {
	t.Run("not_live", func(t *testing.T) {
		r := newRig(t, batteries(), front())
		r.notLive = "the camera is frozen"
		r.run(putAll).want(false, "no live picture", "frozen")
		if r.number != 0 {
			t.Error("something was moved")
		}
	})
	t.Run("black", func(t *testing.T) {
		w := batteries()
		w.dark = true
		r := newRig(t, w, front()).run(putAll)
		r.want(false)
		if r.number != 0 {
			t.Error("something was moved")
		}
	})
}

func TestCamouflageAndDecoy(t *testing.T) {
	w := batteries()
	w.objects[1].rgb = table
	w.objects = append(w.objects, &object{shape: "patch", rgb: bronze, pos: geom.Vec{X: 0.28, Y: -0.15}, size: [3]float64{0.05, 0.014}})
	r := newRig(t, w, front()).run(putAll)
	r.want(true, "three batteries")
	if n := w.inside("lying", white); n != 3 {
		t.Errorf("%d batteries are in the box, want 3", n)
	}
}

// points are the pixels of a run's actions.
func pointsOf(t *testing.T, r *rig) [][2]float64 {
	var out [][2]float64
	for _, s := range r.points {
		var name string
		var p [2]float64
		if _, err := fmt.Sscanf(strings.NewReplacer("[", "", "]", "").Replace(s), "%s %f %f", &name, &p[0], &p[1]); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

func TestMirroredScene(t *testing.T) {
	task := "push the red block away"
	w := &world{objects: []*object{block(red, 0.25, 0.1), block(blue, 0.3, -0.05), battery(0.2, -0.1, 0.4)}}
	a := pointsOf(t, newRig(t, w, front()).run(task))
	b := pointsOf(t, newRig(t, (&world{objects: []*object{block(red, 0.25, 0.1), block(blue, 0.3, -0.05), battery(0.2, -0.1, 0.4)}}).mirrored(), front()).run(task))
	if len(a) != 1 || len(b) != 1 {
		t.Fatalf("got %v and mirrored %v, want one point each", a, b)
	}
	if x := 2*30 + imageWidth - b[0][0]; math.Abs(x-a[0][0]) > 3 || math.Abs(a[0][1]-b[0][1]) > 3 {
		t.Errorf("got %v and mirrored %v, more than 3 px apart", a[0], b[0])
	}
}

func TestLightAndHue(t *testing.T) {
	sample(t, 1)
	plain := pointsOf(t, newRig(t, batteries(), front()).run(putAll))
	for name, change := range map[string]func(*world){
		"darker":   func(w *world) { w.light = 0.75 },
		"brighter": func(w *world) { w.light = 1.25 },
		"hue": func(w *world) {
			for _, o := range w.objects[:3] {
				o.rgb = [3]float64{o.rgb[2], o.rgb[0], o.rgb[1]}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := batteries()
			change(w)
			got := pointsOf(t, newRig(t, w, front()).run(putAll))
			if len(got) != len(plain) {
				t.Fatalf("got %v, want %v", got, plain)
			}
			for i := range got {
				if math.Hypot(got[i][0]-plain[i][0], got[i][1]-plain[i][1]) > 4 {
					t.Errorf("point %d: got %v, want %v", i, got[i], plain[i])
				}
			}
		})
	}
}
