package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/reason/llm"
)

// script is a provider that plays one list of parts a request; an error ends it.
type script struct {
	steps [][]any
	asked []model.Request
}

func (s *script) Stream(_ context.Context, r model.Request, _ model.Options) iter.Seq2[model.Part, error] {
	step := s.steps[min(len(s.asked), len(s.steps)-1)]
	s.asked = append(s.asked, r)
	return func(yield func(model.Part, error) bool) {
		for _, x := range step {
			switch x := x.(type) {
			case model.Part:
				if !yield(x, nil) {
					return
				}
			case error:
				yield(nil, x)
				return
			}
		}
	}
}

var (
	busy  = &model.Error{Class: model.Overloaded, Retryable: true}
	dead  = &model.Error{Class: model.DeadStream, Retryable: true}
	later = &model.Error{Class: model.RateLimit, Retryable: true, RetryAfter: 90 * time.Second}
	noKey = &model.Error{Class: model.Auth}
	end   = model.End{Reason: model.StopToolUse}
	look  = model.Call{ID: "a", Name: "observe", Args: json.RawMessage(`{}`)}
)

// told is what the agent hears, in short.
func told(parts iter.Seq2[model.Part, error]) (out []string, err error) {
	for p, e := range parts {
		if e != nil {
			err = e
			continue
		}
		switch p := p.(type) {
		case model.Text:
			out = append(out, p.Text)
		case model.Call:
			out = append(out, "call "+p.Name)
		case model.Opaque:
			out = append(out, "opaque")
		case model.Usage:
			out = append(out, "usage "+strings.Repeat("i", p.Input)+strings.Repeat("o", p.Output))
		case model.Withdrawn:
			out = append(out, "withdrawn")
		case model.End:
			out = append(out, "end "+string(p.Reason))
		}
	}
	return out, err
}

func TestDeliberate(t *testing.T) {
	usage := model.Usage{Input: 2, Output: 1}
	opaque := model.Opaque{Provider: "p", Raw: json.RawMessage(`1`)}
	tests := map[string]struct {
		steps  [][]any
		want   []string
		err    error
		asked  int
		faults string // attempts that failed, "!" = for good
		took   time.Duration
	}{
		"reply":              {[][]any{{model.Text{Text: "I look"}, look, usage, end}}, []string{"I look", "call observe", "usage iio", "end tool_use"}, nil, 1, "", 0},
		"busy_once":          {[][]any{{busy}, {look, usage, end}}, []string{"call observe", "usage iio", "end tool_use"}, nil, 2, "1", time.Second},
		"its_wish":           {[][]any{{later}, {look, end}}, []string{"call observe", "end tool_use"}, nil, 2, "1", 90 * time.Second},
		"text_then_dead":     {[][]any{{opaque, model.Text{Text: "I lo"}, usage, dead}, {model.Text{Text: "I look"}, look, usage, end}}, []string{"opaque", "I lo", "withdrawn", "I look", "call observe", "usage iiiioo", "end tool_use"}, nil, 2, "1", time.Second},
		"call_then_dead":     {[][]any{{look, usage, dead}}, []string{"call observe", "usage iio"}, nil, 1, "1!", 0},
		"call_then_no_key":   {[][]any{{look, noKey}}, []string{"call observe"}, noKey, 1, "1!", 0},
		"no_key":             {[][]any{{noKey}}, nil, noKey, 1, "1!", 0},
		"used_up":            {[][]any{{busy}}, nil, busy, 3, "123!", 3 * time.Second},
		"used_up_with_usage": {[][]any{{usage, busy}}, []string{"usage iiiiiiooo"}, busy, 3, "123!", 3 * time.Second},
		"refusal":            {[][]any{{model.Text{Text: "No."}, model.End{Reason: model.StopRefusal}}}, []string{"No.", "end refusal"}, nil, 1, "", 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &script{steps: tc.steps}
				faults := ""
				r := llm.New(llm.Config{Provider: p, Model: "test:m", Retry: model.Retry{Max: 2}, OnFault: func(f llm.Fault) {
					faults += string(rune('0' + f.Attempt))
					if !f.Again {
						faults += "!"
					}
				}})
				began := time.Now()
				got, err := told(r.Deliberate(t.Context(), run.View{Request: model.Request{System: "s"}}))
				if diff := cmp.Diff(got, tc.want); diff != "" {
					t.Error(diff)
				}
				if !errors.Is(err, tc.err) || len(p.asked) != tc.asked || faults != tc.faults || time.Since(began) != tc.took {
					t.Errorf("got error %v, %d requests, faults %q, %s", err, len(p.asked), faults, time.Since(began))
				}
				for _, r := range p.asked {
					if diff := cmp.Diff(r, p.asked[0]); diff != "" {
						t.Errorf("it was asked in other words: %s", diff)
					}
				}
			})
		})
	}
}

