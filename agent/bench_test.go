package agent_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/model"
)

// null is a reasoner that asks the user at once, and notes when it was asked and when it had said everything.
type null struct {
	asked chan time.Time
	said  chan time.Time
}

func (*null) Name() string                                    { return "null@1" }
func (*null) Begin(context.Context, agent.RunInfo) error      { return nil }
func (*null) End(context.Context, agent.RunInfo, *bool) error { return nil }
func (n *null) Deliberate(context.Context, agent.View) iter.Seq2[model.Part, error] {
	n.asked <- time.Now()
	return func(yield func(model.Part, error) bool) {
		if !yield(call("ask_user", `{"question":"and now?"}`), nil) {
			return
		}
		yield(model.End{Reason: model.StopToolUse}, nil)
		n.said <- time.Now()
	}
}

// closing is a log that tells when a round was written, which is when its turn closes.
type closing struct {
	*memory
	closed chan time.Time
}

func (c *closing) SaveTurn(agent.Turn) (string, error) {
	c.closed <- time.Now()
	return "turns/0001.json", nil
}

// BenchmarkTurn is what a turn costs beside its reasoner: from a message to the question, and from the last word of the
// reply to the closed turn. The fresh look of the turn has no cameras here.
func BenchmarkTurn(b *testing.B) {
	n := &null{asked: make(chan time.Time, 1), said: make(chan time.Time, 1)}
	log := &closing{closed: make(chan time.Time, 1)}
	r := newRig(b, nil, interactive, func(c *agent.Config) {
		log.memory = c.Log.(*memory)
		c.Reasoner, c.Log = n, log
		c.Settings.Cameras, c.Settings.Budgets.Turns = nil, 0
	})
	defer r.robot.Clock().Hold("the benchmark")() // no world that goes on beside it
	r.start()
	var wake, close time.Duration
	b.ReportAllocs()
	for b.Loop() {
		from := time.Now()
		r.agent.Send("go on")
		wake += (<-n.asked).Sub(from)
		said := <-n.said
		close += max((<-log.closed).Sub(said), 0)
	}
	b.ReportMetric(float64(wake.Nanoseconds())/float64(b.N), "ns/wake")
	b.ReportMetric(float64(close.Nanoseconds())/float64(b.N), "ns/close")
}
