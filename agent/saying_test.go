package agent_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/hook"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/model"
)

// What the planner says is heard as it comes, while the reply is still being written; what is taken back is told; a
// plugin that may rewrite a text has the first word.
func TestTextStreamsToTheOperator(t *testing.T) {
	louder := hook.Plugin{Name: "louder", PostLLMCall: func(_ context.Context, r hook.Reply) (string, error) {
		return strings.ToUpper(r.Text), nil
	}}
	tests := map[string]struct {
		parts []model.Part
		opts  []option
		want  []run.Saying
	}{
		"as_it_comes": {[]model.Part{model.Text{Text: "I "}, model.Text{Text: "look."}, finish(true)}, nil,
			[]run.Saying{{Text: "I "}, {Text: "look."}, {Over: true}}},
		"withdrawn": {[]model.Part{model.Text{Text: "I thi"}, model.Withdrawn{Why: "it died"}, model.Text{Text: "I look."}, finish(true)}, nil,
			[]run.Saying{{Text: "I thi"}, {Withdrawn: true}, {Text: "I look."}, {Over: true}}},
		"rewritten": {[]model.Part{model.Text{Text: "I "}, model.Text{Text: "look."}, finish(true)}, []option{with(louder)},
			[]run.Saying{{Text: "I LOOK.", Over: true}}},
		"nothing": {[]model.Part{finish(true)}, nil, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var heard []run.Saying
			r := newRig(t, []round{says(tc.parts...)}, append(tc.opts, func(c *agent.Config) {
				c.Say = func(s run.Saying) {
					mu.Lock()
					defer mu.Unlock()
					heard = append(heard, s)
				}
			})...)
			r.run("do it")
			mu.Lock()
			defer mu.Unlock()
			if diff := cmp.Diff(tc.want, heard); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The first words are heard before the reply is over.
func TestTextIsHeardWhileTheReplyIsWritten(t *testing.T) {
	heard := make(chan struct{})
	p := &planner{deliberate: func(ctx context.Context, yield func(model.Part, error) bool) {
		if !yield(model.Text{Text: "I begin"}, nil) {
			return
		}
		select {
		case <-heard:
			_ = yield(finish(true), nil) && yield(model.End{Reason: model.StopToolUse}, nil)
		case <-ctx.Done():
			yield(nil, errors.New("nobody heard it"))
		}
	}}
	r := newRig(t, nil, thinkWith(p), func(c *agent.Config) {
		c.Say = func(s run.Saying) {
			if s.Text == "I begin" {
				close(heard)
			}
		}
	})
	if res := r.run("do it"); res.Claimed == nil || !*res.Claimed {
		t.Errorf("got %+v", res)
	}
}
