package skill

import (
	"fmt"
	"math"
	"time"

	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	"gonum.org/v1/gonum/spatial/r3"
)

// How a move ended.
const (
	Reached = "reached"
	Stalled = "stalled"
	Capped  = "capped"
)

// The numbers of arrival.
const (
	JointTolerance    = 2.0   // units, of -100…100 between a joint's limits
	ApertureTolerance = 0.002 // m
	PlaceTolerance    = 0.005 // m, of a Cartesian target
	TurnTolerance     = 0.05  // rad, of a Cartesian target

	stillFor     = 300 * time.Millisecond // none moved for so long: stalled
	stillFrom    = 500 * time.Millisecond // after the move was sent, counting begins
	startDelay   = time.Second            // an arm that has not begun to move is not stalled before
	farFactor    = 5                      // × tolerance: a stalled move this far from its target is blocked
	defaultLimit = 10 * time.Second       // cap of a move that names none
)

// ArrivalRules chooses between the two forms of arrival. The zero value is the careful form with a cap of 10 s.
type ArrivalRules struct {
	// Letter: a field within tolerance has arrived whatever its speed, an arm may stall before it began to move, and
	// a stalled move is a success however far it is from its target.
	Letter     bool
	StartDelay time.Duration // 0 = 1 s
	Timeout    time.Duration // the cap; 0 = 10 s
}

// Arrival judges when a move that was sent has ended. It is not safe for use by several goroutines.
type Arrival struct {
	rules  ArrivalRules
	sentAt time.Duration
	fields []aim
	lastAt time.Duration // when a field was last seen to move
	begun  bool
}

// aim is one targeted field. read gives what is left to go (signed for scalars) and its speed.
type aim struct {
	name      string
	tolerance float64
	noise     float64
	still     float64
	grip      bool // an object between the fingers may keep it from its target
	unit      string
	value     func(*robot.Readings) (at []float64, left, speed float64, ok bool)
	short     func(*robot.Readings) float64 // metres between the tool and its target; nil = unknown
	mark      []float64                     // value when it was last seen to move
}

// NewArrival prepares the check of targets that were sent at sentAt (robot clock). The tolerances are the package's; noise
// floors and still speeds are those of the description's fields: a joint's name, "x", "y", "z", "aperture_mm".
func NewArrival(d *robot.Description, rules ArrivalRules, sentAt time.Duration, targets ...robot.Target) *Arrival {
	if rules.StartDelay == 0 {
		rules.StartDelay = startDelay
	}
	if rules.Timeout == 0 {
		rules.Timeout = defaultLimit
	}
	a := &Arrival{rules: rules, sentAt: sentAt, lastAt: sentAt}
	for _, t := range targets {
		m := d.Module(t.Module)
		if m == nil {
			continue
		}
		switch {
		case t.Joints != nil && m.Arm != nil:
			a.fields = append(a.fields, jointAims(m, t.Joints)...)
		case t.Pose != nil:
			a.fields = append(a.fields, poseAims(m, *t.Pose)...)
		case t.ApertureM != nil:
			a.fields = append(a.fields, apertureAim(m, *t.ApertureM))
		}
	}
	return a
}

// Check judges the newest readings. It returns nil while the move goes on. With an error of *Failed the move ended
// blocked, far from its target; the report says how it ended in either case.
func (a *Arrival) Check(r *robot.Readings, now time.Duration) (*ArrivalReport, error) {
	report := &ArrivalReport{Residual: make(map[string]float64, len(a.fields))}
	reached, far := len(a.fields) > 0, (*aim)(nil)
	for i := range a.fields {
		f := &a.fields[i]
		at, left, speed, ok := f.value(r)
		if !ok {
			reached = false
			continue
		}
		a.note(f, at, now)
		report.Residual[f.name] = left
		slow := a.rules.Letter || f.still == 0 || speed <= f.still
		if math.Abs(left) > f.tolerance || !slow {
			reached = false
		}
		if !f.grip && math.Abs(left) > farFactor*f.tolerance && far == nil {
			far = f
		}
	}
	switch {
	case reached:
		report.How = Reached
	case a.stalled(now):
		report.How = Stalled
		if far != nil && !a.rules.Letter {
			return report, Failf("blocked, %s short", a.short(far, report, r))
		}
	case now-a.sentAt >= a.rules.Timeout:
		report.How = Capped
	default:
		return nil, nil
	}
	return report, nil
}

