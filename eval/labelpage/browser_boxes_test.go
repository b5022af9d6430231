package labelpage_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// A box is stored in pixels of the picture, whatever the picture's and the page's scale and the direction of the drag, and
// never reaches outside the picture. The words above it, which a drag changes, do not move it.
func dragIsABox(t *testing.T, x *tab) {
	d := newDesk(t, 1, true)
	x.open(d.serve(t, "127.0.0.1:0").url, 0)
	for name, c := range map[string]struct {
		width      int64
		dense      float64
		zoom       string
		from, to   point
		want       [4]float64
		leastScale float64 // of the picture, so that the case tries what it says
	}{
		"larger":        {1280, 1, "1", point{40, 30}, point{80, 90}, [4]float64{40, 30, 80, 90}, 3},
		"right to left": {1280, 1, "1", point{80, 90}, point{40, 30}, [4]float64{40, 30, 80, 90}, 3},
		"upwards":       {1280, 1, "1", point{40.5, 90}, point{80, 30.5}, [4]float64{40.5, 30.5, 80, 90}, 3},
		"dense screen":  {1100, 1.5, "1", point{12, 7}, point{149, 111}, [4]float64{12, 7, 149, 111}, 3},
		"page zoom":     {1280, 1, "1.25", point{41, 33}, point{60, 50}, [4]float64{41, 33, 60, 50}, 3},
		"zoomed out":    {1280, 2, "0.5", point{3, 100}, point{50, 119}, [4]float64{3, 100, 50, 119}, 1.5},
		"phone":         {360, 3, "1", point{20, 20}, point{150, 100}, [4]float64{20, 20, 150, 100}, 1.5},
		"over the edge": {1280, 1, "1", point{150, 110}, point{170, 125}, [4]float64{150, 110, 160, 120}, 3},
	} {
		x.do(chromedp.EmulateViewport(c.width, 800, chromedp.EmulateScale(c.dense)))
		x.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.documentElement.style.zoom = %q", c.zoom)))
		if scale := js[float64](x, "document.querySelector('img').getBoundingClientRect().width / 160"); scale < c.leastScale {
			t.Errorf("%s: the picture is shown at scale %.2f", name, scale)
		}
		x.do(chromedp.Evaluate[chromedp.Void]("document.querySelectorAll('figure')[1].querySelector('.out').click()"))
		x.state(1, "target out of view") // so that the box kept next is this one
		x.drag(1, c.from, c.to)
		x.state(1, "box kept")
		box, _ := boxIs(t, d, 0, 0)
		if err := near(box.Box, c.want); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// What is drawn is where the box is.
		drawn := js[[]float64](x, `(() => { const i = document.querySelector("img").getBoundingClientRect(), b = document.querySelectorAll("figure")[1].querySelector(".box").getBoundingClientRect();
			return [b.left - i.left, b.top - i.top, b.right - i.left, b.bottom - i.top].map((v) => v / i.width * 160) })()`)
		if err := near((*[4]float64)(drawn), c.want); err != nil {
			t.Errorf("%s: drawn: %v", name, err)
		}
	}
}

// A click is no box; a right click says out of view, and the page says so; a later box replaces it.
func clicksAndAnew(t *testing.T, x *tab) {
	d := newDesk(t, 1, true)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	x.state(1, "box wanted")
	sx, sy := x.on(1, point{50, 50})
	x.do(chromedp.MouseClickXY(sx, sy))
	x.do(chromedp.MouseClickXY(sx, sy, chromedp.ButtonRight))
	x.state(1, "target out of view")
	if got := lines(t, d, "pick_targets.jsonl"); len(got) != 1 { // sent in order: the click before has sent nothing
		t.Errorf("boxes: %q, want out of view alone", got)
	}
	if box, ok := boxIs(t, d, 0, 0); !ok || box.Box != nil {
		t.Errorf("box %+v, %v; want out of view", box, ok)
	}
	x.drag(1, point{40, 30}, point{80, 90})
	x.state(1, "box kept")
	x.drag(1, point{20, 30}, point{60, 70})
	x.until("document.querySelectorAll('figure')[1].querySelector('.box').offsetLeft < 100")
	x.state(1, "box kept")
	box, _ := boxIs(t, d, 0, 0)
	if err := near(box.Box, [4]float64{20, 30, 60, 70}); err != nil {
		t.Error(err)
	}
	x.do(chromedp.Evaluate[chromedp.Void]("window.old = true"), chromedp.Reload())
	x.until("!window.old")
	x.state(1, "box kept") // it is shown again
}

// A label goes nowhere as long as a box is missing, also over a reload, and the next tick comes with the last box. A box
// that is drawn anew later brings no other tick.
func boxesBringTheNext(t *testing.T, x *tab) {
	d := newDesk(t, 3, true)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	x.key("1")
	x.text("#said", "Labelled. A box is missing")
	x.drag(1, point{40, 30}, point{80, 90})
	x.at(1)
	x.state(0, "box kept") // the same picture, one tick later
	x.state(1, "box wanted")
	x.key("2")
	x.text("#said", "Labelled. A box is missing")
	x.do(chromedp.Evaluate[chromedp.Void]("window.old = true"), chromedp.Reload())
	x.until("!window.old")
	x.text("#said", "Labelled. A box is missing")
	if got := js[string](x, `document.querySelector("[aria-pressed=true]").dataset.key`); got != "2" {
		t.Errorf("%q is chosen, want 2", got)
	}
	x.shoot("boxes")
	sx, sy := x.on(1, point{50, 50})
	x.do(chromedp.MouseClickXY(sx, sy, chromedp.ButtonRight))
	x.at(2)
	x.key("b")
	x.at(1)
	x.state(1, "target out of view")
	x.drag(1, point{40, 30}, point{80, 90})
	x.state(1, "box kept")
	x.drag(1, point{41, 30}, point{80, 90})
	x.key("3") // still this tick
	x.at(2)
	x.drag(1, point{40, 30}, point{80, 90}) // boxes first
	x.state(1, "box kept")
	x.key("1")
	x.text("h1", "Every tick is labelled")
	if diff := cmp.Diff([]string{"approaching", "failed", "approaching"}, d.labels(t)); diff != "" {
		t.Error(diff)
	}
}

// Arrows move a box that begins in the middle, Shift sizes it, Escape drops it, Enter keeps it; a button says out of view.
func boxByKeyboard(t *testing.T, x *tab) {
	d := newDesk(t, 1, true)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	x.do(chromedp.Focus(chromedp.CSS(".frame")))
	x.key(kb.ArrowLeft)
	x.state(1, "Enter keeps this box")
	x.key(kb.Escape)
	x.state(1, "box wanted")
	for range 3 {
		x.key(kb.ArrowLeft) // the first brings the box, the others move it
	}
	x.key(kb.ArrowDown)
	x.key(kb.ArrowRight, chromedp.ModifierShift)
	x.key(kb.Enter)
	x.state(1, "box kept")
	box, _ := boxIs(t, d, 0, 0)
	if want := [4]float64{38, 31, 119, 91}; box.Box == nil || *box.Box != want {
		t.Errorf("box %v, want %v", box.Box, want)
	}
	x.do(chromedp.Focus(chromedp.CSS(".out")))
	x.key(kb.Enter)
	x.state(1, "target out of view")
}
