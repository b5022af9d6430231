package eval_test

import (
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/eval"
)

// A tick that cannot be shown as a robot would show it is left out before anything is asked, told and named in the report
// with its file and what to do; the others are measured. Where none is left, that is an error.
func TestTicksThatCannotBeShownAreLeftOut(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, b *bench, last string) // the newest picture of tick 3
		all   func(t *testing.T, b *bench)              // all pictures
		why   string
	}{
		"another_size": {
			func(t *testing.T, b *bench, last string) { b.tape.picture(t, "a1m3_front", image.Pt(200, 150), 80) },
			func(t *testing.T, b *bench) { b.Shower.Settings.MaxSide = 200 },
			"images/a1m3_front.image.jpg is 200 × 150, and the configuration's close_ups and image_max_side make 160 × 120 of front: it was recorded with others; measure it with those",
		},
		"lost": {
			func(t *testing.T, b *bench, last string) { remove(t, last) },
			func(t *testing.T, b *bench) { remove(t, filepath.Join(b.tape.logs, "images", "a1m1_front.image.jpg")) },
			"images/a1m3_front.image.jpg: no such file or directory; bring the recording back",
		},
		"torn_copy": {
			func(t *testing.T, b *bench, last string) {
				data := b.tape.read(t, "images/a1m3_front.image.jpg")
				b.tape.file(t, "images/a1m3_front.image.sent.jpg", data[:len(data)-2])
			},
			nil, "images/a1m3_front.image.sent.jpg has no end",
		},
		"a_copy_that_is_no_picture": {
			func(t *testing.T, b *bench, last string) {
				b.tape.file(t, "images/a1m3_front.image.sent.jpg", []byte("x"))
			},
			nil, "images/a1m3_front.image.sent.jpg is no picture",
		},
		"a_camera_that_was_not_recorded": {
			func(t *testing.T, b *bench, last string) {
				b.Shower.Cameras = []string{"front", "wrist"}
				for i := range 2 {
					name := fmt.Sprintf("a1m%d_wrist", i+1)
					b.Ticks[i].Pictures = append(b.Ticks[i].Pictures, eval.Picture{Name: b.tape.picture(t, name, image.Pt(160, 120), 80), Camera: "wrist", Current: true})
				}
			},
			func(t *testing.T, b *bench) { b.Shower.Cameras = []string{"head"} },
			"events.jsonl has no picture of wrist, which the configuration shows: it was recorded without it",
		},
		"a_mark_at_another_cut": {
			func(t *testing.T, b *bench, last string) {
				b.tape.picture(t, "a1m3_front", image.Pt(640, 480), 80)
				b.tape.file(t, "images/a1m3_front.image.sent.jpg", b.tape.read(t, "images/a1m1_front.image.jpg"))
			},
			nil, "where nobody knows the place of the mark: draw the target's box",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			c.spoil(t, b, filepath.Join(b.tape.logs, "images", "a1m3_front.image.jpg"))
			all, calls := b.must(t, eval.Anew)
			if calls != 4 || len(all) != 4 || len(b.leftOut()) != 1 || !strings.Contains(b.leftOut()[0], c.why) {
				t.Errorf("%d calls, told %q", calls, b.told)
			}
			left := b.LeftOut()
			if len(left) != 1 || "left out: "+left[0] != b.leftOut()[0] || !strings.HasPrefix(left[0], session+"/000001 a1 tick 3: ") || !strings.Contains(left[0], b.tape.logs) {
				t.Errorf("left out %q", left)
			}
			if c.all == nil {
				return
			}
			c.all(t, b)
			if _, err := b.run(t, t.Context(), eval.Anew); err == nil || !strings.Contains(err.Error(), "none of the 3 labelled ticks can be shown to a model; the first: "+session) || b.ask.calls != 4 {
				t.Errorf("%d calls, %v", b.ask.calls, err)
			}
		})
	}
}

