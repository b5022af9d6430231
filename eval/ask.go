package eval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rein-robotics/rein/monitor"
	"github.com/rein-robotics/rein/monitor/question"
	"github.com/rein-robotics/rein/skill"
)

// points stand for those of the planner: a monitor is not told them in words.
func points(names []string) map[string]skill.Point {
	out := map[string]skill.Point{}
	for _, n := range names {
		out[n] = skill.Point{}
	}
	return out
}

// Plan is what is asked of one model.
type Plan struct {
	Assessor monitor.Assessor
	Shower   *Shower
	Ticks    []Tick
	Label    func(Key) string // of a tick
	Repeats  int              // at least 1
	Limit    time.Duration    // of one call
	Progress func(done, of int)
}

// givenUp is after how many failed calls in a row a model is asked no more.
const givenUp = 5

// Ask asks about each tick as the robot would, one call at a time. A call that fails is a sample without answers; several
// in a row are an error.
func (p *Plan) Ask(ctx context.Context) ([]Sample, error) {
	var out []Sample
	failed := 0
	for repeat := range max(p.Repeats, 1) {
		for i := range p.Ticks {
			t := &p.Ticks[i]
			shown, err := p.Shower.Show(t)
			if err != nil {
				return out, err
			}
			s, err := p.ask(ctx, shown)
			if ctx.Err() != nil {
				return out, context.Cause(ctx)
			}
			if failed++; err == nil {
				failed = 0
			}
			if failed >= givenUp {
				return out, fmt.Errorf("%s: %d calls in a row failed, the last with: %w", p.Assessor.Name(), failed, err)
			}
			s.Tick, s.Label, s.Repeat = t, p.Label(t.Key), repeat
			out = append(out, s)
			if p.Progress != nil {
				p.Progress(len(out), len(p.Ticks)*max(p.Repeats, 1))
			}
		}
	}
	return out, nil
}

func (p *Plan) ask(ctx context.Context, t monitor.Tick) (Sample, error) {
	if p.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.Limit)
		defer cancel()
	}
	from := time.Now()
	got, err := p.Assessor.Assess(ctx, t)
	s := Sample{Latency: time.Since(from).Round(time.Microsecond), CostUSD: got.Usage.CostUSD, Answers: got.Answers}
	if err != nil {
		why := question.Failed
		if errors.Is(err, context.DeadlineExceeded) {
			why = question.TimedOut
		}
		s.Err, s.Answers = err.Error(), nil
		for _, q := range t.Questions {
			s.Answers = append(s.Answers, q.No(why, err.Error()))
		}
		if why == question.TimedOut {
			err = nil // slow is no reason to give up: it is what is measured
		}
	}
	return s, err
}