// A wait that the run has no time for is not begun, and a pause ends one at once.
func TestWaits(t *testing.T) {
	t.Run("beyond_the_run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			r := llm.New(llm.Config{Provider: &script{steps: [][]any{{later}}}, Retry: model.Retry{Max: 4}})
			if _, err := told(r.Deliberate(t.Context(), run.View{Left: time.Minute})); !errors.Is(err, later) || time.Since(began) != 0 {
				t.Errorf("got %v after %s", err, time.Since(began))
			}
		})
	})
	t.Run("beyond_the_call", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			r := llm.New(llm.Config{Provider: &script{steps: [][]any{{later}}}, Retry: model.Retry{Max: 4}})
			if _, err := told(r.Deliberate(ctx, run.View{})); !errors.Is(err, later) {
				t.Errorf("got %v", err)
			}
		})
	})
	t.Run("paused", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			why := errors.New("paused")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(5*time.Second, func() { cancel(why) })
			began := time.Now()
			r := llm.New(llm.Config{Provider: &script{steps: [][]any{{later}}}, Retry: model.Retry{Max: 4}})
			if _, err := told(r.Deliberate(ctx, run.View{})); !errors.Is(err, why) || time.Since(began) != 5*time.Second {
				t.Errorf("got %v after %s", err, time.Since(began))
			}
		})
	})
}

func TestReaderStops(t *testing.T) {
	p := &script{steps: [][]any{{model.Text{Text: "I"}, look, end}}}
	for range llm.New(llm.Config{Provider: p}).Deliberate(t.Context(), run.View{}) {
		break
	}
	if len(p.asked) != 1 {
		t.Errorf("asked %d times", len(p.asked))
	}
}

func TestCost(t *testing.T) {
	p := &script{steps: [][]any{{model.Usage{Input: 1e6}, dead}, {model.Usage{Input: 1e6, Output: 1e6}, end}}}
	synctest.Test(t, func(t *testing.T) {
		r := llm.New(llm.Config{Provider: p, Retry: model.Retry{Max: 1}, Price: model.Price{Input: 3, Output: 15}})
		for part := range r.Deliberate(t.Context(), run.View{}) {
			if u, ok := part.(model.Usage); ok && u.CostUSD != 21 {
				t.Errorf("got %v", u.CostUSD)
			}
		}
	})
}

func TestSystemPrompt(t *testing.T) {
	bare, robot := llm.SystemPrompt(" ", model.PointsPixels), llm.SystemPrompt("An arm.", model.PointsPixels)
	if strings.Contains(bare, "This robot") || !strings.HasPrefix(robot, strings.TrimSpace(bare)) || !strings.HasSuffix(robot, "## This robot\n\nAn arm.\n") {
		t.Errorf("got %q", robot)
	}
	other := llm.SystemPrompt("", model.PointsYX1000)
	if !strings.Contains(bare, "`[x, y]` in pixels") || !strings.Contains(other, "`[y, x]`") || strings.Contains(other, "[x, y]") || strings.Contains(bare+other, "{") {
		t.Errorf("the prompt speaks of other points: %q", other)
	}
	if got := llm.New(llm.Config{Model: "anthropic:m"}).Name(); got != "anthropic:m@1" {
		t.Errorf("got %q", got)
	}
}
