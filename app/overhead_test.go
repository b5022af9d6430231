package app

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/point"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/control"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/anthropic"
	"github.com/rein-robotics/rein/robot"
	"github.com/rein-robotics/rein/robot/robottest"
	"github.com/rein-robotics/rein/safety"
)

// captured is a robot whose pictures are there already: what a picture costs is not the turn's.
type captured struct {
	*robottest.Fake

	frame *robot.Frame
}

func (c *captured) Frame(ctx context.Context, r robot.FrameRequest) (*robot.Frame, error) {
	if c.frame == nil {
		f, err := c.Fake.Frame(ctx, r)
		c.frame = f
		return f, err
	}
	return c.frame, nil
}

// encoded are eyes whose pictures are encoded already.
type encoded struct{}

func (encoded) Live(*robot.Frame) string                        { return "" }
func (encoded) SeeMotion(*robot.Frame, *robot.Readings)         {}
func (encoded) Glance(string, *robot.Readings) (g agent.Glance) { return g }
func (encoded) Send(f *robot.Frame) (agent.Sent, error) {
	return agent.Sent{Media: "image/jpeg", Data: []byte("picture"), Width: f.Intrinsics.Width, Height: f.Intrinsics.Height,
		Mapping: view.Mapping{Scale: [2]float64{1, 1}}}, nil
}

// nowhere is a log that keeps nothing and says when a turn was written, which is when it closes.
type nowhere struct{ closed func() }

func (nowhere) Append(episode.Event) error { return nil }
func (nowhere) Post(episode.Event)         {}
func (nowhere) Err() error                 { return nil }
func (nowhere) Episode() string            { return "0001_bench/000001" }
func (nowhere) SaveShot(agent.Shot) error  { return nil }
func (n nowhere) SaveTurn(agent.Turn) (string, error) {
	n.closed()
	return "turns/0001.json", nil
}

// lean brings an agent on the fake robot to life, with a planner that is given, until the test ends.
func lean(tb testing.TB, change func(*agent.Config)) *agent.Agent {
	tb.Helper()
	fake := robottest.NewFake(robottest.Options{Sets: []robottest.Set{{Arm: "arm", Gripper: "grip", Camera: "cam"}}})
	shield, err := safety.New(fake.Description(), safety.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	var a *agent.Agent
	r, log := &captured{Fake: fake}, nowhere{closed: func() {}}
	loop, err := control.New(control.Config{Robot: r, Clock: fake.Clock(), Shield: shield, Log: log, Sink: func(e control.Event) { a.Heard(e) }})
	if err != nil {
		tb.Fatal(err)
	}
	cfg := agent.Config{
		Settings:   run.Settings{Body: fake.Description(), Cameras: []string{"cam"}, Points: point.Rules{MaxAge: time.Second}},
		Controller: loop, Robot: r, Clock: fake.Clock(), Log: log, Eyes: encoded{},
	}
	change(&cfg)
	if a, err = agent.New(cfg); err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var g sync.WaitGroup
	g.Go(func() { ended(tb, loop.Run(ctx)) })
	g.Go(func() { ended(tb, a.Run(ctx)) })
	tb.Cleanup(func() {
		cancel()
		g.Wait()
	})
	return a
}

func ended(tb testing.TB, err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		tb.Error(err)
	}
}

// null is a reasoner that thinks nothing: it says a word and asks the user.
type null struct {
	asked chan run.View
	at    time.Time // when it was asked
	said  time.Time // when it had said its last word
}

func (*null) Name() string                                    { return "null@1" }
func (*null) Begin(context.Context, agent.RunInfo) error      { return nil }
func (*null) End(context.Context, agent.RunInfo, *bool) error { return nil }
func (n *null) Deliberate(_ context.Context, v run.View) iter.Seq2[model.Part, error] {
	n.at = time.Now()
	return func(yield func(model.Part, error) bool) {
		n.asked <- v
		if yield(model.Call{Name: "ask_user", Args: json.RawMessage(`{"question":"and now?"}`)}, nil) {
			n.said = time.Now()
			yield(model.End{Reason: model.StopToolUse}, nil)
		}
	}
}

// wordsOnly is a request without its pictures.
func wordsOnly(r model.Request) model.Request {
	r.Messages = slices.Clone(r.Messages)
	for i := range r.Messages {
		r.Messages[i].Blocks = slices.DeleteFunc(slices.Clone(r.Messages[i].Blocks), func(b model.Block) bool { return b.Image != nil })
	}
	return r
}

// median is the middle of some durations.
func median(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[len(d)/2]
}

// BenchmarkTurnOverhead is what a turn costs beside its reasoner, with about 50 messages in the conversation: from a
// message to Deliberate, and from the last part to the closed turn. Beside it, in the same run, what the SDK takes to
// encode the words of the same request once; x-sdk is the one divided by the other, of medians.
func BenchmarkTurnOverhead(b *testing.B) {
	n := &null{asked: make(chan run.View)}
	closed := make(chan time.Time, 1)
	a := lean(b, func(c *agent.Config) {
		c.Reasoner, c.Log = n, nowhere{closed: func() { closed <- time.Now() }}
		c.Settings.MaxImages = 27 // a segment ends with its 53rd message
	})
	var turns, sdk []time.Duration
	for b.Loop() {
		for measured := false; !measured; {
			from := time.Now()
			a.Send("go on")
			v := <-n.asked
			cost := n.at.Sub(from)
			took := <-closed
			cost += took.Sub(n.said)
			if m := len(v.Request.Messages); m < 47 || m > 53 {
				continue
			}
			measured = true
			turns, sdk = append(turns, cost), append(sdk, encoding(b, v.Request))
		}
	}
	turn, once := median(turns), median(sdk)
	b.ReportMetric(float64(turn.Nanoseconds()), "ns/turn")
	b.ReportMetric(float64(once.Nanoseconds()), "ns/encoding")
	b.ReportMetric(float64(turn)/float64(once), "x-sdk")
	b.ReportMetric(0, "ns/op") // of the turns that fill the conversation, too
}

// encoding is what the SDK takes to write the words of a request.
func encoding(tb testing.TB, r model.Request) time.Duration {
	tb.Helper()
	body, err := anthropic.Body(wordsOnly(r), anthropic.Setup{Model: "any", Reasoning: model.Reasoning{Output: 4096}})
	if err != nil {
		tb.Fatal(err)
	}
	from := time.Now()
	if _, err := body.MarshalJSON(); err != nil {
		tb.Fatal(err)
	}
	return time.Since(from)
}
