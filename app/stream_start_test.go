package app

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/anthropic"
	"github.com/rein-robotics/rein/model/modeltest"
	"github.com/rein-robotics/rein/reason/llm"
	"github.com/rein-robotics/rein/skill"
)

// talksOn is a reply whose first call is complete before its event number callRead, and that talks on after it.
var talksOn = []modeltest.Event{
	{Name: "message_start", Data: `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}`},
	{Name: "content_block_start", Data: `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"wave","input":{}}}`},
	{Name: "content_block_delta", Data: `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`},
	{Name: "content_block_stop", Data: `{"type":"content_block_stop","index":0}`},
	{Name: "content_block_start", Data: `{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`},
	{Name: "content_block_delta", Data: `{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"It waves."}}`},
	{Name: "content_block_stop", Data: `{"type":"content_block_stop","index":1}`},
	{Name: "message_delta", Data: `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}`},
	{Name: "message_stop", Data: `{"type":"message_stop"}`},
}

const callRead = 4

// signal is a skill that ends at once and tells when it began.
type signal struct{ began chan<- time.Time }

func (s signal) Start(*skill.Body) error {
	s.began <- time.Now()
	return nil
}

func (signal) Tick(*skill.Body) (bool, error) { return true, nil }

// waver is an agent with a model on a real connection. With each reply it gives when the last byte of the call was on the
// wire and when the skill began; the server holds the rest of the reply back until rest hears something.
func waver(tb testing.TB) (a *agent.Agent, sent, began <-chan time.Time, rest chan<- struct{}) {
	tb.Helper()
	bytes, starts, goOn, over := make(chan time.Time, 1), make(chan time.Time, 1), make(chan struct{}), make(chan struct{})
	srv := modeltest.Listen(tb, modeltest.Anthropic(), modeltest.Rules{}, modeltest.Step{Events: talksOn, Before: func(next int) {
		if next != callRead {
			return
		}
		select {
		case bytes <- time.Now():
		case <-over:
			return
		}
		select {
		case <-goOn:
		case <-over:
		}
	}})
	p, err := anthropic.New(model.Endpoint{Model: "any", BaseURL: srv.URL, Key: modeltest.Key}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	a = lean(tb, func(c *agent.Config) {
		c.Reasoner = llm.New(llm.Config{Provider: p, Model: "anthropic:any"})
		c.Settings.Cameras, c.Settings.ContextTokens = nil, 20_000
		c.Settings.Tools = []*skill.Tool{{
			Name: "wave", Skill: "wave",
			Spec: skill.Spec{Description: "Waves.", EndsByItself: true, MaxDuration: time.Second, Commands: []string{"arm"}, Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
			New:  func(skill.Call) (skill.Skill, error) { return signal{began: starts}, nil },
		}}
	})
	tb.Cleanup(func() { close(over) }) // before the agent ends, and after it the server
	return a, bytes, starts, goOn
}

// TestAToolStartsWhileTheReplyStillComes: the server sends not one byte more until the skill has begun.
func TestAToolStartsWhileTheReplyStillComes(t *testing.T) {
	a, sent, began, rest := waver(t)
	a.Send("wave")
	<-sent
	select {
	case <-began:
	case <-time.After(time.Minute):
		t.Fatal("a complete call waits for the rest of the reply")
	}
	select {
	case rest <- struct{}{}:
	case <-time.After(time.Minute):
		t.Fatal("the server does not hold the reply back")
	}
	<-sent // of the next round, which the end of the action woke: the reply was read to its end
}

// BenchmarkCallToStart is the way of a call from its last byte on the wire, through the SDK and the agent, to the skill's
// start on the control loop, while the rest of the reply has not come.
func BenchmarkCallToStart(b *testing.B) {
	a, sent, began, rest := waver(b)
	a.Send("wave")
	var took []time.Duration
	for b.Loop() {
		from := <-sent
		took = append(took, (<-began).Sub(from))
		rest <- struct{}{}
	}
	b.ReportMetric(float64(median(took).Nanoseconds()), "ns/start")
	b.ReportMetric(0, "ns/op") // of the whole rounds
}
