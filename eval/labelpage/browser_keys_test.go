package labelpage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/eval"
)

// The picture before and the picture now stand beside each other, as large as both fit, in their own shape, over the prompt.
func sideBySide(t *testing.T, x *tab) {
	d := newDesk(t, 3, false)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	if n := js[int](x, "document.querySelectorAll('img').length"); n != 1 {
		t.Errorf("%d pictures on the first tick, want the current one", n)
	}
	x.text("figure", "There is no previous picture on this tick.")
	x.key("1")
	x.at(1)
	type seen struct {
		Name             string
		R, G, B          int
		X, Y, W, H, Next float64
	}
	got := js[[]seen](x, `[...document.querySelectorAll("figure")].map((f) => {
		const i = f.querySelector("img"), c = document.createElement("canvas"), r = i.getBoundingClientRect();
		c.getContext("2d").drawImage(i, 0, 0);
		const [R, G, B] = c.getContext("2d").getImageData(5, 5, 1, 1).data;
		return { Name: f.querySelector("figcaption").textContent.trim(), R, G, B, X: r.x, Y: r.y, W: r.width, H: r.height,
			Next: document.querySelector(".prompt").getBoundingClientRect().y };
	})`)
	if len(got) != 2 || got[0].Name != "previous cam" || got[1].Name != "current cam" {
		t.Fatalf("figures %+v", got)
	}
	for i, g := range got {
		want := shade(i + 1)
		if far(g.R, want.R) || far(g.G, want.G) || far(g.B, want.B) {
			t.Errorf("%s is picture %+v, want %v", g.Name, g, want)
		}
		if ratio := g.W / g.H; ratio < 1.32 || ratio > 1.35 {
			t.Errorf("%s has the shape %.3f, want 4 to 3", g.Name, ratio)
		}
		if g.W < 500 || g.Y+g.H > g.Next {
			t.Errorf("%s is %.0f wide and ends at %.0f, the prompt begins at %.0f", g.Name, g.W, g.Y+g.H, g.Next)
		}
	}
	if got[0].X+got[0].W > got[1].X || got[0].Y != got[1].Y {
		t.Errorf("not side by side: %+v", got)
	}
	x.shoot("tick")
}

func far(a int, b uint8) bool { return a-int(b) > 6 || int(b)-a > 6 } // JPEG

func keysLabel(t *testing.T, x *tab) {
	d := newDesk(t, 3, false)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	for i, key := range []string{"2", "1", "3"} {
		x.key(key)
		x.at(i + 1)
	}
	if diff := cmp.Diff([]string{"holding", "approaching", "failed"}, d.labels(t)); diff != "" {
		t.Error(diff)
	}
}

// s says unsure; b goes back, where what was said is shown; another key there says it anew.
func backAndAnew(t *testing.T, x *tab) {
	d := newDesk(t, 3, false)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	x.key("s")
	x.at(1)
	x.key("2")
	x.at(2)
	pressed := func() string {
		return js[string](x, `[...document.querySelectorAll("[aria-pressed=true]")].map((b) => b.dataset.key).join()`)
	}
	if got := pressed(); got != "" {
		t.Errorf("%q is chosen on a tick without a label", got)
	}
	for _, c := range []struct {
		tick int
		want string
	}{{1, "2"}, {0, "s"}} {
		x.key("b")
		x.at(c.tick)
		if got := pressed(); got != c.want {
			t.Errorf("tick %d shows %q as chosen, want %q", c.tick, got, c.want)
		}
	}
	x.key("3")
	x.at(2) // the next one that misses something
	if diff := cmp.Diff([]string{"failed", "holding", ""}, d.labels(t)); diff != "" {
		t.Error(diff)
	}
}

// What goes with Ctrl, Alt or Meta belongs to the browser, a key that is held down repeats by itself, and a key without an
// option says so. What was sent is kept in order, so a label after it shows that none of it has labelled.
func keysThatMeanNothing(t *testing.T, x *tab) {
	d := newDesk(t, 2, false)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	for _, m := range []chromedp.Modifier{chromedp.ModifierCtrl, chromedp.ModifierMeta, chromedp.ModifierAlt} {
		x.key("1", m)
		x.key("s", m)
	}
	held := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "1", Text: "1", AutoRepeat: new(true)}
	if _, err := chromedp.Call(x.ctx, input.DispatchKeyEvent, held); err != nil {
		t.Fatal(err)
	}
	x.key("x")
	x.key("7")
	x.text("#said", "7 is no key here.")
	x.key("2")
	x.at(1)
	if got := lines(t, d, "pick.jsonl"); len(got) != 1 || !strings.Contains(got[0], `"label":"holding"`) {
		t.Errorf("labels: %q, want holding alone", got)
	}
}

// A second key that was pressed before the next tick came was not meant for it.
func twoQuickKeys(t *testing.T, x *tab) {
	d := newDesk(t, 3, false)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	x.do(chromedp.Evaluate[chromedp.Void](`for (const key of ["1", "2"]) document.dispatchEvent(new KeyboardEvent("keydown", { key }))`))
	x.at(1)
	x.key("3")
	x.at(2)
	if diff := cmp.Diff([]string{"approaching", "failed", ""}, d.labels(t)); diff != "" {
		t.Error(diff)
	}
}

func quitEnds(t *testing.T, x *tab) {
	d := newDesk(t, 2, false)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	x.key("1")
	x.at(1)
	x.key("q")
	x.text("main", "You have quit")
	select {
	case err := <-s.ended:
		if err != nil {
			t.Error(err)
		}
	case <-x.ctx.Done():
		t.Error("the server goes on")
	}
	if diff := cmp.Diff([]string{"approaching", ""}, d.labels(t)); diff != "" {
		t.Error(diff)
	}
}

// Another server over the same files, and the page loaded anew, stand at the first tick that misses something.
func reloadResumes(t *testing.T, x *tab) {
	d := newDesk(t, 4, false)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	x.key("1")
	x.at(1)
	x.key("1")
	x.at(2)
	x.do(chromedp.Evaluate[chromedp.Void]("window.old = true"), chromedp.Reload())
	x.until("!window.old && document.body.dataset.tick === '2'")
	s.end()
	again := d.serve(t, s.addr)
	x.open(again.url, 2)
	x.text("header", "tick 3 of 4 · 2 labelled")
}

func allDone(t *testing.T, x *tab) {
	d := newDesk(t, 1, false)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	x.key("1")
	x.text("h1", "Every tick is labelled")
	x.shoot("done")
	x.key("2") // no tick, no label
	x.text("#said", "2 is no key here.")
	x.key("b")
	x.at(0)
	if diff := cmp.Diff([]string{"approaching"}, d.labels(t)); diff != "" {
		t.Error(diff)
	}
}

// lines are those of a file of the desk.
func lines(t *testing.T, d *desk, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' })
}

// boxIs looks up the box of a picture in the files.
func boxIs(t *testing.T, d *desk, tick, picture int) (eval.Box, bool) {
	t.Helper()
	return d.book(t).Box(d.ticks[tick].Episode, d.ticks[tick].Pictures[picture].Name)
}

func near(box *[4]float64, want [4]float64) error {
	if box == nil {
		return fmt.Errorf("out of view, want %v", want)
	}
	for i := range box {
		if d := box[i] - want[i]; d > 1 || d < -1 {
			return fmt.Errorf("box %v, want %v within a pixel", *box, want)
		}
	}
	return nil
}
