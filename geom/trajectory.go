package geom

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"time"
)

// SpeedLimits bound a motion. A zero TipSpeed or TurnSpeed is no bound.
type SpeedLimits struct {
	Joints    []float64     // rad/s for each joint; all above 0
	TipSpeed  float64       // m/s of the fingertips
	TurnSpeed float64       // rad/s of the tool
	Ramp      time.Duration // from rest to full speed; default 0.25 s
}

// Trajectory is a path with times: at rest at both ends, with smooth speed and acceleration without jumps at the ramps.
// It is immutable; At may be called from several goroutines.
type Trajectory struct {
	joints [][]float64
	at     []float64 // of each sample: seconds at full speed from the start
	ramp   float64   // seconds of each of the two ramps
	full   float64   // largest share of full speed, ≤ 1
	total  float64   // seconds
}

// Timed gives the path times: as fast as the limits allow, each ramp a smooth step.
func (p *Path) Timed(l SpeedLimits) (*Trajectory, error) {
	if len(p.Joints) == 0 || len(l.Joints) != len(p.Joints[0]) {
		return nil, fmt.Errorf("time a path: %d joint speeds do not fit the path", len(l.Joints))
	}
	for _, v := range l.Joints {
		if !(v > 0) {
			return nil, errors.New("time a path: every joint speed must be above 0")
		}
	}
	tr := &Trajectory{joints: p.Joints, at: make([]float64, len(p.Joints))}
	for i := 1; i < len(p.Joints); i++ {
		tr.at[i] = tr.at[i-1] + p.leastTime(i, l)
	}
	ramp := l.Ramp.Seconds()
	if ramp <= 0 {
		ramp = 0.25
	}
	tr.shape(ramp)
	return tr, nil
}

// leastTime is the time of the piece before sample i at full speed.
func (p *Path) leastTime(i int, l SpeedLimits) float64 {
	least := 0.0
	for j, v := range l.Joints {
		least = math.Max(least, math.Abs(p.Joints[i][j]-p.Joints[i-1][j])/v)
	}
	if l.TipSpeed > 0 {
		least = math.Max(least, between(p.Tips[i].Pos, p.Tips[i-1].Pos)/l.TipSpeed)
	}
	if l.TurnSpeed > 0 {
		least = math.Max(least, AngleOf(MulRot(p.Tips[i].Rot, InvRot(p.Tips[i-1].Rot)))/l.TurnSpeed)
	}
	return least
}

// shape sets the speed over time: up with a smooth step over ramp, level, down. A short way keeps the acceleration and
// does not get to full speed.
func (tr *Trajectory) shape(ramp float64) {
	way := tr.at[len(tr.at)-1]
	tr.ramp, tr.full = ramp, 1
	if way < ramp {
		tr.ramp = math.Sqrt(way * ramp)
		tr.full = tr.ramp / ramp
	}
	tr.total = 2 * tr.ramp
	if tr.full == 1 {
		tr.total = way + ramp
	}
}

// Duration is the time from start to rest.
func (tr *Trajectory) Duration() time.Duration {
	return time.Duration(math.Ceil(tr.total * float64(time.Second)))
}

// At writes to dst where the joints are at time t from the start; before it they are at the start, after the end at the
// end. It does not allocate.
func (tr *Trajectory) At(t time.Duration, dst []float64) {
	s := tr.progress(t.Seconds())
	last := len(tr.at) - 1
	i := sort.SearchFloat64s(tr.at, s)
	switch {
	case i == 0:
		copy(dst, tr.joints[0])
		return
	case i > last:
		copy(dst, tr.joints[last])
		return
	}
	share := (s - tr.at[i-1]) / (tr.at[i] - tr.at[i-1])
	a, b := tr.joints[i-1], tr.joints[i]
	for k := range dst {
		dst[k] = (1-share)*a[k] + share*b[k]
	}
}

// progress is the way done at time t, in seconds at full speed.
func (tr *Trajectory) progress(t float64) float64 {
	way := tr.at[len(tr.at)-1]
	switch {
	case t <= 0:
		return 0
	case t >= tr.total:
		return way
	case t < tr.ramp:
		return tr.full * tr.ramp * rampWay(t/tr.ramp)
	case t > tr.total-tr.ramp:
		return way - tr.full*tr.ramp*rampWay((tr.total-t)/tr.ramp)
	}
	return tr.full * (tr.ramp/2 + t - tr.ramp)
}

// rampWay is the integral of the smooth step 3u² − 2u³.
func rampWay(u float64) float64 { return u * u * u * (1 - u/2) }

// End is where the joints come to rest; it is the trajectory's own.
func (tr *Trajectory) End() []float64 { return tr.joints[len(tr.joints)-1] }
