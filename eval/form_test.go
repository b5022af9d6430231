package eval_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/monitor/question"
)

// The files that are read, each with a line of it that is right.
const (
	goodLabel  = `{"episode":"s/000001","action":"a1","tick":1,"tool":"pick_object","question":"progress","frames":["x"],"label":"holding"}`
	goodBox    = `{"episode":"s/000001","frame":"images/x.jpg","box":[1,2.5,30,40]}`
	goodAnswer = `{"episode":"s/1","action":"a1","tick":1,"repeat":1,"model":"m","wording":"w","sent":"","label":"holding",` +
		`"answers":[{"question":"progress","value":"holding","p":0.9,"confidence":0.8},{"question":"held","value":true,"p":0.7}],"latency_s":1,"usage":{"input_tokens":3,"cost_usd":0.1}}`
	goodCard = `{"tool":"pick_object","question":"progress","cameras":"","model":"m","wording":"w","ticks":7,"actions":2,"repeats":1,` +
		`"right":{"yes":3,"n":7,"low":0.1,"high":0.9},"rules":null,"latency_p50_s":1,"latency_p95_s":1}`
)

// files reads each of them from what a folder holds.
var files = map[string]struct {
	path string // below the folder
	good string
	read func(dir string) error
}{
	"labels":  {"pick.jsonl", goodLabel, readBook},
	"targets": {"pick_targets.jsonl", goodBox, readBook},
	"answers": {"answers/" + subject().File() + "l", goodAnswer, func(dir string) error {
		a, err := eval.OpenAnswers(dir, subject(), asked(), eval.Resumed)
		if err == nil {
			a.Close()
		}
		return err
	}},
	"card": {"cards/" + subject().File(), goodCard, func(dir string) error {
		_, err := eval.ReadCard(dir, subject())
		return err
	}},
}

func subject() eval.Subject {
	return eval.Subject{Tool: "pick_object", Question: "progress", Model: "m", Wording: "w"}
}

func asked() []question.Question {
	return []question.Question{progress, {Name: "held", Kind: question.Predicate}}
}

func readBook(dir string) error {
	_, err := eval.OpenBook(dir, "pick", "pick_object", progress)
	return err
}

