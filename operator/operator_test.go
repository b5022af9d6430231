package operator_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/operator"
)

// bench is a control loop and a log that write down what comes, in order.
type bench struct {
	gen    uint64
	paused bool
	blind  bool     // the takeover is carried out, and its stop is not seen
	happy  []string // what was done, in order
	fails  error
}

func (b *bench) Takeover(_ context.Context, input string) ([]string, error) {
	if b.fails != nil {
		return nil, b.fails
	}
	b.gen++
	b.paused = true
	b.happy = append(b.happy, "takeover "+input)
	if b.blind {
		return nil, context.DeadlineExceeded
	}
	return []string{"a1"}, nil
}

func (b *bench) Generation() uint64 { return b.gen }

func (b *bench) Post(e episode.Event) {
	t := e.(episode.OperatorTakeover)
	var line strings.Builder
	line.WriteString("log " + t.Input)
	if t.Phase != "" {
		line.WriteString(" " + t.Phase)
	}
	for _, s := range t.Stopped {
		line.WriteString(" stopped " + s)
	}
	b.happy = append(b.happy, line.String())
}

func (b *bench) input(what string, k operator.Kind, h operator.Hold) operator.Input {
	return operator.Input{What: what, Kind: k, Held: h, Carry: func(context.Context) error {
		b.happy = append(b.happy, "do "+what)
		return nil
	}}
}

func TestInputs(t *testing.T) {
	type step func(t *testing.T, d *operator.Desk, b *bench)
	do := func(what string, k operator.Kind, h operator.Hold) step {
		return func(t *testing.T, d *operator.Desk, b *bench) {
			if err := d.Do(t.Context(), b.input(what, k, h)); err != nil {
				t.Error(err)
			}
		}
	}
	release := func(what string) step {
		return func(_ *testing.T, d *operator.Desk, _ *bench) { d.Release(what) }
	}
	resumed := func(_ *testing.T, _ *operator.Desk, b *bench) { b.paused = false }
	tests := map[string]struct {
		strict bool
		steps  []step
		want   []string
	}{
		"stops_before_it_moves": {steps: []step{do("key w", operator.Motion, operator.Once)},
			want: []string{"takeover key w", "do key w", "log key w stopped a1"}},
		"what_changes_nothing_does_not_pause": {steps: []step{do("overlays", operator.View, operator.Once), do("wheel", operator.Scroll, operator.Once),
			do("r", operator.Record, operator.Once), do("1", operator.Label, operator.Once)},
			want: []string{"do overlays", "do wheel", "do r", "do 1"}},
		"strict_operator_pauses_for_everything": {strict: true, steps: []step{do("overlays", operator.View, operator.Once)},
			want: []string{"takeover overlays", "do overlays", "log overlays stopped a1"}},
		"repeated_keys_are_one_takeover": {steps: []step{do("key w", operator.Motion, operator.Down), do("key w", operator.Motion, operator.Down), do("key w", operator.Motion, operator.Down), release("key w")},
			want: []string{"takeover key w", "do key w", "log key w begins stopped a1", "do key w", "do key w", "log key w ends"}},
		"another_key_ends_it": {steps: []step{do("key w", operator.Motion, operator.Down), do("key a", operator.Motion, operator.Once)},
			want: []string{"takeover key w", "do key w", "log key w begins stopped a1", "log key w ends", "takeover key a", "do key a", "log key a stopped a1"}},
		"a_key_held_over_a_resume_takes_over_again": {steps: []step{do("key w", operator.Motion, operator.Down), resumed, do("key w", operator.Motion, operator.Down)},
			want: []string{"takeover key w", "do key w", "log key w begins stopped a1", "log key w ends", "takeover key w", "do key w", "log key w begins stopped a1"}},
		"released_twice": {steps: []step{do("key w", operator.Motion, operator.Down), release("key w"), release("key w"), release("key x")},
			want: []string{"takeover key w", "do key w", "log key w begins stopped a1", "log key w ends"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			b := &bench{gen: 1}
			d := operator.New(operator.Config{Controller: b, Log: b, Strict: tc.strict, Paused: func() bool { return b.paused }})
			for _, s := range tc.steps {
				s(t, d, b)
			}
			if diff := cmp.Diff(b.happy, tc.want); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What could not be stopped is not moved: the input is not carried out.
func TestNoTakeoverNoMotion(t *testing.T) {
	b := &bench{fails: errors.New("the loop does not answer")}
	var told error
	d := operator.New(operator.Config{Controller: b, Log: b, Tell: func(_ operator.Input, err error) { told = err }})
	if err := d.Do(t.Context(), b.input("key w", operator.Motion, operator.Once)); !errors.Is(err, b.fails) || !errors.Is(told, b.fails) {
		t.Errorf("got %v, told %v", err, told)
	}
	if len(b.happy) != 0 {
		t.Errorf("got %v", b.happy)
	}
}

// A takeover whose stop was not seen in time is in the log, too: the run is paused.
func TestTakeoverWhoseStopIsNotSeen(t *testing.T) {
	b := &bench{gen: 1, blind: true}
	d := operator.New(operator.Config{Controller: b, Log: b})
	if err := d.Do(t.Context(), b.input("key w", operator.Motion, operator.Once)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(b.happy, []string{"takeover key w", "log key w"}); diff != "" {
		t.Error(diff)
	}
}
