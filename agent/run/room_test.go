package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/robot"
)

// lookers give a desk so many cameras, and room for so many images.
func lookers(cameras, most int) func(*Settings) {
	return func(s *Settings) {
		s.MaxImages = most
		for i := 1; i < cameras; i++ {
			name := fmt.Sprintf("cam%d", i)
			s.Cameras = append(s.Cameras, name)
			s.Body.Modules = append(s.Body.Modules, robot.Module{Name: name, Kind: robot.KindCamera, Camera: &robot.Camera{Mount: robot.MountFixed}})
		}
	}
}

// No request holds more images than it may, and a new segment begins with half of the room free at least. What finds no
// place in it is named, so that the planner can look again.
func TestANewSegmentHasRoom(t *testing.T) {
	for _, most := range []int{1, 2, 3, 4, 5, 7, 40} {
		for _, cameras := range []int{1, 2, 3, 5} {
			t.Run(fmt.Sprintf("%d_images_%d_cameras", most, cameras), func(t *testing.T) {
				d := begun(t, lookers(cameras, most))
				for range 30 {
					c := pop[CallModel](d)
					if n := model.Images(c.View.Request); n > most {
						t.Fatalf("a request has %d images", n)
					}
					d.give(Part{ID: c.ID, What: asks("observe", `{"cameras":["cam"]}`)})
					d.give(Part{ID: c.ID, What: model.End{Reason: model.StopToolUse}})
					d.give(Replied{ID: c.ID})
					d.lookAround()
				}
				for _, e := range of[episode.ContextCheckpoint](d) {
					if e.Images > max(1, most/2) {
						t.Fatalf("a segment begins with %d images", e.Images)
					}
				}
			})
		}
	}
}

func TestWhatFindsNoPlaceInANewSegmentIsNamed(t *testing.T) {
	d := begun(t, lookers(3, 4))
	d.reply(asks("ask_user", `{"question":"which one?"}`))
	d.give(Message{Text: "the red one"})
	d.lookAround() // 6 images
	var rep view.Report
	for _, b := range pop[CallModel](d).View.Request.Messages[0].Blocks {
		if b.Text != nil && b.Text.Data != nil {
			if err := json.Unmarshal(b.Text.Data, &rep); err != nil {
				t.Fatal(err)
			}
		}
	}
	var shown []string
	for _, i := range rep.Images {
		shown = append(shown, i.ID)
	}
	if !slices.Equal(shown, []string{"o2.cam", "o2.cam1"}) || !strings.Contains(strings.Join(rep.LeftOut, " "), "o2.cam2") {
		t.Errorf("shown %v, left out %v", shown, rep.LeftOut)
	}
}
