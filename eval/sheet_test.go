package eval_test

import (
	"testing"

	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/eval/measure"
)

// Of a labelled tick the last box that it misses brings the next tick; one that it does not miss, or a box drawn anew,
// stays.
func TestTheLastBoxBringsTheNextTick(t *testing.T) {
	b, err := eval.OpenBook(t.TempDir(), "pick", "pick_object", progress)
	if err != nil {
		t.Fatal(err)
	}
	var ticks []eval.Tick
	for i := range 2 {
		ticks = append(ticks, eval.Tick{
			Key: measure.Key{Episode: "s/000001", Action: "a1", Tick: i + 1}, Tool: "pick_object",
			Pictures: []eval.Picture{
				{Name: "images/a1r_cam.image.jpg", Camera: "cam", Reference: true},
				{Name: []string{"images/a1m1_cam.image.jpg", "images/a1m2_cam.image.jpg"}[i], Camera: "cam"},
				{Name: []string{"images/a1m2_cam.image.jpg", "images/a1m3_cam.image.jpg"}[i], Camera: "cam", Current: true},
			},
		})
	}
	s := eval.NewSheet(ticks, b)
	s.Boxes = true
	box := &[4]float64{1, 2, 3, 4}
	for i, c := range []struct {
		do   func() (eval.Did, error)
		did  eval.Did
		then int
	}{
		{func() (eval.Did, error) { return s.Key('1') }, eval.Boxless, 0},
		{func() (eval.Did, error) { return s.Draw(1, nil) }, eval.Boxed, 0},
		{func() (eval.Did, error) { return s.Draw(0, box) }, eval.Nothing, 0}, // a picture that is not compared
		{func() (eval.Did, error) { return s.Draw(3, box) }, eval.Nothing, 0},
		{func() (eval.Did, error) { return s.Draw(2, box) }, eval.Labelled, 1},
		{func() (eval.Did, error) { return s.Key('b') }, eval.Back, 0},
		{func() (eval.Did, error) { return s.Draw(2, nil) }, eval.Boxed, 0},
		{func() (eval.Did, error) { return s.Key('2') }, eval.Labelled, 1},
		{func() (eval.Did, error) { return s.Draw(2, box) }, eval.Boxed, 1}, // no label yet
		{func() (eval.Did, error) { return s.Key('s') }, eval.Labelled, 2},
		{func() (eval.Did, error) { return s.Draw(0, box) }, eval.Nothing, 2},
	} {
		if did, err := c.do(); did != c.did || s.Place() != c.then || err != nil {
			t.Errorf("%d: did %v at %d, %v; want %v at %d", i, did, s.Place(), err, c.did, c.then)
		}
	}
	if x, ok := b.Box("s/000001", "images/a1m1_cam.image.jpg"); !ok || x.Box != nil {
		t.Errorf("got %+v, want out of view", x)
	}
}
