package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rein-robotics/rein/eval/measure"

	"github.com/rein-robotics/rein/monitor"
	"github.com/rein-robotics/rein/monitor/question"
)

// Plan is what is asked of one model. Every field is needed.
type Plan struct {
	Assessor monitor.Assessor
	Shower   *Shower
	Ticks    []Tick
	Label    func(measure.Key) string // of a tick
	Repeats  int                      // at least 1
	Limit    time.Duration            // of one call, wall clock; 0 = none
	Answers  *Answers                 // where each answer is kept as it comes, and found
	Clean    func(text string) string // what a model or a server says, without keys
	Progress func(done, of int)       // calls that are asked, after each one; what was answered before is none
	Say      func(line string)        // hears which ticks are left out, and how many are without a mark

	ready []ready
	left  []string
	bare  int
}

// mostFailed is after how many failed calls in a row a model is asked no more.
const mostFailed = 5

// ready is a tick that can be shown.
type ready struct {
	*Tick
	sent string // hash of what is sent
}

// Prepare looks at the pictures of every tick, before anything is paid for. A tick that cannot be shown as a robot would show
// it is left out, and Say hears of it: its pictures are lost, or do not fit the settings. It is an error when no tick is left.
func (p *Plan) Prepare(ctx context.Context) error {
	p.ready, p.left, p.bare = nil, nil, 0
	var first error
	for i := range p.Ticks {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t := &p.Ticks[i]
		shown, err := p.Shower.Show(t)
		if err != nil {
			if first == nil {
				first = err
			}
			p.left = append(p.left, err.Error())
			p.Say("left out: " + err.Error())
			continue
		}
		p.ready = append(p.ready, ready{t, fingerprint(shown)})
		if p.Shower.bare(t) {
			p.bare++
		}
	}
	if len(p.ready) == 0 {
		return fmt.Errorf("none of the %d labelled ticks can be shown to a model; the first: %w", len(p.Ticks), first)
	}
	if p.bare > 0 {
		p.Say(fmt.Sprintf("mark_target is on, and %d of %d ticks have a picture without a mark, for no box is drawn there: draw them with rein monitor label --page, or measure with --no-target",
			p.bare, len(p.ready)))
	}
	return nil
}

// Bare is how many ticks have a picture without a mark that the settings want, for nobody said where the target is.
func (p *Plan) Bare() int { return p.bare }

// LeftOut says of each tick that Prepare left out why, with the file and what to do.
func (p *Plan) LeftOut() []string { return p.left }

// Ask asks about each tick as the robot would, one call at a time, and leaves out what has been answered already. Prepare
// comes before it. A call that fails is a sample without answers; several in a row are an error, and so is none that did not
// fail.
func (p *Plan) Ask(ctx context.Context) ([]measure.Sample, error) {
	var out []measure.Sample
	calls, asked, failed := p.Missing(), 0, 0
	for repeat := range p.Repeats {
		for _, t := range p.ready {
			s, found, err := p.sample(ctx, t, repeat)
			if ctx.Err() != nil {
				return out, context.Cause(ctx)
			}
			if err != nil {
				return out, err
			}
			if failed++; !s.Broken() {
				failed = 0
			}
			if failed >= mostFailed {
				return out, fmt.Errorf("%s: %d calls in a row failed, the last with: %s", p.Assessor.Name(), failed, s.Err)
			}
			out = append(out, s)
			if !found {
				asked++
				p.Progress(asked, calls)
			}
		}
	}
	if !slices.ContainsFunc(out, func(s measure.Sample) bool { return !s.Broken() }) {
		return out, fmt.Errorf("%s: all %d calls failed, the last with: %s", p.Assessor.Name(), len(out), out[len(out)-1].Err)
	}
	return out, nil
}

// Missing is how many calls are left to make. Prepare comes before it.
func (p *Plan) Missing() int {
	n := 0
	for repeat := range p.Repeats {
		for _, t := range p.ready {
			if _, found := p.Answers.find(t.Key, repeat, t.sent); !found {
				n++
			}
		}
	}
	return n
}

// sample is the answer that is kept, or one that is asked for and kept. The label is today's.
func (p *Plan) sample(ctx context.Context, t ready, repeat int) (s measure.Sample, found bool, err error) {
	s, found = p.Answers.find(t.Key, repeat, t.sent)
	if !found {
		shown, err := p.Shower.Show(t.Tick)
		if err != nil {
			return s, false, err
		}
		s = p.ask(ctx, shown)
		if ctx.Err() != nil && s.Err != "" { // an answer that came all the same is paid for, and kept
			return s, false, ctx.Err()
		}
	}
	s.Key, s.At, s.Behind, s.Label, s.Repeat = t.Key, t.At, t.Behind, p.Label(t.Key), repeat
	if found {
		return s, true, nil
	}
	return s, false, p.Answers.keep(&s, t.sent)
}

func (p *Plan) ask(ctx context.Context, t monitor.Tick) measure.Sample {
	if p.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.Limit)
		defer cancel()
	}
	from := time.Now()
	got, err := p.Assessor.Assess(ctx, t)
	s := measure.Sample{Latency: time.Since(from).Round(time.Microsecond), Usage: got.Usage}
	for _, a := range got.Answers {
		a.Why = p.Clean(a.Why)
		s.Answers = append(s.Answers, a)
	}
	if err != nil {
		why := question.Failed
		if errors.Is(err, context.DeadlineExceeded) {
			why = question.TimedOut
		}
		s.Err, s.Answers = p.Clean(err.Error()), nil
		for _, q := range t.Questions {
			s.Answers = append(s.Answers, q.No(why, s.Err))
		}
	}
	return s
}
