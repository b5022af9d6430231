package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/agent/run"
	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/eval/measure"
	"github.com/rein-robotics/rein/eval/report"
	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/monitor"
	"github.com/rein-robotics/rein/monitor/frames"
	"github.com/rein-robotics/rein/monitor/question"
)

// assessor says what it is told to; a call is numbered from 1.
type assessor struct {
	calls int
	say   func(ctx context.Context, call int) (question.Answer, error)
}

func (*assessor) Name() string { return "fake:model" }

func (a *assessor) Assess(ctx context.Context, t monitor.Tick) (run.Assessed, error) {
	a.calls++
	got, err := a.say(ctx, a.calls)
	return run.Assessed{Answers: []question.Answer{got}, Usage: model.Usage{Input: 100, CostUSD: 0.01}}, err
}

// sayings are answers by the number of the call.
func sayings(ctx context.Context, call int) (question.Answer, error) {
	switch call % 4 {
	case 1:
		return progress.No(question.Refused, "no, with key sk-secret"), nil
	case 2:
		return progress.Chosen("failed", 0.75), nil
	}
	return progress.Chosen("holding", 0.9), nil
}

// bench measures three ticks in one folder.
type bench struct {
	*eval.Plan
	tape *tape
	dir  string
	told []string
	of   eval.Subject
	ask  *assessor
}

func newBench(t *testing.T) *bench {
	t.Helper()
	p := newTape(t)
	p.start()
	var images []string
	for i := 1; i <= 3; i++ {
		images = append(images, p.picture(t, fmt.Sprintf("a1m%d_front", i), image.Pt(160, 120), uint8(50+10*i)))
		p.tick(i, images[max(0, i-2):]...)
	}
	b := &bench{
		tape: p, dir: t.TempDir(), ask: &assessor{say: sayings},
		of: eval.Subject{Tool: "pick_object", Question: "progress", Model: "fake:model", Wording: "abc"},
	}
	s := shower(t, frames.Settings{History: 2, MaxSide: 160, MarkTarget: true})
	s.Questions = []question.Question{progress}
	b.Plan = &eval.Plan{
		Assessor: b.ask, Shower: s, Ticks: p.ticks(t), Repeats: 2, Limit: time.Minute,
		Label:    func(measure.Key) string { return "holding" },
		Clean:    func(text string) string { return strings.ReplaceAll(text, "sk-secret", "[redacted]") },
		Progress: func(int, int) {}, Say: func(line string) { b.told = append(b.told, line) },
	}
	return b
}

// run opens the answers and asks.
func (b *bench) run(t *testing.T, ctx context.Context, m eval.Mode) ([]measure.Sample, error) {
	t.Helper()
	var err error
	if b.Answers, err = eval.OpenAnswers(b.dir, b.of, b.Shower.Questions, m); err != nil {
		return nil, err
	}
	defer b.Answers.Close()
	if err := b.Prepare(ctx); err != nil {
		return nil, err
	}
	return b.Ask(ctx)
}

func (b *bench) path(t *testing.T) string {
	t.Helper()
	got, err := filepath.Glob(filepath.Join(b.dir, "answers", "*.jsonl"))
	if err != nil || len(got) != 1 {
		t.Fatalf("files of answers: %v, %v", got, err)
	}
	return got[0]
}

