package point_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/skill"
)

// A model that counts to a thousand means the same place as one that counts pixels.
func TestPointsOfAThousand(t *testing.T) {
	tests := map[string]struct {
		given   string // [y, x]; the same point in pixels of the image as sent is reckoned below
		outside bool
	}{
		"y_first":     {"[250, 500]", false},
		"far_edge":    {"[1000, 1000]", false},
		"margin":      {"[0, 0]", true},
		"not_a_share": {"[1001, 3]", true},
		"negative":    {"[3, -1]", true},
	}
	spec := skill.Spec{ImagePoints: []string{"point"}, Camera: "front"}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var l point.Looks
			k := look("o1.front", frame("front", robot.MountFixed, 0), 0)
			l.Add(k, time.Minute)
			args := fmt.Sprintf(`{"point":%s,"observation_id":"o1.front"}`, tc.given)
			got, ref := point.Resolve(&l, point.Request{Spec: spec, Args: json.RawMessage(args)}, point.Rules{MaxAge: time.Minute, Form: model.PointsYX1000}, point.Now{})
			if tc.outside {
				if ref == nil || ref.Code != "point_outside_image" {
					t.Errorf("got %+v, %v", got, ref)
				}
				return
			}
			if ref != nil {
				t.Fatal(ref)
			}
			var yx [2]float64
			if err := json.Unmarshal([]byte(tc.given), &yx); err != nil {
				t.Fatal(err)
			}
			sent := k.Mapping.ToSent(got.Points["point"].Pixel)
			for i, side := range []int{k.Width, k.Height} {
				if want := yx[1-i] / 1000 * float64(side); sent[i] < want-0.5 || sent[i] > want+0.5 {
					t.Errorf("got %v of %d×%d for %s", sent, k.Width, k.Height, tc.given)
				}
			}
		})
	}
}

// Only looks that a point may still be read from are kept; an older one is told apart from one that never was.
func TestOldLooksAreLeftBehind(t *testing.T) {
	var l point.Looks
	for i := range 200 {
		l.Add(look(fmt.Sprintf("o%d.front", i+1), frame("front", robot.MountFixed, time.Duration(i)*10*time.Second), 0), time.Minute)
	}
	if n := len(l.Frames()); n > 10 {
		t.Errorf("%d looks are kept", n)
	}
	spec := skill.Spec{ImagePoints: []string{"point"}, Camera: "front"}
	for id, want := range map[string]string{"o3.front": "point_too_old", "o3": "point_too_old", "o999.front": "unknown_observation", "x": "unknown_observation"} {
		args := fmt.Sprintf(`{"point":[1,1],"observation_id":%q}`, id)
		_, ref := point.Resolve(&l, point.Request{Spec: spec, Args: json.RawMessage(args)}, point.Rules{MaxAge: time.Minute}, point.Now{At: 2000 * time.Second})
		if ref == nil || ref.Code != want {
			t.Errorf("%s: got %v, want %s", id, ref, want)
		}
	}
}
