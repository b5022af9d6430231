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
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
)

// sawLate is what a run knew of its camera.
type sawLate struct {
	knownS float64 // robot clock when it was told that the camera is not to be trusted; 0 = never
	points []aimed // the actions that were begun at a point
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
				m := &motions{camera: "front_camera"}
				a := try(t, attempt{task: intoBox, scene: pickScene + fault("front_camera", kind, from), fit: m.watch})
				k := m.inTime(t, a, kind, from)
				if k.knownS == 0 {
					t.Errorf("broken at %g s and never known", from)
				}
				if is(a.Claimed) == "true" {
					t.Errorf("it claims: %s", a.Summary)
				}
			})
		}
	}
}

// So it is with a camera that the arm carries, when it moves and its frozen picture shows something that stands out.
func TestCarriedCameraFaultIsKnownWithinASecond(t *testing.T) {
	unraced(t)
	for _, from := range []float64{0.6, 1.8, 4.4} {
		t.Run(fmt.Sprint(from), func(t *testing.T) {
			t.Parallel()
			const kind = "kind: frozen, with: noise"
			m := &motions{camera: "right_wrist_camera"}
			a := try(t, attempt{conf: "wrist", task: intoBox, scene: pickScene + fault(m.camera, kind, from), fit: m.watch})
			k := m.inTime(t, a, kind, from)
			if k.knownS == 0 || k.knownS > from+1 || is(a.Claimed) == "true" {
				t.Errorf("frozen at %g s, known at %g s, claimed %s: %s", from, k.knownS, is(a.Claimed), a.Summary)
			}
		})
	}
}

// fault is the block of a scene that breaks a camera.
func fault(camera, kind string, from float64) string {
	return fmt.Sprintf("faults:\n  - {camera: %s, %s, from_s: %g}\n", camera, kind, from)
}

// inTime checks that a run knew of its broken camera in time and began nothing at a point of it from there on.
func (m *motions) inTime(t *testing.T, a trial, kind string, from float64) sawLate {
	t.Helper()
	k, limit := knew(t, a), from+1
	if strings.HasSuffix(kind, "noise") {
		limit = m.aSecondOf(from)
	}
	if limit < a.SimS && (k.knownS == 0 || k.knownS > limit) {
		t.Errorf("broken at %g s, known at %g s, want by %g s of %g s", from, k.knownS, limit, a.SimS)
	}
	for _, p := range k.points {
		seen := m.looks[p.look-1]
		if k.knownS > 0 && p.atS >= k.knownS || p.atS > limit || seen > from+0.3 {
			t.Errorf("broken at %g s, known at %g s, to be known by %g s: at %g s %s was begun at a point of a picture of %g s", from, k.knownS, limit, p.atS, p.tool, seen)
		}
	}
	return k
}

// motions note where the front camera sees the fingertips, period by period, and when it was looked through. Both are
// asked for by several goroutines.
type motions struct {
	robot.Robot

	camera string // module
	lens   *robot.Camera
	mu     sync.Mutex
	seen   [][3]float64 // robot clock in seconds, and the pixel
	looks  []float64    // robot clock of the whole pictures that were given
}

func (m *motions) Frame(ctx context.Context, q robot.FrameRequest) (*robot.Frame, error) {
	f, err := m.Robot.Frame(ctx, q)
	if err == nil && q.Region.Empty() && q.Camera == m.camera {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.looks = append(m.looks, f.At.Seconds())
	}
	return f, err
}

// watch puts m before the robot of a run.
func (m *motions) watch(r *running) {
	r.body = func(b robot.Robot) robot.Robot {
		m.Robot, m.lens = b, b.Description().Module(m.camera).Camera
		return m
	}
}

func (m *motions) Readings() *robot.Readings {
	now := m.Robot.Readings()
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.seen); n == 0 || m.seen[n-1][0] < now.At.Seconds() {
		u, v := m.pixel(now.Arms["right_arm"].Tip.Pos)
		m.seen = append(m.seen, [3]float64{now.At.Seconds(), u, v})
	}
	return now
}

// pixel is where a fixed camera sees the fingertips. Of a carried one it is how far they have gone sideways in pixels of
// what is a metre away.
func (m *motions) pixel(tip geom.Vec) (x, y float64) {
	in := m.lens.Intrinsics
	if m.lens.Mount == robot.MountMoving {
		return in.Cx + tip.X*in.Fx, in.Cy + tip.Y*in.Fx
	}
	x, y, ok := in.Project(m.lens.InWorld.Inv().Apply(tip))
	if !ok {
		return -1, -1
	}
	return x, y
}

// aSecondOf is the end of the first second after from in each quarter of which the fingertips, well within the picture,
// moved by a number of pixels; +Inf when there is none.
func (m *motions) aSecondOf(from float64) float64 {
	at := func(s float64) (x, y float64, in bool) {
		i, ok := slices.BinarySearchFunc(m.seen, s, func(p [3]float64, s float64) int { return cmp.Compare(p[0], s) })
		if !ok && i == len(m.seen) {
			return 0, 0, false
		}
		x, y = m.seen[i][1], m.seen[i][2]
		return x, y, x > 70 && y > 70 && x < float64(m.lens.Intrinsics.Width)-70 && y < float64(m.lens.Intrinsics.Height)-70
	}
	enough := 10.0
	if m.lens.Mount == robot.MountMoving {
		enough = 20
	}
	moved := func(s float64) bool {
		x, y, in := at(s)
		u, v, still := at(s + 0.25)
		return in && still && math.Hypot(u-x, v-y) >= enough
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
	for i := range 6 {
		kind, from := []string{"kind: frozen", "kind: frozen, with: clock", "kind: frozen, with: noise"}[i%3], 0.5+24*draw.Float64()
		t.Run(fmt.Sprintf("%d_%.2f", i, from), func(t *testing.T) {
			t.Parallel()
			m := &motions{camera: "front_camera"}
			a := try(t, attempt{task: "put all the batteries in the white box", scene: string(scene) + fault(m.camera, kind, from), fit: m.watch})
			m.inTime(t, a, kind, from)
		})
	}
}
