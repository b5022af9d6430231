package run

import (
	"errors"
	"testing"

	"github.com/rein-robotics/rein/model"
)

// A finish_task that stands behind a slow call waits for it; when that call is refused after the reply has ended, the run
// ends all the same.
func TestFinishBehindACallThatIsRefusedLate(t *testing.T) {
	d := begun(t, headless)
	c := pop[CallModel](d)
	d.give(Part{ID: c.ID, What: asks("reach", `{}`)})
	d.give(Part{ID: c.ID, What: asks("finish_task", `{"success":false,"summary":"enough"}`)})
	d.give(Part{ID: c.ID, What: model.End{Reason: model.StopToolUse}})
	d.give(Replied{ID: c.ID})
	d.wants("prepare")
	d.give(Prepared{ID: pop[Prepare](d).ID, Err: errors.New("it is not ready")})
	d.wants("judge")
	if d.s.end == nil || d.s.end.summary != "enough" {
		t.Errorf("the run goes on in phase %s", d.s.phase)
	}
}
