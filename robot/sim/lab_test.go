package sim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
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

func TestTracking(t *testing.T) {
	r := simtest.Open(t, simtest.Config(t, simtest.Engine(t), "name: empty\n"))
	p := newPilot(t, r)
	p.aperture(0.03, 0, 300*time.Millisecond)
	for _, rad := range []float64{0.17, 0.27, 0.36} {
		hover, low := geom.Vec{X: rad, Z: 0.12}, geom.Vec{X: rad, Z: 0.004}
		p.joints(p.down(hover, 0.3))
		p.tick(30)
		t.Logf("r %.2f hover err %.2f mm", rad, 1000*r3.Norm(r3.Sub(p.arm().Tip.Pos, hover)))
		const n = 98
		worst := 0.0
		for k := 1; k <= n; k++ {
			at := r3.Add(hover, r3.Scale(float64(k)/float64(n), r3.Sub(low, hover)))
			p.send(p.down(at, 0.3))
			p.tick(1)
			worst = math.Max(worst, r3.Norm(r3.Sub(p.arm().Tip.Pos, at)))
		}
		line := fmt.Sprintf("descend worst %.1f mm;", worst*1000)
		for k := range 6 {
			line += fmt.Sprintf(" +%dms %.2f", k*50, 1000*r3.Norm(r3.Sub(p.arm().Tip.Pos, low)))
			p.tick(5)
		}
		t.Log(line)
		p.joints(p.down(hover, 0.3))
	}
}

const labScene = `name: lab
objects:
  - {name: thing, %s, pose: {xy: [%.4f, %.4f], yaw_deg: %.2f}}
`

// TestLab: LAB=trials, SHAPE=object, GRIP=force.
func TestLab(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("LAB"))
	if n == 0 {
		t.Skip()
	}
	shape := os.Getenv("SHAPE")
	force, _ := strconv.ParseFloat(os.Getenv("GRIP"), 64)
	width, _ := strconv.ParseFloat(os.Getenv("WIDTH"), 64)
	tipz, _ := strconv.ParseFloat(os.Getenv("TIPZ"), 64)
	e := simtest.Engine(t)
	rng := rand.New(rand.NewPCG(1, 2))
	good := 0
	start := time.Now()
	sim := time.Duration(0)
	for i := range n {
		rad, bearing := 0.19+0.15*rng.Float64(), geom.Rad(-60+120*rng.Float64())
		x, y, yaw := rad*math.Cos(bearing), rad*math.Sin(bearing), geom.Rad(360*rng.Float64())
		c := simtest.Config(t, e, fmt.Sprintf(labScene, shape, x, y, geom.Deg(yaw)))
		r, err := simrobot.Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		p := newPilot(t, r)
		along, across, dyaw := 0.02*rng.Float64()-0.01, 0.01*rng.Float64()-0.005, geom.Rad(20*rng.Float64()-10)
		gx := x + along*math.Cos(yaw) - across*math.Sin(yaw)
		gy := y + along*math.Sin(yaw) + across*math.Cos(yaw)
		z := tipz
		if z == 0 {
			z = 0.002 + 0.0025*rng.Float64()
		}
		hover, low := geom.Vec{X: gx, Y: gy, Z: 0.12}, geom.Vec{X: gx, Y: gy, Z: z}
		p.aperture(width+0.016, 0, 0)
		p.joints(p.down(hover, yaw+dyaw))
		p.line(hover, low, yaw+dyaw, 0.12)
		p.tick(15)
		p.aperture(0, force, 700*time.Millisecond)
		p.line(low, hover, yaw+dyaw, 0.12)
		start := *r.WorldPose("thing")
		p.tick(200)
		held := *r.WorldPose("thing")
		q := append([]float64(nil), p.q...)
		q[0] += 1
		if q[0] > 1.8 {
			q[0] -= 2
		}
		p.joints(q)
		p.tick(30)
		end := *r.WorldPose("thing")
		ok := end.Pos.Z > 0.09
		if ok {
			good++
		} else {
			t.Logf("fail %d: z after lift %.3f, held %.3f, end %.3f, r %.2f along %.1f across %.1f dyaw %.1f z %.1f mm, aperture %.1f", i, start.Pos.Z, held.Pos.Z, end.Pos.Z, rad, along*1000, across*1000, geom.Deg(dyaw), z*1000, 1000*p.grip().ApertureM)
		}
		sim += r.Clock().Now()
		r.Close()
	}
	t.Logf("RESULT %s grip %v: %d/%d, %.1f x real time", shape, force, good, n, sim.Seconds()/time.Since(start).Seconds())
}
