package push_test

import (
	"math"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/skill/push"
	"github.com/rein-robotics/rein/skill/skilltest"
)

// TestBlockedPushDrawsBack: the fingers let go of what they press on, and the arm is at home when the push is told to
// have failed.
func TestBlockedPushDrawsBack(t *testing.T) {
	s, tool := build(t, push.Push)
	block := skilltest.OnTable(0.26, -0.02, 0, geom.Vec{X: 0.04, Y: 0.04, Z: 0.04})
	sk, err := tool.New(s.Call(`{"direction":"left"}`, geom.Vec{X: 0.26, Y: -0.02, Z: 0.04}, skilltest.Photo(block)))
	if err != nil {
		t.Fatal(err)
	}
	most, last, high, stuck := math.Inf(-1), 0.0, false, false
	pan := 0.0
	s.Every = func(s *skilltest.Stand) {
		tip, told := s.Tip(), s.Issued()
		if tip.Z < 0.03 {
			most, last = max(most, tip.Y), tip.Y
		}
		high = high || stuck && tip.Z > 0.06
		switch q := s.Readings().Arms["arm"].Joints; {
		case !stuck && tip.Z < 0.03 && tip.Y > 0.01: // a wall
			stuck, pan = true, q[geom.ShoulderPan]
			for j := range q {
				s.Stick("arm", j)
			}
		case stuck && len(told) > 0 && told[len(told)-1].Command.Target.Joints != nil && told[len(told)-1].Command.Target.Joints[geom.ShoulderPan] < pan:
			s.Mend()
		}
	}
	_, err = s.Run(t, sk)
	if err == nil || !strings.Contains(err.Error(), "blocked") {
		t.Fatalf("got %v, want that it is blocked", err)
	}
	if last > most-0.008 {
		t.Errorf("the fingertips left the table at y %.3f, having pressed at %.3f", last, most)
	}
	if !high {
		t.Error("the arm did not go up")
	}
}
