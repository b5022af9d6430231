package control_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

// reply is what a StartServices was answered.
type reply struct {
	tracks control.Tracks
	err    error
	at     time.Duration
	n      int
}

func (r *rig) ask(s control.ServiceStart) *reply {
	got := &reply{}
	r.AskServices(s, func(tracks control.Tracks, err error) {
		*got = reply{tracks: tracks, err: err, at: r.now(), n: got.n + 1}
	})
	return got
}

// seeded starts services for an action and gives their first results.
func (r *rig) seeded(t testing.TB, action string, s ...skill.Service) control.Tracks {
	t.Helper()
	got := r.ask(r.services(action, s...))
	r.ticks(2)
	if got.n != 1 || got.err != nil {
		t.Fatalf("services of %s: answered %d times, %v", action, got.n, got.err)
	}
	return got.tracks
}

func TestServicePublishes(t *testing.T) {
	inBubble(t, "rate_and_delay", func(t *testing.T, r *rig) {
		r.ticks(5)
		asked := r.now()
		got := r.ask(r.services("a1", target(10)))
		r.ticks(1)
		if got.n != 1 || got.err != nil || got.at != asked+period {
			t.Fatalf("answered %d times at %v, %v; want in the next tick, %v", got.n, got.at, got.err, asked+period)
		}
		first := got.tracks["front/target"]
		if first.At != asked || first.Frame.Region.Dx() != 16 || first.Point != [2]float64{10, 10} {
			t.Errorf("first track of %v, region %v, at %v", first.At, first.Frame.Region, first.Point)
		}
		var seen []time.Duration
		s := &script{onTick: func(b *skill.Body, _ int) (bool, error) {
			tr, ok := b.Track("front/target")
			if ok && (len(seen) == 0 || seen[len(seen)-1] != tr.At) {
				seen = append(seen, tr.At)
			}
			if _, other := b.Track("front/other"); other {
				t.Error("a field that nobody publishes has a track")
			}
			return false, nil
		}}
		r.mustStart("a1", tool("t", s, "left_arm"))
		r.ticks(35)
		want := []time.Duration{asked, asked + 100*time.Millisecond, asked + 200*time.Millisecond, asked + 300*time.Millisecond}
		if !slices.Equal(seen, want) {
			t.Errorf("the skill saw tracks of %v, want %v", seen, want)
		}
	})
}

func TestServicesAreCounted(t *testing.T) {
	inBubble(t, "shared_until_the_last", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.seeded(t, "a1", target(10))
		wantCode(t, "another point in use", r.refused(r.services("a2", target(11))), control.CodeModuleBusy)
		r.seeded(t, "a2", target(10))
		r.mustStart("a1", tool("t", after(10, "left_arm", nil), "left_arm"))
		r.mustStart("a2", tool("u", after(80, "right_arm", nil), "right_arm"))
		if e := r.untilEnded("a1"); len(e.Services) > 0 || len(r.Snapshot().Services) != 1 {
			t.Errorf("%v stopped with the first of two actions", e.Services)
		}
		if e := r.untilEnded("a2"); !slices.Equal(e.Services, []string{"front/target"}) || len(r.Snapshot().Services) != 0 {
			t.Errorf("stopped with the last action: %v", e.Services)
		}
		kinds := r.log.kinds()
		if countKind(kinds, "service_started") != 1 || countKind(kinds, "service_stopped") != 1 {
			t.Errorf("log %v", kinds)
		}
		r.seeded(t, "a3", target(11)) // free again
	})
	inBubble(t, "given_back_before_the_start", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.seeded(t, "a1", target(10))
		if err := r.StopServices(context.Background(), "a1"); err != nil {
			t.Fatal(err)
		}
		if s := r.Snapshot(); len(s.Services) > 0 {
			t.Errorf("services %v", s.Services)
		}
	})
	inBubble(t, "all_or_none", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.seeded(t, "a1", target(10))
		other := skill.Service{Module: "wrist", Field: "target", Seed: point(3)}
		wantCode(t, "one of two is in use", r.refused(r.services("a2", other, target(12))), control.CodeModuleBusy)
		if s := r.Snapshot(); !slices.Equal(s.Services, []string{"front/target"}) {
			t.Errorf("services %v", s.Services)
		}
	})
}

// refused asks for services that must be refused within two ticks.
func (r *rig) refused(s control.ServiceStart) error {
	r.t.Helper()
	got := r.ask(s)
	r.ticks(2)
	if got.n != 1 {
		r.t.Fatalf("answered %d times", got.n)
	}
	return got.err
}

