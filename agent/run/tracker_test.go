package run

import (
	"image"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/vision"
)

// tracked is a desk at the seeding of the tracker of a pick, by the queue or by the planner.
func tracked(t *testing.T, byQueue bool) *desk {
	t.Helper()
	d := begun(t, func(s *Settings) { s.Tools[2].Spec.MaxTargetArea = 0.05 })
	plan := asks("update_plan", `{"steps":[{"text":"one","tool":"pick","args":{"point":[30,20],"observation_id":"o1.cam"}}]}`)
	if byQueue {
		d.reply(plan)
		d.reply()
	} else {
		d.reply(plan, asks("pick", `{"point":[30,20],"observation_id":"o1.cam"}`))
	}
	d.give(Prepared{ID: pop[Prepare](d).ID})
	return d
}

func square(x, y, side int) vision.Track {
	bits := make([]bool, side*side)
	for i := range bits {
		bits[i] = true
	}
	return vision.Track{Mask: &vision.Mask{Rect: image.Rect(x, y, x+side, y+side), Bits: bits}, Pixels: side * side, Area: float64(side*side) / (64 * 48)}
}

func TestFirstMaskOfTheTracker(t *testing.T) {
	tests := map[string]struct {
		track vision.Track
		err   error
		want  string
	}{
		"on_it":       {square(27, 17, 6), nil, ""},
		"too_large":   {square(20, 10, 30), nil, "target_rejected"},
		"elsewhere":   {square(50, 40, 6), nil, "no_target"},
		"none":        {vision.Track{}, nil, "no_target"},
		"no_result":   {vision.Track{}, &control.Refused{Code: control.CodeNoTarget, Message: "nothing in time"}, "no_target"},
		"out_of_date": {vision.Track{}, &control.Refused{Code: control.CodeStaleGeneration}, "stale_generation"},
	}
	for name, tc := range tests {
		for _, who := range []string{"planner", "queue"} {
			t.Run(name+"_by_the_"+who, func(t *testing.T) {
				d := tracked(t, who == "queue")
				sd := pop[Seed](d)
				if sv := sd.What.Services; len(sv) != 1 || sv[0].Name() != "cam/target" || sv[0].Seed.Pixel != [2]float64{30, 20} {
					t.Errorf("got services %+v", sv)
				}
				d.give(Seeded{ID: sd.ID, Tracks: control.Tracks{"cam/target": tc.track}, Err: tc.err})
				if tc.want == "" {
					st := pop[Start](d)
					began := st.What.Announce[0].(episode.ActionStarted)
					if began.TargetArea == nil || *began.TargetArea != tc.track.Area || began.TrackerS <= 0 || began.StartS < began.TrackerS {
						t.Errorf("got %+v", began)
					}
					return
				}
				if d.steps() != "todo" {
					t.Errorf("got steps %s", d.steps())
				}
				if who == "queue" {
					d.lookAround()
				}
				if !strings.Contains(d.told()+strings.Join(d.results(), ""), tc.want) {
					t.Errorf("%s is not told:\n%s%v", tc.want, d.told(), d.results())
				}
				if rejected := of[episode.TargetRejected](d); len(rejected) != 0 != (tc.want == "target_rejected") {
					t.Errorf("got %+v", rejected)
				} else if len(rejected) == 1 && (rejected[0].Limit != 0.05 || rejected[0].TargetArea != tc.track.Area || rejected[0].Observation != "o1.cam") {
					t.Errorf("got %+v", rejected[0])
				}
				if tc.err == nil && !cmp.Equal(d.unseeds, []string{"a1"}) {
					t.Errorf("the tracker is left running: %v", d.unseeds)
				}
			})
		}
	}
}
