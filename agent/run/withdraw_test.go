package run

import (
	"testing"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

// A reply whose stream died is asked again: what it had said is withdrawn, and no request holds it.
func TestWithdrawnReply(t *testing.T) {
	d := begun(t)
	d.reply(model.Opaque{Provider: "p", Raw: []byte(`"half a thought"`)}, model.Text{Text: "I lo"}, model.Withdrawn{Why: "dead"}, model.Text{Text: "I look"}, asks("observe", "{}"))
	d.lookAround()
	next := pop[CallModel](d).View.Request.Messages
	said := next[len(next)-2]
	if len(said.Blocks) != 2 || said.Blocks[0].Text == nil || said.Blocks[0].Text.Text != "I look" || said.Blocks[1].Call == nil {
		t.Errorf("got %+v", said.Blocks)
	}
	withdrawn, shown := "", ""
	for _, e := range d.logged {
		switch e := e.(type) {
		case episode.AgentMessageWithdrawn:
			withdrawn += e.What
		case episode.AgentMessage:
			shown += e.Text
		}
	}
	if withdrawn != "I lo" || shown != "I look" {
		t.Errorf("withdrawn %q, shown %q", withdrawn, shown)
	}
}