func put(t *testing.T, dir, path, text string) {
	t.Helper()
	path = filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What is no line of a file is one error with its place: nothing is taken for what nobody wrote.
func TestNothingIsReadThatNobodyWrote(t *testing.T) {
	for file, wrongs := range map[string]map[string][3]string{ // by name: what is put in the place of what, and what is said
		"labels": {
			"null_tick": {`"tick":1`, `"tick":null`, "tick is missing"}, "no_tick": {`"tick":1,`, ``, "tick is missing"}, "half_a_tick": {`"tick":1`, `"tick":1.5`, "tick: number 1.5 does not fit"},
			"null_label": {`"label":"holding"`, `"label":null`, "label is missing"}, "no_label": {`,"label":"holding"`, ``, "label is missing"}, "label_true": {`"label":"holding"`, `"label":true`, "label: bool does not fit"},
			"null_episode": {`"s/000001"`, `null`, "episode is missing"}, "empty_action": {`"a1"`, `""`, "a label names"}, "null_frame": {`["x"]`, `[null]`, "a frame has a name"},
			"twice": {`"tick":1`, `"tick":1,"tick":2`, `"tick" stands there twice`}, "twice_in_another_case": {`"tick":1`, `"tick":1,"Tick":2`, `"Tick" stands there twice`},
			"unknown": {`"tick":1`, `"tick":1,"colour":"red"`, `unknown field "colour"`}, "huge": {`"tick":1`, `"tick":1e400`, "tick: number 1e400 does not fit"},
		},
		"targets": {
			"nulls": {"[1,2.5,30,40]", "[null,null,5,5]", "a box is ["}, "a_null": {"[1,2.5,30,40]", "[1,2,null,5]", "a box is ["}, "three": {"[1,2.5,30,40]", "[1,2,3]", "a box is ["},
			"five": {"[1,2.5,30,40]", "[1,2,3,4,5]", "a box is ["}, "none": {"[1,2.5,30,40]", "[]", "a box is ["}, "words": {"[1,2.5,30,40]", `["1","2","3","4"]`, "a box is ["},
			"object": {"[1,2.5,30,40]", `{}`, "a box is ["}, "infinite": {"[1,2.5,30,40]", "[1,2,3,1e999]", "a box is ["}, "inverted": {"[1,2.5,30,40]", "[30,2,1,40]", "a box is ["},
			"upside_down": {"[1,2.5,30,40]", "[1,40,30,2]", "a box is ["}, "empty": {"[1,2.5,30,40]", "[1,2,1,40]", "a box is ["}, "left_of_it": {"[1,2.5,30,40]", "[-1,2,3,4]", "a box is ["},
			"far_out": {"[1,2.5,30,40]", "[1,2,3,1e6]", "a box is ["}, "missing": {`,"box":[1,2.5,30,40]`, ``, "a box is ["}, "null_frame": {`"images/x.jpg"`, `null`, "frame is missing"},
			"no_episode": {`"episode":"s/000001",`, ``, "episode is missing"}, "twice": {`"box":`, `"box":null,"box":`, `"box" stands there twice`},
		},
		"answers": {
			"no_answers": {`"answers":[`, `"answer":[`, `unknown field "answer"`}, "null_answers": {goodAnswer[strings.Index(goodAnswer, `[{`) : strings.Index(goodAnswer, `}]`)+2], `null`, "answers is missing"},
			"no_latency": {`"latency_s":1,`, ``, "latency_s is missing"}, "null_latency": {`"latency_s":1`, `"latency_s":null`, "latency_s is missing"}, "null_usage": {`{"input_tokens":3,"cost_usd":0.1}`, `null`, "usage is missing"},
			"less_tokens": {`"input_tokens":3`, `"input_tokens":-3`, "less than nothing"}, "less_money": {`"cost_usd":0.1`, `"cost_usd":-0.1`, "less than nothing"},
			"null_p": {`"p":0.9`, `"p":null`, "neither p nor missing"}, "null_option": {`"value":"holding"`, `"value":null`, "is no option"}, "no_option": {`"value":"holding",`, ``, "is no option"},
			"no_value": {`"value":true,`, ``, "not what its p of 0.7 says"}, "contrary": {`"value":true`, `"value":false`, "not what its p of 0.7 says"}, "word_for_true": {`"value":true`, `"value":"true"`, "not what its p of 0.7 says"},
			"a_reason_of_its_own": {`"value":true,"p":0.7`, `"value":null,"p":null,"missing":"tired"`, `no reason that there is: "tired"`}, "both": {`"p":0.7`, `"p":0.7,"missing":"refused"`, "both an answer and missing"},
			"failed_and_answered": {`"latency_s":1`, `"latency_s":1,"error":"no connection"`, "a call that failed has an answer"}, "twice_inside": {`"p":0.9`, `"p":0.9,"p":0.1`, `"p" stands there twice`},
			"twice_in_usage": {`"cost_usd":0.1`, `"cost_usd":0.1,"cost_usd":0`, `"cost_usd" stands there twice`},
		},
		"card": {
			"null_ticks": {`"ticks":7`, `"ticks":null`, "ticks is missing"}, "no_ticks": {`"ticks":7,`, ``, "ticks is missing"}, "less_than_none": {`"ticks":7`, `"ticks":-7`, "less than nothing"},
			"words": {`"ticks":7`, `"ticks":"7"`, "ticks: string does not fit"}, "unknown": {`"ticks":7`, `"ticks":7,"tocks":7`, "unknown field"}, "twice": {`"ticks":7`, `"ticks":7,"ticks":700`, "stands there twice"},
			"another_subject": {`"wording":"w"`, `"wording":"v"`, "about something else"}, "null_subject": {`"wording":"w"`, `"wording":null`, "about something else"}, "two": {goodCard, goodCard + goodCard, "more than one object"},
		},
	} {
		f := files[file]
		place := ".jsonl:2: "
		if file == "card" {
			place = ".json: "
		}
		for name, w := range wrongs {
			t.Run(file+"_"+name, func(t *testing.T) {
				bad := strings.Replace(f.good, w[0], w[1], 1)
				if bad == f.good {
					t.Fatalf("there is no %s in it", w[0])
				}
				text := f.good + "\n" + bad + "\n"
				if file == "card" {
					text = bad
				}
				dir := t.TempDir()
				put(t, dir, f.path, text)
				if err := f.read(dir); err == nil || !strings.Contains(err.Error(), w[2]) || !strings.Contains(err.Error(), place) || strings.Contains(err.Error(), "Key.") {
					t.Errorf("%s: %v, want %q", bad, err, w[2])
				}
			})
		}
	}
}

// The same text is read in whichever way an editor or another machine wrote it.
func TestFilesOfOtherEditorsAreRead(t *testing.T) {
	for file, f := range files {
		for name, text := range map[string]string{
			"as_written": f.good + "\n", "without_an_end": f.good, "carriage_returns": f.good + "\r\n", "byte_order_mark": "\xef\xbb\xbf" + f.good + "\r\n", "blanks": "  \t" + f.good + " \n\n \n",
		} {
			t.Run(file+"_"+name, func(t *testing.T) {
				dir := t.TempDir()
				put(t, dir, f.path, text)
				if err := f.read(dir); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// A line without end, and what two lines were glued to, are told with their place.
func TestLinesThatAreNone(t *testing.T) {
	long := `"` + strings.Repeat("x", 17<<20) + `"`
	for file, f := range files {
		if file == "card" {
			continue
		}
		for name, c := range map[string][2]string{
			"enormous": {strings.Replace(f.good, `"s/`, long[:len(long)-1]+`s/`, 1), "longer than 16 MB"}, "glued": {f.good + f.good, "more than one object"}, "list": {"[]", "array is no object"},
			"number": {"12", "number is no object"}, "null": {"null", "episode is missing"}, "text": {"holding", "invalid character"}, "zeros": {"\x00\x00", "invalid character"}, "mark_inside": {"\xef\xbb\xbf" + f.good, "invalid character"},
		} {
			t.Run(file+"_"+name, func(t *testing.T) {
				dir := t.TempDir()
				put(t, dir, f.path, f.good+"\n"+c[0]+"\n")
				if err := f.read(dir); err == nil || !strings.Contains(err.Error(), ".jsonl:2: ") || !strings.Contains(err.Error(), c[1]) {
					t.Errorf("%.300v, want %q", err, c[1])
				}
			})
		}
	}
}

// Whatever a file of boxes holds, it is refused with a place, or every box is the one that stands on the last line about its
// picture, number by number.
func FuzzBoxes(f *testing.F) {
	for _, s := range []string{"", goodBox, goodBox + "\n" + goodBox[:30], `{"episode":"e","frame":"f","box":null}` + "\r\n", `{"episode":"e","frame":"f","box":[null,null,5,5]}` + "\n", `{"Episode":"e","frame":"f","BOX":[0,0,5,5]}` + "\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		put(t, dir, "pick_targets.jsonl", string(data))
		b, err := eval.OpenBook(dir, "pick", "pick_object", progress)
		if err != nil {
			if !strings.Contains(err.Error(), "pick_targets.jsonl:") {
				t.Errorf("no place in %v", err)
			}
			return
		}
		type picture struct{ episode, frame string }
		last := map[picture]any{}
		for line := range strings.Lines(strings.TrimPrefix(string(data), "\xef\xbb\xbf")) {
			var v map[string]any
			if strings.TrimSpace(line) == "" || json.Unmarshal([]byte(line), &v) != nil { // torn
				continue
			}
			small := map[string]any{}
			for name, x := range v {
				small[strings.ToLower(name)] = x
			}
			box, has := small["box"]
			if !has {
				t.Fatalf("taken without a box: %q", line)
			}
			last[picture{small["episode"].(string), small["frame"].(string)}] = box
		}
		for p, want := range last {
			got, ok := b.Box(p.episode, p.frame)
			var have any
			if got.Box != nil {
				have = []any{got.Box[0], got.Box[1], got.Box[2], got.Box[3]}
			}
			if !ok || fmt.Sprint(have) != fmt.Sprint(want) {
				t.Errorf("%+v: %v (%v), want %v", p, have, ok, want)
			}
		}
	})
}

// Whatever a file of answers holds, it is refused with a place, or each line has what an answer has.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{"", goodAnswer, goodAnswer + "\n" + goodAnswer[:80], goodAnswer + "\r\n", strings.Replace(goodAnswer, `"p":0.9`, `"p":null,"missing":"refused"`, 1)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		put(t, dir, files["answers"].path, string(data))
		a, err := eval.OpenAnswers(dir, subject(), asked(), eval.Resumed)
		if err != nil {
			if !strings.Contains(err.Error(), ".jsonl:") {
				t.Errorf("no place in %v", err)
			}
			return
		}
		defer a.Close()
		for line := range strings.Lines(strings.TrimPrefix(string(data), "\xef\xbb\xbf")) {
			var v struct {
				Answers  []map[string]any
				LatencyS *float64 `json:"latency_s"`
			}
			if strings.TrimSpace(line) == "" || json.Unmarshal([]byte(line), &v) != nil { // torn
				continue
			}
			if v.Answers == nil || v.LatencyS == nil {
				t.Errorf("taken: %q", line)
			}
			for _, x := range v.Answers {
				if n := fmt.Sprint(x["p"]); n == "<nil>" && x["missing"] == nil && x["Missing"] == nil && len(x) > 0 && x["P"] == nil {
					t.Errorf("taken: %q", line)
				}
			}
		}
	})
}

// Whatever a card holds, it is refused with its file, or its count is the one that stands there.
func FuzzCards(f *testing.F) {
	for _, s := range []string{"", goodCard, goodCard[:90], "\xef\xbb\xbf" + goodCard, strings.Replace(goodCard, `"ticks":7`, `"ticks":null`, 1)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		put(t, dir, files["card"].path, string(data))
		c, err := eval.ReadCard(dir, subject())
		if err != nil {
			if !strings.Contains(err.Error(), subject().File()) {
				t.Errorf("no file in %v", err)
			}
			return
		}
		var v struct{ Ticks *int }
		if err := json.Unmarshal([]byte(strings.TrimPrefix(string(data), "\xef\xbb\xbf")), &v); err != nil || v.Ticks == nil || *v.Ticks != c.Ticks || c.Ticks < 0 {
			t.Errorf("%d ticks of %q (%v)", c.Ticks, data, err)
		}
	})
}