// Residuals is a report of what is left to go now, for a move that ended otherwise.
func (a *Arrival) Residuals(r *robot.Readings, how string) *ArrivalReport {
	report := &ArrivalReport{How: how, Residual: make(map[string]float64, len(a.fields))}
	for i := range a.fields {
		if _, left, _, ok := a.fields[i].value(r); ok {
			report.Residual[a.fields[i].name] = left
		}
	}
	return report
}

// note remembers when a field last moved by more than its noise floor.
func (a *Arrival) note(f *aim, at []float64, now time.Duration) {
	if f.mark == nil {
		f.mark = append([]float64(nil), at...)
		return
	}
	for i := range at {
		if math.Abs(at[i]-f.mark[i]) > f.noise {
			copy(f.mark, at)
			a.lastAt, a.begun = now, true
			return
		}
	}
}

func (a *Arrival) stalled(now time.Duration) bool {
	if !a.begun && !a.rules.Letter && now-a.sentAt < a.rules.StartDelay {
		return false
	}
	return now-max(a.lastAt, a.sentAt+stillFrom) >= stillFor
}

// short says in words how far the move is from its target: in millimetres where the tool's place is known.
func (a *Arrival) short(f *aim, report *ArrivalReport, r *robot.Readings) string {
	if f.short != nil {
		if mm := f.short(r) * 1000; mm >= 1 {
			return fmt.Sprintf("%.0f mm", mm)
		}
	}
	left := math.Abs(report.Residual[f.name])
	if f.unit == "rad" {
		return fmt.Sprintf("%s %.0f degrees", f.name, geom.Deg(left))
	}
	return fmt.Sprintf("%s %.3g %s", f.name, left, f.unit)
}

func fieldOf(m *robot.Module, name string) robot.Field {
	for _, f := range m.Fields {
		if f.Name == name {
			return f
		}
	}
	return robot.Field{Name: name}
}

func jointAims(m *robot.Module, targets []float64) []aim {
	var aims []aim
	want := m.Arm.Chain.Tip(targets).Pos
	for i, j := range m.Arm.Chain.Joints {
		if i >= len(targets) {
			break
		}
		f := fieldOf(m, j.Name)
		aims = append(aims, aim{
			name: m.Name + "/" + j.Name, unit: "rad",
			tolerance: JointTolerance / 200 * (j.Upper - j.Lower), noise: f.NoiseFloor, still: f.StillSpeed,
			value: func(r *robot.Readings) ([]float64, float64, float64, bool) {
				s, ok := r.Arms[m.Name]
				if !ok || i >= len(s.Joints) {
					return nil, 0, 0, false
				}
				var speed float64
				if i < len(s.Speeds) {
					speed = math.Abs(s.Speeds[i])
				}
				return []float64{s.Joints[i]}, targets[i] - s.Joints[i], speed, true
			},
			short: func(r *robot.Readings) float64 { return r3.Norm(r3.Sub(want, r.Arms[m.Name].Tip.Pos)) },
		})
	}
	return aims
}

func poseAims(m *robot.Module, target geom.Pose) []aim {
	place, turn := fieldOf(m, "x"), fieldOf(m, "turn")
	left := func(r *robot.Readings) float64 { return r3.Norm(r3.Sub(target.Pos, r.Arms[m.Name].Tip.Pos)) }
	return []aim{{
		name: m.Name + "/place", unit: "m", tolerance: PlaceTolerance, noise: place.NoiseFloor, still: place.StillSpeed,
		value: func(r *robot.Readings) ([]float64, float64, float64, bool) {
			s, ok := r.Arms[m.Name]
			p := s.Tip.Pos
			return []float64{p.X, p.Y, p.Z}, left(r), s.TipSpeed, ok
		},
		short: left,
	}, {
		name: m.Name + "/turn", unit: "rad", tolerance: TurnTolerance, noise: turn.NoiseFloor,
		value: func(r *robot.Readings) ([]float64, float64, float64, bool) {
			s, ok := r.Arms[m.Name]
			angle := geom.AngleOf(geom.MulRot(target.Rot, geom.InvRot(s.Tip.Rot)))
			return []float64{angle}, angle, 0, ok
		},
	}}
}

func apertureAim(m *robot.Module, target float64) aim {
	f := fieldOf(m, "aperture_mm")
	return aim{
		name: m.Name + "/aperture_mm", unit: "mm", grip: true,
		tolerance: ApertureTolerance * 1000, noise: f.NoiseFloor, still: f.StillSpeed,
		value: func(r *robot.Readings) ([]float64, float64, float64, bool) {
			s, ok := r.Grippers[m.Name]
			return []float64{s.ApertureM * 1000}, (target - s.ApertureM) * 1000, math.Abs(s.SpeedMS) * 1000, ok
		},
	}
}