// leftOut is what was told of ticks that are left out.
func (b *bench) leftOut() []string {
	return slices.DeleteFunc(slices.Clone(b.told), func(line string) bool { return !strings.HasPrefix(line, "left out: ") })
}

// A box that reaches outside its picture is told with its place in the file, and its tick left out.
func TestABoxOutsideItsPicture(t *testing.T) {
	for name, box := range map[string]string{"right": "[100,10,161,20]", "below": "[100,10,160,120.5]", "far": "[1000,1000,2000,2000]"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			dir := t.TempDir()
			line := `{"episode":"` + session + `/000001","frame":"images/a1m%d_front.image.jpg","box":%s}` + "\n"
			text := fmt.Sprintf(line, 2, "[0,0,160,120]") + fmt.Sprintf(line, 3, box)
			if err := os.WriteFile(filepath.Join(dir, "pick_targets.jsonl"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			b.Shower.Book = open(t, dir)
			b.must(t, eval.Anew)
			want := filepath.Join(dir, "pick_targets.jsonl") + ":2: the box reaches outside " + filepath.Join(b.tape.logs, "images", "a1m3_front.image.jpg") + ", which is 160 × 120; mend or delete the line"
			if left := b.LeftOut(); len(left) != 1 || !strings.Contains(left[0], "tick 3: ") || !strings.Contains(left[0], want) {
				t.Errorf("left out %+v, want %q", left, want)
			}
		})
	}
}

// With mark_target on, a tick with a picture that nobody marked is measured as it is, told once and counted in the report. A box,
// "out of view" or a copy that the robot sent marked takes it from the count.
func TestTicksWithoutTheirMarkAreCounted(t *testing.T) {
	box := func(b *bench, n int, corners *[4]float64) error {
		return b.Shower.Book.SetBox(eval.Box{Episode: session + "/000001", Frame: fmt.Sprintf("images/a1m%d_front.image.jpg", n), Box: corners})
	}
	for name, c := range map[string]struct {
		mark func(b *bench) error
		want int // of three ticks, which show pictures 1, 1 and 2, 2 and 3
	}{
		"nobody":             {func(*bench) error { return nil }, 3},
		"a_box":              {func(b *bench) error { return box(b, 1, &[4]float64{1, 2, 30, 40}) }, 2},
		"out_of_view":        {func(b *bench) error { return box(b, 1, nil) }, 2},
		"two_of_three":       {func(b *bench) error { return errors.Join(box(b, 1, nil), box(b, 2, nil)) }, 1},
		"all":                {func(b *bench) error { return errors.Join(box(b, 1, nil), box(b, 2, nil), box(b, 3, nil)) }, 0},
		"another_camera":     {func(b *bench) error { b.Shower.Tracked = "wrist"; return nil }, 0},
		"nothing_is_marked":  {func(b *bench) error { b.Shower.Settings.MarkTarget = false; return nil }, 0},
		"the_robot_sent_one": {func(b *bench) error { return copySent(b, 3) }, 2 + 1},
		"the_robot_sent_all": {func(b *bench) error { return errors.Join(copySent(b, 1), copySent(b, 2), copySent(b, 3)) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			if err := c.mark(b); err != nil {
				t.Fatal(err)
			}
			all, _ := b.must(t, eval.Anew)
			told := strings.Join(b.told, "\n")
			if b.Bare() != c.want || len(all) != 6 || strings.Contains(told, fmt.Sprintf("%d of 3 ticks have a picture without a mark", c.want)) != (c.want > 0) {
				t.Errorf("%d of %d, told %q; want %d", b.Bare(), len(all), told, c.want)
			}
		})
	}
}

// copySent makes picture n one that the robot sent with marks.
func copySent(b *bench, n int) error {
	name := filepath.Join(b.tape.logs, "images", fmt.Sprintf("a1m%d_front.image", n))
	data, err := os.ReadFile(name + ".jpg")
	if err == nil {
		err = os.WriteFile(name+".sent.jpg", data, 0o644)
	}
	return err
}
