package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rein-robotics/rein/conf"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/robot"
)

// sawLate is what a run knew of its camera.
type sawLate struct {
	knownS float64  // robot clock when it was told that the camera is not to be trusted; 0 = never
	after  []string // tools that point, started after that
	points []aimed
}

// aimed is an action that was begun at a point.
type aimed struct {
	tool string
	atS  float64 // robot clock
	look int     // number of the observation that the point was read from
}

func knew(t *testing.T, a trial) (out sawLate) {
	t.Helper()
	for e, err := range episode.Read(a.dir) {
		if err != nil {
			t.Fatal(err)
		}
		switch x := e.Event.(type) {
		case episode.ControllerCheck:
			if out.knownS == 0 {
				out.knownS = e.Sim.Seconds()
			}
		case episode.ActionStarted:
			var args struct {
				Observation string `json:"observation_id"`
			}
			if err := json.Unmarshal(x.Args, &args); err != nil || args.Observation == "" {
				continue
			}
			p := aimed{tool: x.Tool, atS: e.Sim.Seconds()}
			if _, err := fmt.Sscanf(args.Observation, "o%d", &p.look); err != nil {
				t.Fatal(err)
			}
			out.points = append(out.points, p)
			if out.knownS > 0 {
				out.after = append(out.after, x.Tool)
			}
		}
	}
	return out
}

// A camera that freezes, goes black or falls behind while an action runs is known within a second of the robot clock,
// whenever it happens, and nothing is begun at a point of it from there on; what was not seen is not claimed. A frozen
// picture with new noise is known within a second in which the arm moves in its view.
func TestCameraFaultIsKnownWithinASecond(t *testing.T) {
	unraced(t)
	for _, kind := range []string{"kind: frozen", "kind: black", "kind: delayed, delay_s: 3", "kind: frozen, with: clock", "kind: frozen, with: noise"} {
		for _, from := range []float64{0.9, 3.3, 6.1} {
			t.Run(fmt.Sprintf("%s_%g", kind, from), func(t *testing.T) {
				t.Parallel()
				m := &motions{}
				a := try(t, attempt{task: intoBox, scene: pickScene + fmt.Sprintf("faults:\n  - {camera: front_camera, %s, from_s: %g}\n", kind, from), fit: m.watch})
				limit := from + 1
				if strings.HasSuffix(kind, "noise") {
					limit = m.aSecondOf(from)
				}
				k := knew(t, a)
				if k.knownS == 0 || k.knownS > limit {
					t.Errorf("broken at %g s, known at %g s, want by %g s", from, k.knownS, limit)
				}
				if len(k.after) > 0 {
					t.Errorf("%v were begun after it was known", k.after)
				}
				if is(a.Claimed) == "true" {
					t.Errorf("it claims: %s", a.Summary)
				}
			})
		}
	}
}

// motions note where the front camera sees the fingertips, period by period, and when it was looked through. Both are
// asked for by several goroutines.
type motions struct {
	robot.Robot

	lens  *robot.Camera
	mu    sync.Mutex
	seen  [][3]float64 // robot clock in seconds, and the pixel
	looks []float64    // robot clock of the whole pictures that were given
}

func (m *motions) Frame(ctx context.Context, q robot.FrameRequest) (*robot.Frame, error) {
	f, err := m.Robot.Frame(ctx, q)
	if err == nil && q.Region.Empty() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.looks = append(m.looks, f.At.Seconds())
	}
	return f, err
}

// watch puts m before the robot of a run.
func (m *motions) watch(r *running) {
	r.body = func(b robot.Robot) robot.Robot {
		m.Robot, m.lens = b, b.Description().Module("front_camera").Camera
		return m
	}
}

func (m *motions) Readings() *robot.Readings {
	now := m.Robot.Readings()
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.seen); n == 0 || m.seen[n-1][0] < now.At.Seconds() {
		if u, v, ok := m.lens.Intrinsics.Project(m.lens.InWorld.Inv().Apply(now.Arms["right_arm"].Tip.Pos)); ok {
			m.seen = append(m.seen, [3]float64{now.At.Seconds(), u, v})
		}
	}
	return now
}

// aSecondOf is the end of the first second after from in each quarter of which the fingertips, well within the picture,
// moved by 10 pixels; +Inf when there is none.
func (m *motions) aSecondOf(from float64) float64 {
	at := func(s float64) (x, y float64, in bool) {
		i, ok := slices.BinarySearchFunc(m.seen, s, func(p [3]float64, s float64) int { return cmp.Compare(p[0], s) })
		if !ok && i == len(m.seen) {
			return 0, 0, false
		}
		x, y = m.seen[i][1], m.seen[i][2]
		return x, y, x > 70 && y > 70 && x < float64(m.lens.Intrinsics.Width)-70 && y < float64(m.lens.Intrinsics.Height)-70
	}
	moved := func(s float64) bool {
		x, y, in := at(s)
		u, v, still := at(s + 0.25)
		return in && still && math.Hypot(u-x, v-y) >= 10
	}
	for s := from; len(m.seen) > 0 && s < m.seen[len(m.seen)-1][0]; s += 0.05 {
		if moved(s) && moved(s+0.25) && moved(s+0.5) && moved(s+0.75) {
			return s + 1
		}
	}
	return math.Inf(1)
}

// The battery task with a camera that freezes at some moment of the run: it is known in time, no action is begun at a point
// from then on, and none at a point of a picture that the freeze has made old.
func TestBatteriesWithACameraThatFreezesAtAnyMoment(t *testing.T) {
	unraced(t)
	folder, err := conf.Open(conf.Default)
	if err != nil {
		t.Fatal(err)
	}
	scene, err := fs.ReadFile(folder, "scenes/batteries.yaml")
	if err != nil {
		t.Fatal(err)
	}
	draw := rand.New(rand.NewPCG(5, 1))
	for i := range 9 {
		with, from := []string{"", ", with: clock", ", with: noise"}[i%3], 0.5+24*draw.Float64()
		t.Run(fmt.Sprintf("%d_%.2f", i, from), func(t *testing.T) {
			t.Parallel()
			m := &motions{}
			a := try(t, attempt{
				task: "put all the batteries in the white box", fit: m.watch,
				scene: string(scene) + fmt.Sprintf("faults:\n  - {camera: front_camera, kind: frozen%s, from_s: %g}\n", with, from),
			})
			limit := from + 1
			if with == ", with: noise" {
				limit = m.aSecondOf(from)
			}
			k := knew(t, a)
			if end := a.SimS; limit < end && (k.knownS == 0 || k.knownS > limit) {
				t.Errorf("frozen at %g s, known at %g s, want by %g s of %g s", from, k.knownS, limit, end)
			}
			if len(k.after) > 0 {
				t.Errorf("%v were begun after it was known", k.after)
			}
			for _, p := range k.points {
				if seen := m.looks[p.look-1]; p.atS > limit || seen > from+0.3 {
					t.Errorf("frozen at %g s, to be known by %g s: at %g s %s was begun at a point of a picture of %g s", from, limit, p.atS, p.tool, seen)
				}
			}
		})
	}
}
