package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/modeltest"
)

// evaluate measures, and gives the table and how many requests it took.
func (p *taped) evaluate(t *testing.T, srv *modeltest.Server) (table string, requests int) {
	t.Helper()
	p.out.Reset()
	before := len(srv.Requests())
	if err := Evaluate(t.Context(), p.Evaluation); err != nil {
		t.Fatal(err)
	}
	return p.out.String(), len(srv.Requests()) - before
}

// answersOfCards are the lines of each file of answers by its model.
func (p *taped) answersOfCards(t *testing.T) map[string][]map[string]any {
	t.Helper()
	out := map[string][]map[string]any{}
	files, err := filepath.Glob(filepath.Join(p.root, "evals", "answers", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), modeltest.Key) {
			t.Errorf("a key in %s", f)
		}
		if _, err := os.Stat(filepath.Join(p.root, "evals", "cards", strings.TrimSuffix(filepath.Base(f), "l"))); err != nil {
			t.Errorf("no card beside the answers: %v", err)
		}
		for line := range bytes.Lines(data) {
			var v map[string]any
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			m := v["model"].(string)
			out[m] = append(out[m], v)
		}
	}
	return out
}

// fickle answers differently from request to request: right and wrong, sure and unsure, and now and then not at all.
func fickle() func(modeltest.Request) []modeltest.Answer {
	n := 0
	return func(modeltest.Request) []modeltest.Answer {
		n++
		value := []string{"approaching", "holding", "failed", "approaching", "holding"}[(3*n+n/5)%5]
		if n%7 == 0 {
			return []modeltest.Answer{modeltest.RefusedAnswer("progress")}
		}
		return []modeltest.Answer{modeltest.Chose("progress", value, 0.6+0.05*float64(n%8))}
	}
}

// byHand counts one row's share of a file of answers, tick by tick, and writes it as the table does.
func byHand(lines []map[string]any, counts, so func(line map[string]any, value string, p float64) bool) string {
	parts, all := map[string]float64{}, map[string]float64{}
	actions := map[string]map[string]bool{} // their ticks
	for _, l := range lines {
		a := l["answers"].([]any)[0].(map[string]any)
		value, answered := a["value"].(string)
		if !answered {
			continue
		}
		p := a["p"].(float64)
		if !counts(l, value, p) {
			continue
		}
		tick := fmt.Sprint(l["action"], l["tick"])
		if actions[fmt.Sprint(l["action"])] == nil {
			actions[fmt.Sprint(l["action"])] = map[string]bool{}
		}
		actions[fmt.Sprint(l["action"])][tick] = true
		all[tick]++
		if so(l, value, p) {
			parts[tick]++
		}
	}
	of, n := 0.0, float64(len(all))
	for tick := range all {
		of += parts[tick] / all[tick]
	}
	var ticksOf, soOf []float64
	for _, ticks := range actions {
		k := 0.0
		for tick := range ticks {
			k += parts[tick] / all[tick]
		}
		ticksOf, soOf = append(ticksOf, float64(len(ticks))), append(soOf, k)
	}
	// The ends of Wilson's interval are where (of/n − x)² = d·z²·x(1−x)/n, found by halving.
	d := alikeByHand(ticksOf, soOf)
	within := func(x float64) bool { return (of/n-x)*(of/n-x) <= d*3.841458820694124*x*(1-x)/n }
	end := func(in, outside float64) float64 {
		for range 60 {
			if mid := (in + outside) / 2; within(mid) {
				in = mid
			} else {
				outside = mid
			}
		}
		return in
	}
	text := strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", of), "0"), ".")
	return fmt.Sprintf("%.1f %% (%s of %.0f; %.1f–%.1f)", 100*of/n, text, n, 100*end(of/n, 0), 100*end(of/n, 1))
}

// alikeByHand is what docs/measuring-the-monitor.md says of intervals: by how much the ticks of one action are alike.
func alikeByHand(ticks, so []float64) float64 {
	mean := 0.0
	for _, t := range ticks {
		mean += t / float64(len(ticks))
	}
	if mean == 1 {
		return 1
	}
	ticks, so = append(ticks, mean, mean), append(so, mean, 0)
	n, k := 0.0, 0.0
	for i := range ticks {
		n, k = n+ticks[i], k+so[i]
	}
	p, sum := k/n, 0.0
	for i := range ticks {
		sum += math.Pow(so[i]-p*ticks[i], 2)
	}
	return max(1, sum/(n*p*(1-p)))
}

