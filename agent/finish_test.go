package agent

import (
	"errors"
	"testing"

	"github.com/rein-robotics/rein/model"
)

// A finish_task that stands behind a slow call waits for it; when that call is refused after the reply has ended, the run
// ends all the same.
func TestFinishBehindACallThatIsRefusedLate(t *testing.T) {
	d := begun(t, headless)
	c := pop[callModel](d)
	d.give(part{id: c.id, what: asks("reach", `{}`)})
	d.give(part{id: c.id, what: asks("finish_task", `{"success":false,"summary":"enough"}`)})
	d.give(part{id: c.id, what: model.End{Reason: model.StopToolUse}})
	d.give(replied{id: c.id})
	d.wants("prepare")
	d.give(prepared{id: pop[prepare](d).id, err: errors.New("it is not ready")})
	d.wants("judge")
	if d.s.end == nil || d.s.end.summary != "enough" {
		t.Errorf("the run goes on in phase %s", d.s.phase)
	}
}