func (b *bench) file(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(b.path(t))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// must runs without an error and says how many calls it took.
func (b *bench) must(t *testing.T, m eval.Mode) (samples []measure.Sample, calls int) {
	t.Helper()
	before := b.ask.calls
	samples, err := b.run(t, t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return samples, b.ask.calls - before
}

func table(t *testing.T, samples []measure.Sample) string {
	t.Helper()
	var out bytes.Buffer
	r := measure.Of(measure.Criteria{Question: progress, All: []question.Question{progress}, MostFalse: 0.05}, samples)
	if err := report.Table(&out, []report.Column{{Name: "m", Result: r}}, 0.05); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A line says what was answered, field by field; a key is in none of them.
func TestEachAnswerIsALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.ask.say = func(ctx context.Context, call int) (question.Answer, error) {
			<-time.After(1500 * time.Millisecond)
			if call == 3 {
				return question.Answer{}, errors.New("500: your key sk-secret")
			}
			return sayings(ctx, call)
		}
		b.Repeats = 1
		b.must(t, eval.Anew)
		if strings.Contains(string(b.file(t)), "sk-secret") {
			t.Errorf("a key in %s", b.file(t))
		}
		var got []map[string]any
		for line := range bytes.Lines(b.file(t)) {
			var v map[string]any
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			if len(v["sent"].(string)) != 16 {
				t.Errorf("sent %v", v["sent"])
			}
			delete(v, "sent")
			got = append(got, v)
		}
		line := func(tick float64, answer map[string]any) map[string]any {
			return map[string]any{
				"episode": session + "/000001", "action": "a1", "tick": tick, "repeat": 1.0, "model": "fake:model", "wording": "abc", "label": "holding",
				"answers": []any{answer}, "latency_s": 1.5, "usage": map[string]any{
					"input_tokens": 100.0, "output_tokens": 0.0, "cached_tokens": 0.0, "cache_write_tokens": 0.0, "reasoning_tokens": 0.0, "cost_usd": 0.01,
				},
			}
		}
		want := []map[string]any{
			line(1, map[string]any{"question": "progress", "value": nil, "p": nil, "missing": "refused", "why": "no, with key [redacted]"}),
			line(2, map[string]any{"question": "progress", "value": "failed", "p": 0.75}),
			line(3, map[string]any{"question": "progress", "value": nil, "p": nil, "missing": "failed", "why": "500: your key [redacted]"}),
		}
		want[2]["error"] = "500: your key [redacted]"
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

// What was interrupted goes on: whatever ended it, each answer that was paid for is kept, only the rest is asked, and with
// nothing missing the same table comes again without a call.
func TestResumeAsksOnlyWhatIsMissing(t *testing.T) {
	for name, c := range map[string]struct {
		interrupt func(b *bench, cancel func())
		after     func(t *testing.T, b *bench)
		left      int // of six calls
	}{
		"cancelled": {func(b *bench, cancel func()) {
			b.ask.say = func(ctx context.Context, call int) (question.Answer, error) {
				if call == 5 {
					cancel()
					return question.Answer{}, ctx.Err()
				}
				return sayings(ctx, call)
			}
		}, nil, 2},
		"five_failures": {func(b *bench, _ func()) {
			b.ask.say = func(ctx context.Context, call int) (question.Answer, error) {
				if call > 1 {
					return question.Answer{}, errors.New("no connection")
				}
				return sayings(ctx, call)
			}
		}, nil, 5},
		"killed_in_a_line": {func(b *bench, cancel func()) {
			b.ask.say = func(ctx context.Context, call int) (question.Answer, error) {
				if call == 5 {
					cancel()
				}
				return sayings(ctx, call)
			}
		}, func(t *testing.T, b *bench) {
			data := b.file(t)
			if err := os.WriteFile(b.path(t), data[:len(data)-20], 0o644); err != nil {
				t.Fatal(err)
			}
		}, 2},
		"a_line_without_an_end": {func(b *bench, cancel func()) {
			b.ask.say = func(ctx context.Context, call int) (question.Answer, error) {
				if call == 5 {
					cancel()
				}
				return sayings(ctx, call)
			}
		}, func(t *testing.T, b *bench) {
			data := b.file(t)
			if err := os.WriteFile(b.path(t), data[:len(data)-1], 0o644); err != nil {
				t.Fatal(err)
			}
		}, 1}, // the fifth answer came all the same, and is kept
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			ctx, cancel := context.WithCancel(t.Context())
			c.interrupt(b, cancel)
			if _, err := b.run(t, ctx, eval.Anew); err == nil {
				t.Fatal("it was not interrupted")
			}
			if c.after != nil {
				c.after(t, b)
			}
			paid := b.file(t)
			paid = paid[:bytes.LastIndexByte(paid, '\n')+1]
			b.ask.say = sayings
			all, calls := b.must(t, eval.Resumed)
			if calls != c.left || len(all) != 6 {
				t.Errorf("%d calls for %d samples, want %d for 6", calls, len(all), c.left)
			}
			if torn := b.Answers.Torn() != ""; torn != (name == "killed_in_a_line") {
				t.Errorf("torn: %q", b.Answers.Torn())
			}
			if !bytes.HasPrefix(b.file(t), paid) {
				t.Errorf("what was paid for is gone:\n%s\n%s", paid, b.file(t))
			}
			for line := range bytes.Lines(b.file(t)) {
				if !json.Valid(line) {
					t.Errorf("not whole: %s", line)
				}
			}
			again, calls := b.must(t, eval.Resumed)
			if calls != 0 || table(t, again) != table(t, all) {
				t.Errorf("%d calls, and tables\n%s\n%s", calls, table(t, again), table(t, all))
			}
		})
	}
}

// What changes what is asked is asked again: more repeats, another picture, a box. A label is today's.
func TestResumeKnowsWhatHasChanged(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, b *bench)
		calls  int
	}{
		"nothing": {func(*testing.T, *bench) {}, 0},
		"repeats": {func(_ *testing.T, b *bench) { b.Repeats = 3 }, 3},
		"fewer":   {func(_ *testing.T, b *bench) { b.Repeats = 1 }, 0},
		"box": {func(t *testing.T, b *bench) {
			box := eval.Box{Episode: b.Ticks[0].Episode, Frame: "images/a1m3_front.image.jpg", Box: &[4]float64{40, 40, 60, 60}}
			if err := b.Shower.Book.SetBox(box); err != nil {
				t.Fatal(err)
			}
		}, 2},
		"picture": {func(t *testing.T, b *bench) { b.tape.picture(t, "a1m1_front", image.Pt(160, 120), 200) }, 4}, // ticks 1 and 2 show it
		"label":   {func(_ *testing.T, b *bench) { b.Label = func(measure.Key) string { return "failed" } }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.must(t, eval.Anew)
			c.change(t, b)
			all, calls := b.must(t, eval.Resumed)
			if calls != c.calls || len(all) != 3*b.Repeats {
				t.Errorf("%d calls for %d samples, want %d", calls, len(all), c.calls)
			}
			if want := b.Label(measure.Key{}); all[0].Label != want {
				t.Errorf("labelled %s, want %s", all[0].Label, want)
			}
		})
	}
}