func TestServiceStartIsRefused(t *testing.T) {
	for _, c := range []struct {
		name, code, says string
		prepare          func(r *rig)
		service          skill.Service
	}{
		{"no_such_camera", control.CodeCannotStart, "third_eye", nil, skill.Service{Module: "third_eye", Field: "target", Seed: point(1)}},
		{"nothing_there", control.CodeNoTarget, "nothing to see there", nil, skill.Service{Module: "front", Field: "target"}},
		{"estop", control.CodeEStopped, "", func(r *rig) { r.EStop("operator") }, target(1)},
		{"tracker_panics", control.CodeNoTarget, "out of its mind", func(r *rig) { r.dial(func(r *rig) { r.panics = true }) }, target(1)},
	} {
		inBubble(t, c.name, func(t *testing.T, r *rig) {
			r.ticks(1)
			if c.prepare != nil {
				c.prepare(r)
			}
			got := wantCode(t, "StartServices()", r.refused(r.services("a1", c.service)), c.code)
			if !strings.Contains(got.Message, c.says) {
				t.Errorf("message %q does not say %q", got.Message, c.says)
			}
			if s := r.Snapshot(); len(s.Services) > 0 {
				t.Errorf("services %v", s.Services)
			}
		})
	}
	inBubble(t, "older_generation", func(t *testing.T, r *rig) {
		s := r.services("a1", target(1))
		bump(r)
		_, err := r.StartServices(context.Background(), s)
		wantCode(t, "StartServices()", err, control.CodeStaleGeneration)
	})
}

func TestServiceWithoutResult(t *testing.T) {
	inBubble(t, "camera_stalls", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.robot.Stall("front")
		began := time.Now()
		got := r.ask(r.services("a1", target(10)))
		r.ticks(3)
		wantCode(t, "StartServices()", got.err, control.CodeNoTarget)
		if d := time.Since(began); d != 2*time.Second {
			t.Errorf("the loop waited %v for the frame, want 2 s", d)
		}
	})
	inBubble(t, "tracker_ponders", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.dial(func(r *rig) { r.ponder = time.Minute })
		began := time.Now()
		got := r.ask(r.services("a1", target(10)))
		r.ticks(3)
		wantCode(t, "StartServices()", got.err, control.CodeNoTarget)
		if d := time.Since(began); d != 12*time.Second {
			t.Errorf("the loop waited %v for the tracker, want 12 s", d)
		}
		<-time.After(time.Minute) // of the bubble: it comes to an end
	})
	inBubble(t, "camera_fails_later", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.seeded(t, "a1", target(10))
		r.mustStart("a1", tool("t", swing("left_arm"), "left_arm"))
		r.robot.Blind("front", errors.New("usb reset"))
		r.took()
		r.ticks(40)
		var lost []control.ServiceLost
		for _, e := range r.took() {
			if e, ok := e.(control.ServiceLost); ok {
				lost = append(lost, e)
			}
		}
		if len(lost) != 1 || !slices.Equal(lost[0].Actions, []string{"a1"}) || lost[0].Module != "front" || !strings.Contains(lost[0].Err.Error(), "usb") {
			t.Errorf("lost %+v", lost)
		}
		if s := r.Snapshot(); len(s.Services) > 0 || len(s.Running) != 1 {
			t.Errorf("services %v, running %v", s.Services, s.Running)
		}
	})
	inBubble(t, "out_of_sight_is_a_result", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.dial(func(r *rig) { r.blind = true })
		tracks := r.seeded(t, "a1", target(10))
		if tr, ok := tracks["front/target"]; !ok || tr.Mask != nil {
			t.Errorf("tracks %v, want one without a mask", tracks)
		}
	})
}

func TestStopsDuringTheFirstResult(t *testing.T) {
	for _, c := range []struct {
		name string
		stop func(r *rig)
		code string
	}{
		{"estop", func(r *rig) { r.EStop("operator") }, control.CodeEStopped},
		{"takeover", func(r *rig) { r.AskTakeover("key", func([]string, error) {}) }, control.CodeStaleGeneration},
		{"cancel", func(r *rig) { r.AskBump("cancel", func(uint64, error) {}) }, control.CodeStaleGeneration},
	} {
		inBubble(t, c.name, func(t *testing.T, r *rig) {
			r.ticks(1)
			got := r.ask(r.services("a1", target(10)))
			synctest.Wait()
			if n := countKind(r.log.kinds(), "service_started"); n != 1 || got.n != 0 {
				t.Fatalf("%d trackers run, answered %d times, want one that is waited for", n, got.n)
			}
			c.stop(r)
			r.ticks(3)
			wantCode(t, "StartServices()", got.err, c.code)
			if got.n != 1 {
				t.Errorf("answered %d times", got.n)
			}
			if s := r.Snapshot(); len(s.Services) > 0 {
				t.Errorf("services %v run on", s.Services)
			}
			kinds := r.log.kinds()
			if countKind(kinds, "service_started") != countKind(kinds, "service_stopped") {
				t.Errorf("log %v", kinds)
			}
		})
	}
	inBubble(t, "seeded_and_not_started", func(t *testing.T, r *rig) {
		r.ticks(1)
		r.seeded(t, "a1", target(10))
		s := control.Start{Owner: robot.OwnerAgent, Generation: r.Generation(), Action: "a1", Tool: tool("t", swing("left_arm"), "left_arm")}
		r.AskTakeover("key", func([]string, error) {})
		r.ticks(1)
		wantCode(t, "the start", r.StartAction(context.Background(), s), control.CodeStaleGeneration)
		if s := r.Snapshot(); len(s.Services) > 0 {
			t.Errorf("services %v run on", s.Services)
		}
	})
}
