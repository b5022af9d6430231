package labelpage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
)

// block puts a folder where a file of labels belongs, which cannot be written; unblock takes it away.
func block(t *testing.T, d *desk, name string) (unblock func()) {
	t.Helper()
	path := filepath.Join(d.dir, name)
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func labelsUnwritable(t *testing.T, x *tab) {
	x.expected = []string{"500 (Internal Server Error)"}
	d := newDesk(t, 2, false)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	unblock := block(t, d, "pick.jsonl")
	x.key("2")
	x.text("#trouble", "Not kept yet.")
	x.text("#trouble", filepath.Join(d.dir, "pick.jsonl"))
	x.shoot("trouble")
	if tick := js[string](x, "document.body.dataset.tick"); tick != "0" {
		t.Errorf("it went on to tick %s", tick)
	}
	unblock()
	x.do(chromedp.Click(chromedp.CSS("#trouble button")))
	x.at(1)
	if diff := cmp.Diff([]string{"holding", ""}, d.labels(t)); diff != "" {
		t.Error(diff)
	}
}

// A box that was not kept stays drawn, nothing moves on without it, and it can be sent again.
func boxesUnwritable(t *testing.T, x *tab) {
	x.expected = []string{"500 (Internal Server Error)"}
	d := newDesk(t, 2, true)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	unblock := block(t, d, "pick_targets.jsonl")
	x.drag(1, point{40, 30}, point{80, 90})
	x.text("#trouble", "pick_targets.jsonl")
	x.state(1, "box not kept yet")
	if js[bool](x, "document.querySelectorAll('figure')[1].querySelector('.box').hidden") {
		t.Error("the box that was drawn is gone")
	}
	x.key("1")
	x.text("#said", "A box is not kept yet: try that again before 1.")
	x.key("b")
	x.text("#said", "try that again before b.")
	unblock()
	x.do(chromedp.Click(chromedp.CSS("#trouble button")))
	x.state(1, "box kept")
	x.until("document.querySelector('#trouble').hidden")
	x.key("1")
	x.at(1)
	box, _ := boxIs(t, d, 0, 0)
	if err := near(box.Box, [4]float64{40, 30, 80, 90}); err != nil {
		t.Error(err)
	}
}

// A key whose server has gone is told, and is sent again to the one that came in its place.
func serverGone(t *testing.T, x *tab) {
	x.expected = []string{"net::ERR_CONNECTION_REFUSED", "net::ERR_EMPTY_RESPONSE", "net::ERR_CONNECTION_RESET"}
	d := newDesk(t, 3, false)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	x.key("1")
	x.at(1)
	s.end()
	x.key("3")
	x.text("#trouble", "The server does not answer. Is rein monitor label still running?")
	d.serve(t, s.addr)
	x.do(chromedp.Click(chromedp.CSS("#trouble button")))
	x.at(2)
	if diff := cmp.Diff([]string{"approaching", "failed", ""}, d.labels(t)); diff != "" {
		t.Error(diff)
	}
}

func pictureGone(t *testing.T, x *tab) {
	d := newDesk(t, 2, true)
	if err := os.Remove(filepath.Join(d.ticks[0].Dir, "logs", filepath.FromSlash(d.ticks[0].Pictures[0].Name))); err != nil {
		t.Fatal(err)
	}
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	x.text("figure", "The picture cannot be read from the recordings.")
	x.key("s")
	x.text("#said", "Labelled. A box is missing")
	x.do(chromedp.Click(chromedp.CSS(".out")))
	x.at(1)
}

// Words of a configuration are words: they run nothing and make no elements.
func wordsAreWords(t *testing.T, x *tab) {
	d := newDesk(t, 1, false)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	x.text(".prompt", "<script>document.title = 'taken'</script>")
	x.text(".options", "<b>Firmly</b>")
	if title := js[string](x, "document.title"); title != "Label ticks" {
		t.Errorf("title %q", title)
	}
	if n := js[int](x, "document.querySelectorAll('.prompt *').length"); n != 0 {
		t.Errorf("%d elements in the prompt", n)
	}
}

// Whatever the page's policy forbids is told on the console, so that a test without messages has seen nothing forbidden.
func policySeen(t *testing.T, x *tab) {
	d := newDesk(t, 1, false)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	x.do(chromedp.Evaluate[chromedp.Void](`document.body.append(Object.assign(document.createElement("script"), { textContent: "document.title = 'taken'" }))`))
	if got := strings.Join(x.messages(), "\n"); !strings.Contains(got, "Content Security Policy") {
		t.Errorf("the console says %q, want a violation", got)
	}
	if title := js[string](x, "document.title"); title != "Label ticks" {
		t.Errorf("title %q", title)
	}
}