// A measuring that begins anew puts the former answers aside, and not before it has one of its own.
func TestBeginningAnewKeepsTheFormerAnswers(t *testing.T) {
	b := newBench(t)
	b.must(t, eval.Anew)
	former := b.file(t)
	b.ask.say = func(context.Context, int) (question.Answer, error) {
		return question.Answer{}, errors.New("no connection")
	}
	if _, err := b.run(t, t.Context(), eval.Anew); err == nil || !strings.Contains(err.Error(), "5 calls in a row failed") {
		t.Fatal(err)
	}
	if !bytes.Equal(b.file(t), former) {
		t.Error("a measuring without an answer took the former ones away")
	}
	b.ask.say = func(_ context.Context, call int) (question.Answer, error) {
		if call%2 == 0 {
			return question.Answer{}, errors.New("no connection")
		}
		return progress.Chosen("approaching", 0.6), nil
	}
	b.must(t, eval.Anew)
	old, err := os.ReadFile(b.path(t) + ".old")
	if err != nil || !bytes.Equal(old, former) {
		t.Errorf("the former answers are not put aside: %v", err)
	}
	if n := bytes.Count(b.file(t), []byte{'\n'}); n != 6 || !strings.Contains(b.Answers.Where(), ".old") {
		t.Errorf("%d lines, want 6; said is %q", n, b.Answers.Where())
	}
}

// A call that runs into its limit is an answer of its kind: it is not asked again, does not count as a failure, and counts
// among the latencies with the limit.
func TestSlowIsWhatIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.Limit = 2 * time.Second
		b.ask.say = func(ctx context.Context, call int) (question.Answer, error) {
			if call == 1 {
				<-time.After(time.Second)
				return progress.Chosen("holding", 0.9), nil
			}
			<-ctx.Done()
			return question.Answer{}, ctx.Err()
		}
		all, calls := b.must(t, eval.Anew)
		s := measure.ScoreOf(progress, all)
		if calls != 6 || s.Missing[question.TimedOut] != 5 || s.Latency.N != 6 || s.Latency.P50 != 2*time.Second {
			t.Errorf("%d calls, %v, latency %+v", calls, s.Missing, s.Latency)
		}
		if _, calls := b.must(t, eval.Resumed); calls != 0 {
			t.Errorf("%d calls that were too slow are made again", calls)
		}
	})
}

