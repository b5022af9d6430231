package eval_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/eval/measure"
)

func ticks(n int) []eval.Tick {
	var out []eval.Tick
	for i := range n {
		out = append(out, eval.Tick{Key: measure.Key{Episode: "s/000001", Action: "a1", Tick: i + 1}, Tool: "pick_object", Pictures: []eval.Picture{
			{Name: "images/a1m0_cam.image.jpg", Camera: "cam"}, {Name: "images/a1m1_cam.image.jpg", Camera: "cam", Current: true},
		}})
	}
	return out
}

func open(t *testing.T, dir string) *eval.Book {
	t.Helper()
	b, err := eval.OpenBook(dir, "pick", "pick_object", progress)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func press(t *testing.T, s *eval.Sheet, keys string) {
	t.Helper()
	for _, k := range keys {
		if _, err := s.Key(k); err != nil {
			t.Fatal(err)
		}
	}
}

// Labelling goes on at the first tick that misses a label; going back and labelling again replaces a label.
func TestResumesAtTheFirstTickMissingALabel(t *testing.T) {
	dir := t.TempDir()
	press(t, eval.NewSheet(ticks(3), open(t, dir)), "1sb2")
	b := open(t, dir)
	if s := eval.NewSheet(ticks(3), b); s.Place() != 2 {
		t.Errorf("stands at %d, want 2", s.Place())
	}
	for tick, want := range map[int]string{1: "approaching", 2: "holding"} {
		if l, _ := b.Label(measure.Key{Episode: "s/000001", Action: "a1", Tick: tick}); l.Label != want || len(l.Frames) != 2 {
			t.Errorf("tick %d: %+v, want %s", tick, l, want)
		}
	}
}

// Some editors put a mark of the byte order before a text; the lines stay the same.
func TestLabelsBehindAByteOrderMark(t *testing.T) {
	dir := t.TempDir()
	press(t, eval.NewSheet(ticks(2), open(t, dir)), "12")
	path := filepath.Join(dir, "pick.jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append([]byte("\xef\xbb\xbf"), data...), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := open(t, dir).Len(); got != 2 {
		t.Errorf("%d labels, want 2", got)
	}
}

// With boxes a tick has been done when each of its close-ups has one, or is said to be out of view.
func TestAsksForBoxesToo(t *testing.T) {
	b := open(t, t.TempDir())
	s := eval.NewSheet(ticks(1), b)
	s.Boxes = true
	if did, err := s.Key('1'); did != eval.Boxless || err != nil {
		t.Fatal(did, err)
	}
	for name, box := range map[string]*[4]float64{"images/a1m0_cam.image.jpg": nil, "images/a1m1_cam.image.jpg": {1, 2, 3, 4}} {
		if err := b.SetBox(eval.Box{Episode: "s/000001", Frame: name, Box: box}); err != nil {
			t.Fatal(err)
		}
	}
	if did, err := s.Key('1'); did != eval.Labelled || err != nil {
		t.Error(did, err)
	}
}

func TestBadLinesAreToldWithTheirPlace(t *testing.T) {
	good := `{"episode":"s/000001","action":"a1","tick":1,"tool":"pick_object","question":"progress","frames":[],"label":"holding"}`
	for _, bad := range []string{`{`, `{"episode":"s"}`, good + good, `{"colour":1}`, `[]`} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "pick.jsonl"), []byte(good+"\n\n"+bad+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := eval.OpenBook(dir, "pick", "pick_object", progress); err == nil || !strings.Contains(err.Error(), "pick.jsonl:3: ") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// Whatever a file of labels holds, reading it gives labels or an error with a place; and where it gives labels, one that is
// added then is read again, with those before.
func FuzzLabels(f *testing.F) {
	good := `{"episode":"s/000001","action":"a1","tick":1,"tool":"pick_object","question":"progress","frames":[],"label":"holding"}`
	for _, s := range []string{"", good, good + "\n", good + "\n" + good[:40], good + "\n{}\n", "\n \n", "12", " ", "\xff", good + good} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "pick.jsonl"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		b, err := eval.OpenBook(dir, "pick", "pick_object", progress)
		if err != nil {
			if !strings.Contains(err.Error(), "pick.jsonl:") {
				t.Errorf("no place in %v", err)
			}
			return
		}
		before := b.Len()
		k := measure.Key{Episode: "new", Action: "a1", Tick: 7}
		if err := b.SetLabel(eval.Label{Key: k, Tool: "pick_object", Question: "progress", Label: "failed"}); err != nil {
			t.Fatal(err)
		}
		b = open(t, dir)
		if l, ok := b.Label(k); !ok || l.Label != "failed" || b.Len() < before || len(b.Torn()) > 0 {
			t.Errorf("%d labels, then %d, torn %q", before, b.Len(), b.Torn())
		}
	})
}
