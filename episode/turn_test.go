package episode_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/model"
)

func user(blocks ...model.Block) model.Message {
	return model.Message{Role: model.RoleUser, Blocks: blocks}
}

func text(s string) model.Block {
	return model.Block{Text: &model.TextBlock{Text: s, Data: json.RawMessage(`{"n":1}`)}}
}

func picture(id, data string) model.Block {
	return model.Block{Image: &model.ImageBlock{ID: id, Media: "image/jpeg", Data: []byte(data)}}
}

func answer(id string, images ...model.ImageBlock) model.Block {
	return model.Block{Result: &model.ResultBlock{CallID: id, JSON: json.RawMessage(`{"status":"running"}`), Images: images}}
}

func called(id string) model.Message {
	return model.Message{Role: model.RoleAssistant, Blocks: []model.Block{{Call: &model.CallBlock{ID: id, Name: "observe", Args: json.RawMessage(`{}`)}}}}
}

func saveTurn(t *testing.T, l *episode.Log, turn episode.Turn) string {
	t.Helper()
	name, err := l.SaveTurn(turn)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func wantTurn(t *testing.T, dir, name string, want episode.Turn) {
	t.Helper()
	got, err := episode.ReadTurn(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%s: got (-) want (+):\n%s", name, diff)
	}
}

// A whole request is rebuilt from the turns: over rounds, a new segment, other threads and another episode.
func TestTurnsRebuildRequests(t *testing.T) {
	l := open(t, episode.Options{})
	begin(t, l, "x")
	first := l.EpisodeDir()
	tools := []model.ToolSpec{{Name: "observe", Description: "looks", Parameters: json.RawMessage(`{"type":"object"}`)}}
	reply := []model.Part{
		model.Text{Text: "I look"}, model.Call{ID: "c1", Name: "observe", Args: json.RawMessage(`{"a":`)}, model.Call{Name: "observe", Args: json.RawMessage(`{}`)},
		model.Rationale{Text: "why"}, model.Withdrawn{Why: "dead"}, model.Opaque{Provider: "p", Raw: json.RawMessage(`{"s":"x"}`)}, model.Usage{Input: 5}, model.End{Reason: model.StopToolUse},
	}
	one := episode.Turn{Request: model.Request{System: "be good", Tools: tools, Messages: []model.Message{user(text("task"), picture("o1.cam", "jpeg 1"))}}, Response: reply}
	two := one
	two.Request.Messages = append(one.Request.Messages[:1:1], called("k1"), user(answer("k1", model.ImageBlock{ID: "o2.cam", Media: "image/png", Data: []byte("png 2")})))
	two.Response, two.Err = []model.Part{model.Text{Text: "cut"}}, "the stream ended"
	sub := episode.Turn{Thread: "job1", Request: model.Request{System: "be small", Messages: []model.Message{user(text("part"))}}}
	segment := episode.Turn{Request: model.Request{System: "be good", Tools: tools, Messages: []model.Message{user(text("summary"), picture("o2.cam", "png 2 otherwise"))}}}
	next := segment
	next.Request.Messages = append(segment.Request.Messages[:1:1], called("k2"), user(answer("k2")))

	wantTurn(t, first, saveTurn(t, l, one), one)
	subName := saveTurn(t, l, sub)
	twoName := saveTurn(t, l, two)
	wantTurn(t, first, twoName, two)
	wantTurn(t, first, subName, sub)
	wantTurn(t, first, saveTurn(t, l, segment), segment)
	begin(t, l, "y")
	nextName := saveTurn(t, l, next)
	if want := "turns/0001.json"; nextName != want {
		t.Errorf("first turn of an episode: got %s, want %s", nextName, want)
	}
	wantTurn(t, l.EpisodeDir(), nextName, next)

	var file struct {
		Previous string            `json:"previous"`
		Kept     int               `json:"kept"`
		Messages []json.RawMessage `json:"messages"`
	}
	data, err := os.ReadFile(filepath.Join(l.EpisodeDir(), "logs", nextName))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(file.Previous, "/000001/turns/0004.json") || file.Kept != 1 || len(file.Messages) != 2 {
		t.Errorf("got previous %q, kept %d, %d messages; want the last turn of episode 1, 1 and 2", file.Previous, file.Kept, len(file.Messages))
	}
	for _, dir := range []string{first, l.EpisodeDir()} {
		if r, err := episode.Verify(dir); err != nil || !r.OK() {
			t.Errorf("got %v %v", r, err)
		}
	}
}

func TestSentImageIsTheCaptureWhenEqual(t *testing.T) {
	l := open(t, episode.Options{})
	begin(t, l, "x")
	req := model.Request{Messages: []model.Message{user(picture("o1.cam", "a")), user(picture("o1.cam", "b")), user(picture("o1.cam", "a"))}}
	saveTurn(t, l, episode.Turn{Request: req})
	got, err := filepath.Glob(filepath.Join(l.EpisodeDir(), "logs", "images", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, g := range got {
		names = append(names, filepath.Base(g))
	}
	if want := "o1_cam.image.sent.2.jpg o1_cam.image.sent.jpg"; strings.Join(names, " ") != want {
		t.Errorf("got %q, want %q", strings.Join(names, " "), want)
	}
}

func TestKeysNeverReachTheLog(t *testing.T) {
	const key, quoted = "my-secret-key-123", `odd"key<1>`
	l := open(t, episode.Options{Redact: episode.NewRedactor(key, quoted, "x")})
	begin(t, l, "x")
	said := "use " + key + " or " + quoted + " or sk-abcdefghijklmnop1234 or Bearer abcdefghijklmnopqrst; xylophone"
	name := saveTurn(t, l, episode.Turn{Request: model.Request{System: said, Messages: []model.Message{user(text(said))}}, Response: []model.Part{model.Text{Text: said}}})
	if err := l.Append(episode.UserMessage{Text: said}); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{name, "events.jsonl"} {
		data, err := os.ReadFile(filepath.Join(l.EpisodeDir(), "logs", f))
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{key, `odd\"key`, "sk-abc", "Bearer abc"} {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s holds %q", f, secret)
			}
		}
		if !bytes.Contains(data, []byte("xylophone")) {
			t.Errorf("%s lost more than keys", f)
		}
		if f == name && !json.Valid(data) {
			t.Errorf("%s is no JSON", f)
		}
	}
	if _, err := episode.ReadTurn(l.EpisodeDir(), name); !errors.Is(err, episode.ErrHash) {
		t.Errorf("a request without its key: got %v, want that the hash differs", err)
	}
}

func TestReadTurnRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "logs", "turns"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"turns/0001.json": `{"previous":"turns/0002.json","messages":[]}`, "turns/0002.json": `{"previous":"turns/0001.json"}`,
		"turns/0003.json": `{"previous":"../../x","messages":[]}`, "turns/0004.json": `{"system":"","tools":null,"kept":5}`,
		"turns/0005.json": `{"system":"","tools":[],"messages":[{"role":"user","blocks":[{"image":{"id":"x","file":"../../../etc/passwd"}}]}]}`,
		"turns/0006.json": `no`, "turns/0007.json": `{"system":"","tools":[],"response":[{"type":"dream"}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, "logs", name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{
		"turns/0001.json", "turns/0003.json", "turns/0004.json", "turns/0005.json", "turns/0006.json", "turns/0007.json", "turns/0008.json", "../x",
	} {
		if _, err := episode.ReadTurn(dir, name); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}
