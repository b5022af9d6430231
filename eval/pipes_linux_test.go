package eval_test

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rein-robotics/rein/episode"
	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/monitor/frames"
)

// A pipe in the place of any file that is read is refused: nobody waits for what will never be written into it.
func TestPipesHoldNobodyUp(t *testing.T) {
	pipe := func(t *testing.T, path ...string) string {
		t.Helper()
		p := filepath.Join(path...)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(p) // it may be there
		if err := syscall.Mkfifo(p, 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	of := eval.Subject{Tool: "pick_object", Question: "progress", Model: "fake:model", Wording: "abc"}
	for name, read := range map[string]func(t *testing.T, dir string) error{
		"labels": func(t *testing.T, dir string) error {
			pipe(t, dir, "pick.jsonl")
			_, err := eval.OpenBook(dir, "pick", "pick_object", progress)
			return err
		},
		"boxes": func(t *testing.T, dir string) error {
			pipe(t, dir, "pick_targets.jsonl")
			_, err := eval.OpenBook(dir, "pick", "pick_object", progress)
			return err
		},
		"answers": func(t *testing.T, dir string) error {
			pipe(t, dir, "answers", strings.TrimSuffix(of.File(), ".json")+".jsonl")
			_, err := eval.OpenAnswers(dir, of, nil, eval.Resumed)
			return err
		},
		"card": func(t *testing.T, dir string) error {
			pipe(t, dir, "cards", of.File())
			_, err := eval.ReadCard(dir, of)
			return err
		},
		"log": func(t *testing.T, dir string) error {
			pipe(t, dir, "logs", "events.jsonl")
			for _, err := range episode.Read(dir) {
				return err
			}
			return nil
		},
		"episode": func(t *testing.T, dir string) error {
			pipe(t, dir, "episode.json")
			_, err := episode.ReadEpisode(dir)
			return err
		},
		"picture": func(t *testing.T, _ string) error {
			p := newTape(t)
			p.start()
			p.tick(1, p.picture(t, "a1m1_front", image.Pt(160, 120), 60))
			tick := &p.ticks(t)[0]
			pipe(t, p.logs, "images", "a1m1_front.image.jpg")
			_, err := shower(t, frames.Settings{History: 1, MaxSide: 160}).Show(tick)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := read(t, t.TempDir()); err == nil || !strings.Contains(err.Error(), "no regular file") {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("card_is_written", func(t *testing.T) {
		dir := t.TempDir()
		pipe(t, dir, "cards", of.File())
		if _, err := eval.WriteCard(dir, eval.Card{Subject: of, Ticks: 7}); err != nil {
			t.Fatal(err)
		}
		if c, err := eval.ReadCard(dir, of); err != nil || c.Ticks != 7 {
			t.Errorf("got %+v, %v", c, err)
		}
	})
}
