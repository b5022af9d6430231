package sim_test

import (
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/spatial/r3"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	simrobot "github.com/rein-robotics/rein/robot/sim"
	"github.com/rein-robotics/rein/robot/sim/simtest"
)

// pilot drives the arm without a control loop.
type pilot struct {
	tb    testing.TB
	r     *simrobot.Robot
	shape geom.ArmShape
	q     []float64
}

func newPilot(tb testing.TB, r *simrobot.Robot) *pilot {
	s := geom.DefaultArmShape()
	return &pilot{tb: tb, r: r, shape: s, q: s.Home()}
}

func (p *pilot) tick(n int) {
	for range n {
		if err := p.r.Clock().Advance(p.tb.Context()); err != nil {
			p.tb.Fatal(err)
		}
	}
}

func (p *pilot) arm() robot.ArmState      { return p.r.Readings().Arms[simtest.Arm] }
func (p *pilot) grip() robot.GripperState { return p.r.Readings().Grippers[simtest.Gripper] }

func (p *pilot) send(q []float64) {
	if err := p.r.Do(robot.Command{Target: robot.Target{Module: simtest.Arm, Joints: q}}); err != nil {
		p.tb.Fatal(err)
	}
	p.q = q
}

func (p *pilot) aperture(m, force float64, d time.Duration) {
	if err := p.r.Do(robot.Command{Target: robot.Target{Module: simtest.Gripper, ApertureM: &m, ForceN: force}}); err != nil {
		p.tb.Fatal(err)
	}
	p.tick(int(d / (10 * time.Millisecond)))
}

// joints goes to q at 1.4 rad/s, eased.
func (p *pilot) joints(q []float64) {
	from := append([]float64(nil), p.q...)
	d := 0.0
	for i := range q {
		d = math.Max(d, math.Abs(q[i]-from[i]))
	}
	n := int(d/1.2*100*1.5) + 10
	for k := 1; k <= n; k++ {
		s := float64(k) / float64(n)
		s = s * s * (3 - 2*s)
		t := make([]float64, len(q))
		for i := range q {
			t[i] = from[i] + s*(q[i]-from[i])
		}
		p.send(t)
		p.tick(1)
	}
}

func (p *pilot) down(at geom.Vec, yaw float64) []float64 {
	q, err := p.shape.ToolDown(at, yaw, p.q)
	if err != nil {
		p.tb.Fatal(err)
	}
	return q
}

// line moves the tip straight at speed.
func (p *pilot) line(from, to geom.Vec, yaw, speed float64) {
	n := int(r3.Norm(r3.Sub(to, from))/speed*100) + 1
	for k := 1; k <= n; k++ {
		s := float64(k) / float64(n)
		p.send(p.down(r3.Add(from, r3.Scale(s, r3.Sub(to, from))), yaw))
		p.tick(1)
	}
}