// A wrong line is told with its place and nothing is asked; so is a file of another model.
func TestWrongAnswersAreTold(t *testing.T) {
	good := `{"episode":"s/1","action":"a1","tick":1,"repeat":1,"model":"fake:model","wording":"abc","sent":"","label":"holding","answers":[{"question":"progress","value":"holding","p":0.9}],"latency_s":1,"usage":{}}`
	for name, swap := range map[string][2]string{
		"model": {"fake:model", "other"}, "wording": {"abc", "abd"}, "option": {`"value":"holding"`, `"value":"flying"`}, "certainty": {"0.9", "9"},
		"none": {`"p":0.9`, `"p":null`}, "question": {`"question":"progress"`, `"question":"q"`}, "tick": {`"tick":1`, `"tick":0`}, "cut": {`,"usage":{}}`, ``},
		"twice": {`"answers":[`, `"answers":[{"question":"progress","value":"failed","p":0.8},`},
		"time":  {`"latency_s":1`, `"latency_s":-1`},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.must(t, eval.Anew)
			bad := strings.Replace(good, swap[0], swap[1], 1)
			if err := os.WriteFile(b.path(t), []byte(good+"\n"+bad+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := b.run(t, t.Context(), eval.Resumed); err == nil || !strings.Contains(err.Error(), ".jsonl:2: ") {
				t.Errorf("%s: %v", bad, err)
			}
		})
	}
}

// Where every call fails there is nothing to count: that is an error which says why, without a key, and what was answered
// before stays.
func TestNoAnswerAtAllIsAnError(t *testing.T) {
	b := newBench(t)
	b.must(t, eval.Anew)
	before := b.file(t)
	b.Repeats = 1
	b.ask.say = func(context.Context, int) (question.Answer, error) {
		return question.Answer{}, errors.New("401 for sk-secret")
	}
	_, err := b.run(t, t.Context(), eval.Anew)
	if err == nil || !strings.Contains(err.Error(), "all 3 calls failed, the last with: 401 for [redacted]") {
		t.Errorf("got %v", err)
	}
	if after := b.file(t); !bytes.Equal(after, before) {
		t.Errorf("the answers are now %s", after)
	}
}

// A tick whose pictures are lost is told and left out before anything is asked; without any tick there is an error.
func TestTicksWithoutPicturesAreLeftOut(t *testing.T) {
	b := newBench(t)
	remove(t, filepath.Join(b.tape.logs, "images", "a1m3_front.image.jpg"))
	all, calls := b.must(t, eval.Anew)
	if calls != 4 || len(all) != 4 || len(b.leftOut()) != 1 || !strings.Contains(b.leftOut()[0], "a1 tick 3") {
		t.Errorf("%d calls, told %q", calls, b.told)
	}
	remove(t, filepath.Join(b.tape.logs, "images", "a1m1_front.image.jpg"))
	if _, err := b.run(t, t.Context(), eval.Anew); err == nil || b.ask.calls != 4 {
		t.Errorf("%d calls, %v", b.ask.calls, err)
	}
}

// A torn last line of labels or boxes is left out and told; the next label takes its place.
func TestTornLabels(t *testing.T) {
	dir := t.TempDir()
	press(t, eval.NewSheet(ticks(3), open(t, dir)), "12")
	path := filepath.Join(dir, "pick.jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)-9], 0o644); err != nil {
		t.Fatal(err)
	}
	b := open(t, dir)
	if len(b.Torn()) != 1 || !strings.Contains(b.Torn()[0], "pick.jsonl:2: ") || b.Len() != 1 {
		t.Errorf("%d labels, told %q", b.Len(), b.Torn())
	}
	press(t, eval.NewSheet(ticks(3), b), "3")
	b = open(t, dir)
	l, _ := b.Label(measure.Key{Episode: "s/000001", Action: "a1", Tick: 2})
	if len(b.Torn()) != 0 || b.Len() != 2 || l.Label != "failed" {
		t.Errorf("%d labels, %+v, torn %q", b.Len(), l, b.Torn())
	}
}
