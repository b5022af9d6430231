package robottest_test

import (
	"context"
	"image"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/clock"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/robottest"
)

// mutant is a robot that breaks the contract in one place.
type mutant struct {
	*robottest.Fake
	readings func(*robot.Readings) *robot.Readings
	do       func(f *robottest.Fake, c robot.Command) error
	frame    func(ctx context.Context, f *robottest.Fake, r robot.FrameRequest) (*robot.Frame, error)
}

func (m *mutant) Readings() *robot.Readings {
	if m.readings != nil {
		return m.readings(m.Fake.Readings())
	}
	return m.Fake.Readings()
}

func (m *mutant) Do(c robot.Command) error {
	if m.do != nil {
		return m.do(m.Fake, c)
	}
	return m.Fake.Do(c)
}

func (m *mutant) Frame(ctx context.Context, r robot.FrameRequest) (*robot.Frame, error) {
	if m.frame != nil {
		return m.frame(ctx, m.Fake, r)
	}
	return m.Fake.Frame(ctx, r)
}

// mutants are by the test of the suite that must fail on them.
func mutants() map[string]func(m *mutant) {
	return map[string]func(m *mutant){
		"description_is_whole": func(m *mutant) {
			for i := range m.Description().Modules {
				for j := range m.Description().Modules[i].Fields {
					m.Description().Modules[i].Fields[j].StillSpeed = 0
				}
			}
		},
		"readings_grow_and_stay": func(m *mutant) {
			var only robot.Readings
			m.readings = func(r *robot.Readings) *robot.Readings { only = *r; return &only }
		},
		"rests_uncommanded": func(m *mutant) { m.RunOn("arm") },
		"follows_a_target":  func(m *mutant) { m.Stick("arm", 0) },
		"hold_stops": func(m *mutant) {
			m.do = func(f *robottest.Fake, c robot.Command) error {
				if c.Target.Hold {
					return nil
				}
				return f.Do(c)
			}
		},
		"refuses_what_it_cannot_do": func(m *mutant) {
			m.do = func(f *robottest.Fake, c robot.Command) error { _ = f.Do(c); return nil }
		},
		"keeps_nothing_of_a_command": func(m *mutant) {
			var last robot.Command
			m.do = func(f *robottest.Fake, c robot.Command) error { last = c; return f.Do(c) }
			m.readings = func(r *robot.Readings) *robot.Readings { // somebody looks at what was kept
				if last.Target.Module != "" {
					_ = m.Fake.Do(last)
				}
				return r
			}
		},
		"frames_fit_their_request": func(m *mutant) {
			m.frame = func(ctx context.Context, f *robottest.Fake, r robot.FrameRequest) (*robot.Frame, error) {
				r.Region = image.Rectangle{}
				return f.Frame(ctx, r)
			}
		},
		"frames_live_and_stay": func(m *mutant) {
			m.frame = func(ctx context.Context, f *robottest.Fake, r robot.FrameRequest) (*robot.Frame, error) {
				defer f.Freeze(r.Camera)
				return f.Frame(ctx, r)
			}
		},
		"frames_end_with_their_context": func(m *mutant) {
			m.frame = func(_ context.Context, f *robottest.Fake, r robot.FrameRequest) (*robot.Frame, error) {
				defer f.Clock().Hold("picture")()
				return f.Frame(context.Background(), r)
			}
		},
	}
}

const asMutant = "REIN_ROBOTTEST_MUTANT"

// TestSuiteFindsMutants runs the suite on each mutant in a process of its own and expects that it fails.
func TestSuiteFindsMutants(t *testing.T) {
	if os.Getenv(asMutant) != "" {
		t.Skip("this process is a mutant")
	}
	for name := range mutants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestMutant$/^"+name+"$", "-test.timeout=60s")
			cmd.Env = append(os.Environ(), asMutant+"="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL: TestMutant/"+name) {
				t.Errorf("the suite passed a robot that breaks %s: %v\n%s", name, err, out)
			}
		})
	}
}

// TestMutant is the other process.
func TestMutant(t *testing.T) {
	name := os.Getenv(asMutant)
	if name == "" {
		t.Skip("only in the processes of TestSuiteFindsMutants")
	}
	robottest.TestRobot(t, func(*testing.T) (robot.Robot, clock.Clock) {
		m := &mutant{Fake: robottest.NewFake(robottest.Options{})}
		mutants()[name](m)
		return m, m.Clock()
	})
}
