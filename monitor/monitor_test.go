package monitor_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rein-robotics/rein/agent"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/monitor"
	"github.com/rein-robotics/rein/monitor/question"
)

var (
	predicate = question.Question{Name: "held", Kind: question.Predicate}
	choice    = question.Question{Name: "phase", Kind: question.Choice, Options: []question.Option{{Value: "in"}, {Value: "out"}}}
	asked     = []question.Question{predicate, choice}
)

// eyes takes looks that are a second apart.
type eyes struct {
	looks   int
	fails   bool
	dark    string
	behind  time.Duration
	repeats bool
}

func (e *eyes) Look(context.Context, int) (*monitor.Look, error) {
	if e.fails {
		return nil, errors.New("unplugged")
	}
	e.looks++
	return &monitor.Look{
		At: time.Duration(e.looks) * time.Second, Behind: e.behind, Repeats: e.repeats, Recorded: []run.Recorded{{Name: "images/a.jpg"}}, NotLive: e.dark,
	}, nil
}

// mouth says what it is told to, and keeps what it was asked.
type mouth struct {
	say   []question.Answer
	fails error
	ticks []monitor.Tick
}

func (*mouth) Name() string { return "mouth:1" }

func (m *mouth) Assess(_ context.Context, t monitor.Tick) (run.Assessed, error) {
	m.ticks = append(m.ticks, t)
	return run.Assessed{Answers: m.say}, m.fails
}

func watchOf(s monitor.Settings, e *eyes, m *mouth) agent.Watch {
	return monitor.New(s, func(run.Watched) monitor.Sight { return e }, m).Watch(run.Watched{Action: "a1", Started: 500 * time.Millisecond})
}

func TestEveryQuestionHasItsOneAnswer(t *testing.T) {
	yes, in := predicate.Is(0.9), choice.Chosen("in", 0.8)
	tests := map[string]struct {
		say  []question.Answer
		want string // by question: the value, or why it is missing
	}{
		"in_order":             {[]question.Answer{yes, in}, "held=true phase=in"},
		"in_another_order":     {[]question.Answer{in, yes}, "held=true phase=in"},
		"one_is_left_out":      {[]question.Answer{in}, "held!invalid phase=in"},
		"none":                 {nil, "held!invalid phase!invalid"},
		"one_stands_twice":     {[]question.Answer{yes, predicate.Is(0.1), in}, "held!invalid phase=in"},
		"one_that_nobody_asks": {[]question.Answer{yes, in, {Question: "else", Value: "true"}}, "held=true phase=in"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := watchOf(monitor.Settings{}, &eyes{}, &mouth{say: tc.say})
			l, err := w.Look(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			got, err := w.Ask(t.Context(), l, asked)
			if err != nil {
				t.Fatal(err)
			}
			var words []string
			for _, a := range got.Answers {
				if a.Missing != "" {
					words = append(words, a.Question+"!"+string(a.Missing))
					continue
				}
				words = append(words, a.Question+"="+a.Value)
			}
			if s := strings.Join(words, " "); s != tc.want {
				t.Errorf("got %q, want %q", s, tc.want)
			}
		})
	}
}

func TestTickSaysWhenItWas(t *testing.T) {
	m := &mouth{}
	w := watchOf(monitor.Settings{}, &eyes{}, m)
	for n := 1; n <= 2; n++ {
		l, err := w.Look(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Ask(t.Context(), l, asked); err != nil {
			t.Fatal(err)
		}
	}
	for i, tick := range m.ticks {
		if tick.Elapsed != time.Duration(i+1)*time.Second-500*time.Millisecond || tick.Watched.Action != "a1" || len(tick.Questions) != 2 {
			t.Errorf("tick %d: got %+v", i, tick)
		}
	}
}

// With history above 1 the first look is only kept: there is nothing to compare it with.
func TestFirstLookIsKeptOnlyWhereLooksAreCompared(t *testing.T) {
	for compares, want := range map[bool][]bool{true: {true, false, false}, false: {false, false, false}} {
		e := &eyes{fails: true}
		w := watchOf(monitor.Settings{Compares: compares}, e, &mouth{})
		if _, err := w.Look(t.Context(), 0); err == nil {
			t.Error("a look that failed is a look")
		}
		e.fails = false
		var got []bool
		for n := range want {
			l, err := w.Look(t.Context(), n+1)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, l.Kept)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("compares %t: %s", compares, diff)
		}
	}
}

// A look that shows nothing newer than the one before is kept and not judged, whether looks are compared or not.
func TestALookWithNothingNewIsOnlyKept(t *testing.T) {
	for _, compares := range []bool{false, true} {
		e := &eyes{behind: 300 * time.Millisecond}
		w := watchOf(monitor.Settings{Compares: compares}, e, &mouth{})
		var got []bool
		for _, repeats := range []bool{false, false, true, false} {
			e.repeats = repeats
			l, err := w.Look(t.Context(), len(got))
			if err != nil || l.Behind != e.behind || l.Oldest() != l.At-e.behind {
				t.Fatalf("got %+v, %v", l, err)
			}
			got = append(got, l.Kept)
		}
		if diff := cmp.Diff([]bool{compares, false, true, false}, got); diff != "" {
			t.Errorf("compares %t: %s", compares, diff)
		}
	}
}

func TestFaultsAreTold(t *testing.T) {
	broken := errors.New("no connection")
	w := watchOf(monitor.Settings{}, &eyes{dark: "the picture is black"}, &mouth{fails: broken})
	l, err := w.Look(t.Context(), 1)
	if err != nil || l.NotLive != "the picture is black" || len(l.Images) != 1 {
		t.Errorf("got %+v, %v", l, err)
	}
	if _, err := w.Ask(t.Context(), l, asked); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestMonitorSaysWhatItIs(t *testing.T) {
	m := monitor.New(monitor.Settings{Instant: true}, nil, &mouth{})
	if !m.Instant() || m.Name() != "mouth:1" {
		t.Errorf("got %t, %q", m.Instant(), m.Name())
	}
}