// Several models and repeats: each number of the table is the one that a person counts from the files of answers, and with
// --resume the same table comes again without a call.
func TestTheTableIsWhatAPersonCounts(t *testing.T) {
	srv := modeltest.Listen(t, modeltest.Decisions(), modeltest.Rules{}, modeltest.Step{Answer: fickle(), Reply: modeltest.Reply{Usage: model.Usage{Input: 1000, Output: 10}}})
	p := newTaped(t, srv.URL)
	p.Repeats, p.Models = 3, []string{"gpt-6-luna", "gpt-6.1-sol"}
	table, requests := p.evaluate(t, srv)
	if requests != 72 {
		t.Errorf("%d requests, want 12 ticks × 3 repeats × 2 models", requests)
	}
	files := p.answersOfCards(t)
	for column, name := range []string{"openai_decisions:gpt-6-luna", "openai_decisions:gpt-6.1-sol"} {
		lines := files[name]
		if len(lines) != 36 {
			t.Fatalf("%s: %d lines of answers, want 36", name, len(lines))
		}
		want := countedByHand(lines)
		want["progress"] = name
		for row, cell := range want {
			if got := cellOf(table, row, column); got != cell {
				t.Errorf("%s, %s: got %q, by hand %q", name, row, got, cell)
			}
		}
		_, confusion, _ := strings.Cut(table, name+": labels down, answers across\n")
		_, confusion, _ = strings.Cut(confusion, "\n") // the values across
		for row, counts := range confusionByHand(lines) {
			if got := strings.Fields(lineOf(confusion, row)); !slices.Equal(got[1:], counts) {
				t.Errorf("%s: %s is answered %v, by hand %v", name, row, got[1:], counts)
			}
		}
	}
	if cost := cellOf(table, "cost", 0); cost != "$0.0756; 36000 tokens in, 360 out" { // 36 × (1000 × $2 + 10 × $10) / 10⁶
		t.Errorf("cost %q", cost)
	}
	if cost := cellOf(table, "cost", 1); cost != "no price; 36000 tokens in, 360 out" {
		t.Errorf("cost %q", cost)
	}
	p.Resume, p.told = true, nil
	if again, requests := p.evaluate(t, srv); requests != 0 || again != table {
		t.Errorf("%d requests, and another table:\n%s\n%s", requests, again, table)
	}
	if told := strings.Join(p.told, "\n"); strings.Contains(told, " calls") {
		t.Errorf("nothing was asked, and it said:\n%s", told)
	}
}

// countedByHand are rows of the table.
func countedByHand(lines []map[string]any) map[string]string {
	sure := func(l map[string]any, _ string, _ float64) bool { return l["label"] != "unsure" }
	labelled := func(is bool, label string, from float64) func(map[string]any, string, float64) bool {
		return func(l map[string]any, _ string, _ float64) bool {
			return l["label"] != "unsure" && (l["label"] == label) == is && 2*l["tick"].(float64)+2 >= from // ticks at 4, 6, 8, 10 s
		}
	}
	met := func(value string) func(map[string]any, string, float64) bool {
		return func(_ map[string]any, v string, p float64) bool { return v == value && p >= 0.8 }
	}
	said := func(value string, from float64) func(map[string]any, string, float64) bool {
		return func(l map[string]any, v string, _ float64) bool {
			return v == value && l["label"] != "unsure" && 2*l["tick"].(float64)+2 >= from
		}
	}
	unsure := func(_ map[string]any, _ string, p float64) bool { return p < 0.8 }
	refused, values := 0, map[string]map[string]bool{}
	answered := map[string]int{}
	for _, l := range lines {
		tick := fmt.Sprint(l["action"], l["tick"])
		value, ok := l["answers"].([]any)[0].(map[string]any)["value"].(string)
		if !ok {
			if l["label"] != "unsure" {
				refused++
			}
			continue
		}
		if values[tick] == nil {
			values[tick] = map[string]bool{}
		}
		values[tick][value] = true
		answered[tick]++
	}
	var pairs, differ []map[string]any
	for tick, n := range answered {
		if n > 1 {
			line := map[string]any{"action": tick[:2], "tick": tick[2:], "answers": []any{map[string]any{"value": "x", "p": 0.0}}}
			pairs = append(pairs, line)
			if len(values[tick]) > 1 {
				differ = append(differ, line)
			}
		}
	}
	isIn := func(list []map[string]any) func(map[string]any, string, float64) bool {
		return func(l map[string]any, _ string, _ float64) bool {
			return slices.ContainsFunc(list, func(x map[string]any) bool { return x["action"] == l["action"] && x["tick"] == l["tick"] })
		}
	}
	const finish, lost = "finish holding ≥ 0.8", "escalate failed ≥ 0.8 ×2 after 6 s"
	return map[string]string{
		"ticks (unsure), actions":        "12 (1), 3",
		"ticks left out":                 "0",
		"calls":                          "36",
		"no answer":                      fmt.Sprintf("%d (refused %d)", refused, refused),
		"right":                          byHand(lines, sure, func(l map[string]any, v string, _ float64) bool { return l["label"] == v }),
		finish + ": met on a right tick": byHand(lines, labelled(true, "holding", 0), met("holding")),
		finish + ": met on a wrong tick": byHand(lines, labelled(false, "holding", 0), met("holding")),
		finish + ": below its floor":     byHand(lines, said("holding", 0), unsure),
		lost + ": met on a right tick":   byHand(lines, labelled(true, "failed", 6), met("failed")),
		lost + ": met on a wrong tick":   byHand(lines, labelled(false, "failed", 6), met("failed")),
		lost + ": below its floor":       byHand(lines, said("failed", 6), unsure),
		"repeats disagree":               byHand(pairs, isIn(pairs), isIn(differ)),
		"latency p50 / p95 / most":       latencyByHand(lines),
	}
}

