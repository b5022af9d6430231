package agent_test

import (
	"context"
	"iter"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/reason/llm"
)

// busyServer asks to be left alone for a minute at first.
type busyServer struct{ asked atomic.Int32 }

func (s *busyServer) Stream(context.Context, model.Request, model.Options) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		if s.asked.Add(1) == 1 {
			yield(nil, &model.Error{Class: model.RateLimit, Retryable: true, RetryAfter: time.Minute})
			return
		}
		_ = yield(finish(true), nil) && yield(model.Usage{Input: 900, Output: 40}, nil) && yield(model.End{Reason: model.StopToolUse}, nil)
	}
}

// A takeover ends the wait for another try at once; after the resume the model is asked anew.
func TestTakeoverWhileARetryWaits(t *testing.T) {
	srv := &busyServer{}
	var r *rig
	mind := llm.New(llm.Config{Provider: srv, Model: "any:any", Retry: model.Retry{Max: 4}, OnFault: func(f llm.Fault) {
		if f.Wait != time.Minute {
			t.Errorf("it waits for %s", f.Wait)
		}
		r.loop.AskTakeover("key w", func([]string, error) {})
	}})
	r = newRig(t, nil, interactive, func(c *agent.Config) { c.Reasoner = mind })
	r.log.when = map[string]func(){"run_paused": func() { r.agent.Send("go on") }}
	began := time.Now()
	if res := r.run("do it"); res.Claimed == nil || !*res.Claimed {
		t.Errorf("got %+v", res)
	}
	if time.Since(began) > 50*time.Second || srv.asked.Load() != 2 {
		t.Errorf("asked %d times", srv.asked.Load())
	}
	if p := events[episode.RunPaused](r.log); len(p) != 1 {
		t.Errorf("got %+v", p)
	}
}

// A decision of a model is logged with the model, the hash of its prompt, its tokens and how long it took.
func TestDecisionsOfAModel(t *testing.T) {
	srv := &busyServer{}
	srv.asked.Store(1)
	r := newRig(t, nil, func(c *agent.Config) { c.Reasoner = llm.New(llm.Config{Provider: srv, Model: "any:any"}) })
	r.run("do it")
	got := events[episode.Decision](r.log)
	if len(got) != 1 || got[0].Model != "any:any" || got[0].Component != "any:any@1" || len(got[0].PromptHash) != 64 || got[0].TokensIn != 900 || got[0].TokensOut != 40 || got[0].LatencyS <= 0 {
		t.Errorf("got %+v", got)
	}
}
