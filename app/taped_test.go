package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rein-robotics/rein/model/modeltest"
	"github.com/rein-robotics/rein/vision"
)

// taped is a configuration with three recorded actions of four ticks a second apart, all labelled.
type taped struct {
	Evaluation
	root string
	out  bytes.Buffer
	told []string
}

// tapedLabels are the labels of the ticks, action by action.
var tapedLabels = [][]string{
	{"approaching", "approaching", "holding", "holding"},
	{"approaching", "failed", "unsure", "failed"},
	{"approaching", "approaching", "approaching", "holding"},
}

// monitorBlock is that of the configurations; rest are further keys.
func monitorBlock(url, rest string) string {
	return fmt.Sprintf("{provider: openai_decisions, model: gpt-6-luna, base_url: %s, image_max_side: 160, reference: false, api_key_env: TAPED_KEY%s}\n  prices: {gpt-6-luna: {input: 2, output: 10}}", url, rest)
}

func newTaped(t *testing.T, url string) *taped {
	t.Helper()
	t.Setenv("TAPED_KEY", modeltest.Key)
	root := t.TempDir()
	p := &taped{root: root}
	p.Conf, p.Record = filepath.Join(root, "conf"), filepath.Join(root, "recordings")
	p.conf(t, p.Conf, monitorBlock(url, ""), pickQuestions)
	p.Out, p.Say = &p.out, func(line string) { p.told = append(p.told, line) }
	p.Repeats, p.MostFalse = 1, 0.05
	p.record(t)
	return p
}

func (p *taped) conf(t *testing.T, dir, block, questions string) {
	t.Helper()
	if err := os.Rename(watched(t, block, questions), dir); err != nil {
		t.Fatal(err)
	}
}

// record writes the episode and its labels.
func (p *taped) record(t *testing.T) {
	t.Helper()
	const session = "0001_7f3a9c_taped"
	logs := filepath.Join(p.Record, "controller", session, "episodes", "000001", "logs")
	var events, labels bytes.Buffer
	seq := 0
	event := func(at float64, v map[string]any) {
		seq++
		v["t"], v["seq"], v["sim_s"] = time.Unix(1_800_000_000+int64(at), 0).UTC().Format("2006-01-02T15:04:05.000000Z"), seq, at
		writeJSON(t, &events, v)
	}
	for a, list := range tapedLabels {
		action, from := fmt.Sprintf("a%d", a+1), float64(100*a)
		event(from, map[string]any{"kind": "action_started", "action": action, "tool": "pick_object", "args": map[string]any{}, "step": "", "tracker_s": 0, "start_s": 0})
		for n, label := range list {
			var images []string
			for i := max(n, 1); i <= n+1; i++ {
				name := fmt.Sprintf("images/%sm%d_front_camera.image.jpg", action, i)
				images = append(images, name)
				writePicture(t, filepath.Join(logs, name), uint8(20*(4*a+i)))
			}
			event(from+float64(2*n+4), map[string]any{
				"kind": "monitor_answer", "action": action, "tick": n + 1, "answers": map[string]any{}, "age_s": 0, "latency_s": 0, "images": images,
				"readings": []any{}, "usage": map[string]any{},
			})
			writeJSON(t, &labels, map[string]any{
				"episode": session + "/000001", "action": action, "tick": n + 1, "tool": "pick_object", "question": "progress", "frames": images, "label": label,
			})
		}
	}
	writeFile(t, filepath.Join(logs, "events.jsonl"), events.Bytes())
	writeFile(t, filepath.Join(p.root, "evals", "pick_object_progress.jsonl"), labels.Bytes())
}

func writeJSON(t *testing.T, to *bytes.Buffer, v any) {
	t.Helper()
	if err := json.NewEncoder(to).Encode(v); err != nil {
		t.Fatal(err)
	}
}

func writePicture(t *testing.T, path string, brightness uint8) {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 160, 120))
	for i := range img.Pix {
		img.Pix[i] = brightness | 3
	}
	data, err := vision.Encode(img, vision.JPEG)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, data)
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