func latencyByHand(lines []map[string]any) string {
	var list []float64
	for _, l := range lines {
		list = append(list, l["latency_s"].(float64))
	}
	slices.Sort(list)
	at := func(share float64) float64 { return list[int(math.Ceil(share*float64(len(list))))-1] }
	if at(1) >= 1 {
		return "" // these servers answer at once
	}
	ms := func(s float64) string {
		if s < 0.01 {
			return fmt.Sprintf("%.1f", 1000*s)
		}
		return fmt.Sprintf("%.0f", 1000*s)
	}
	return fmt.Sprintf("%s / %s / %s ms (of %d)", ms(at(0.5)), ms(at(0.95)), ms(at(1)), len(list))
}

// confusionByHand are the answers of each label, and those that did not come.
func confusionByHand(lines []map[string]any) map[string][]string {
	values := []string{"approaching", "holding", "failed", ""}
	out := map[string][]string{}
	for _, label := range values[:3] {
		for _, value := range values {
			n := 0
			for _, l := range lines {
				v, _ := l["answers"].([]any)[0].(map[string]any)["value"].(string)
				if l["label"] == label && v == value {
					n++
				}
			}
			out[label] = append(out[label], fmt.Sprint(n))
		}
	}
	return out
}

// lineOf is the first line that begins with a name.
func lineOf(text, name string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), name+" ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// cellOf is what stands in a row of the table, in a column from 0.
func cellOf(table, row string, column int) string {
	var cells []string
	for c := range strings.SplitSeq(lineOf(table, row), "  ") {
		if c = strings.TrimSpace(c); c != "" {
			cells = append(cells, c)
		}
	}
	if len(cells) < column+2 {
		return ""
	}
	return cells[column+1]
}

// An interrupted measuring says where the answers are, and goes on.
func TestAnInterruptedMeasuringGoesOn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	answer, n := fickle(), 0
	srv := modeltest.Listen(t, modeltest.Decisions(), modeltest.Rules{}, modeltest.Step{Answer: func(r modeltest.Request) []modeltest.Answer {
		if n++; n == 6 {
			cancel()
		}
		return answer(r)
	}})
	p := newTaped(t, srv.URL)
	if err := Evaluate(ctx, p.Evaluation); err == nil || p.out.Len() > 0 {
		t.Fatalf("got %v, %s", err, p.out.String())
	}
	told := strings.Join(p.told, "\n")
	if !strings.Contains(told, "answers: "+filepath.Join(p.root, "evals", "answers", "pick_object_progress_")) || !strings.Contains(told, "--resume") {
		t.Errorf("told %s", told)
	}
	files, err := filepath.Glob(filepath.Join(p.root, "evals", "answers", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	kept := bytes.Count(data, []byte("\n"))
	if err != nil || kept < 5 || kept > 6 { // the sixth answer may have been faster
		t.Fatalf("%d answers are kept, want 5 or 6 (%v)", kept, err)
	}
	p.Resume = true
	if _, requests := p.evaluate(t, srv); requests != 12-kept {
		t.Errorf("%d requests to go on after %d answers", requests, kept)
	}
}

// What a server says of a key is in neither the answers nor the error.
func TestNoKeyIsKeptOrTold(t *testing.T) {
	srv := modeltest.Listen(t, modeltest.Decisions(), modeltest.Rules{},
		modeltest.Step{}, modeltest.Step{Status: 401, Body: `{"error":{"message":"incorrect key ` + modeltest.Key + `","type":"x","code":"x"}}`})
	p := newTaped(t, srv.URL)
	err := Evaluate(t.Context(), p.Evaluation)
	if err == nil || !strings.Contains(err.Error(), "5 calls in a row failed") || strings.Contains(err.Error(), modeltest.Key) {
		t.Errorf("got %v", err)
	}
	files, _ := filepath.Glob(filepath.Join(p.root, "evals", "answers", "*.jsonl"))
	if len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil || bytes.Count(data, []byte("incorrect key")) < 5 || bytes.Contains(data, []byte(modeltest.Key)) || strings.Contains(strings.Join(p.told, "\n"), modeltest.Key) {
		t.Errorf("%v: %s\n%s", err, data, p.told)
	}
}

// Two configurations on the same labels: columns are configuration × model, another wording is asked, and rules alone are
// counted anew without a call.
func TestConfigurationsSideBySide(t *testing.T) {
	srv := modeltest.Listen(t, modeltest.Decisions(), modeltest.Rules{}, modeltest.Step{Answer: fickle()})
	p := newTaped(t, srv.URL)
	worded, ruled := filepath.Join(p.root, "worded"), filepath.Join(p.root, "ruled")
	p.conf(t, worded, monitorBlock(srv.URL, `, instructions: "The fingers are orange."`), pickQuestions)
	p.conf(t, ruled, monitorBlock(srv.URL, ""), strings.Replace(pickQuestions, "value: holding, threshold: 0.8", "value: holding, threshold: 0.9", 1))
	p.Beside = []string{worded, ruled}
	p.Models = []string{"gpt-6-luna", "gpt-6.1-sol"}
	table, requests := p.evaluate(t, srv)
	if requests != 4*12 {
		t.Errorf("%d requests, want 12 for each model and wording, and none for other rules", requests)
	}
	for i, want := range []string{
		p.Conf + " openai_decisions:gpt-6-luna", p.Conf + " openai_decisions:gpt-6.1-sol", worded + " openai_decisions:gpt-6-luna",
		worded + " openai_decisions:gpt-6.1-sol", ruled + " openai_decisions:gpt-6-luna", ruled + " openai_decisions:gpt-6.1-sol",
	} {
		if got := cellOf(table, "progress", i); got != want {
			t.Errorf("column %d is %q, want %q", i, got, want)
		}
	}
	if a, b := cellOf(table, "right", 0), cellOf(table, "right", 4); a != b {
		t.Errorf("the same answers are right by %q and %q", a, b)
	}
	if got := cellOf(table, "finish holding ≥ 0.9: met on a right tick", 0); got != "no such rule" {
		t.Errorf("got %q", got)
	}
	told := 0
	for _, r := range srv.Requests() {
		if strings.Contains(string(r.Raw), "The fingers are orange.") {
			told++
		}
	}
	if told != 24 {
		t.Errorf("%d requests with the other wording, want 24", told)
	}
}

// What cannot be set side by side is one clear error that names the configuration, before anything is asked.
func TestWhatCannotBeSetSideBySide(t *testing.T) {
	srv := modeltest.Listen(t, modeltest.Decisions(), modeltest.Rules{}, modeltest.Step{})
	for name, c := range map[string]struct{ rest, old, now, want string }{
		"answers":  {"", "failed: nothing is between them", "lost: nothing is between them", "answered with choice approaching, failed, holding in the one and with choice approaching, holding, lost in the other"},
		"question": {"", "- name: progress", "- name: phase", "there is no such question"},
		"side":     {", image_max_side: 200", "", "", "was recorded with others"},
		"close_up": {", close_ups: {front_camera/image: [0, 0, 0.5, 0.5]}", "", "", "was recorded with others"},
		"camera":   {", close_ups: {right_wrist_camera/image: [0, 0, 0.5, 0.5]}", "", "", "no labelled tick has a picture of it"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTaped(t, srv.URL)
			other := filepath.Join(p.root, "other")
			block := monitorBlock(srv.URL, c.rest)
			if name == "side" {
				block = strings.Replace(monitorBlock(srv.URL, ""), "image_max_side: 160", "image_max_side: 200", 1)
			}
			questions := strings.Replace(pickQuestions, c.old, c.now, 1)
			if name == "answers" {
				questions = strings.Replace(questions, "value: failed", "value: lost", 1)
			}
			p.conf(t, other, block, questions)
			p.Beside = []string{other}
			err := Evaluate(t.Context(), p.Evaluation)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), other) {
				t.Errorf("got %v", err)
			}
			if (name == "answers" || name == "question") && !strings.Contains(err.Error(), p.Conf) {
				t.Errorf("it does not name both: %v", err)
			}
		})
	}
	if n := len(srv.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}
