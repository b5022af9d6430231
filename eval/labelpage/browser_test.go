package labelpage_test

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// limits of the tests in the browser. They are long: a loaded machine is slow, not wrong.
const (
	launchLimit = time.Minute
	testLimit   = time.Minute
)

// TestInTheBrowser tries the page where it is used. One browser serves all of it, and one tab, for a new one costs more than
// what is tried in it; each part begins with a page of its own.
func TestInTheBrowser(t *testing.T) {
	browser := launch(t)
	for _, c := range []struct {
		name string
		test func(*testing.T, *tab)
	}{
		{"both_pictures_side_by_side_over_the_prompt", sideBySide},
		{"keys_label_and_the_next_tick_comes", keysLabel},
		{"unsure_back_and_a_label_anew", backAndAnew},
		{"keys_that_mean_something_else_do_nothing", keysThatMeanNothing},
		{"two_quick_keys_label_one_tick", twoQuickKeys},
		{"q_ends_the_server", quitEnds},
		{"a_reload_resumes_where_something_is_missing", reloadResumes},
		{"all_done", allDone},
		{"a_drag_is_a_box_in_pixels_of_the_picture", dragIsABox},
		{"a_click_a_right_click_a_box_anew", clicksAndAnew},
		{"a_label_without_boxes_asks_for_them", boxesBringTheNext},
		{"a_box_by_keyboard", boxByKeyboard},
		{"a_label_file_that_cannot_be_written", labelsUnwritable},
		{"a_box_that_cannot_be_written", boxesUnwritable},
		{"a_server_that_has_gone_and_comes_back", serverGone},
		{"words_are_words", wordsAreWords},
		{"a_phone's_width", phoneWidth},
		{"by_keyboard_alone", keyboardAlone},
		{"readable_in_dark_and_light", darkAndLight},
		{"what_the_policy_forbids_is_seen_by_these_tests", policySeen},
		{"a_picture_that_cannot_be_read_is_said_and_passed", pictureGone},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := browser.tab(t)
			defer x.quiet() // while the server still serves
			c.test(t, x)
		})
	}
}

// findBrowser gives the browser to test with, by the names that it has.
func findBrowser() (string, bool) {
	if path := os.Getenv("REIN_BROWSER"); path != "" {
		return path, true
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, true
		}
	}
	return "", false
}

type browser struct{ ctx context.Context } // of its tab

// launch starts the browser, which ends with the test.
func launch(t *testing.T) browser {
	t.Helper()
	path, ok := findBrowser()
	if !ok {
		const what = "there is no Chromium to try the page in: apt-get install chromium, or name one in REIN_BROWSER"
		if os.Getenv("REIN_BROWSER_TESTS") == "required" {
			t.Fatal(what)
		}
		t.Skip(what)
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.WindowSize(1280, 800),
		chromedp.Flag("disable-features", "Translate,BackForwardCache,SpareRendererForSitePerProcess")) // no process for pages that nobody opens
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses its sandbox to root
	}
	ctx, end := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(end)
	late := time.AfterFunc(launchLimit, end) // the context of the first call is that of the browser: no deadline may be on it
	ctx, closed := chromedp.NewContext(ctx)
	t.Cleanup(closed)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("starting %s: %v", path, err)
	}
	late.Stop()
	return browser{ctx}
}

// tab is a tab with all that its console says.
type tab struct {
	t        *testing.T
	ctx      context.Context // with the test's deadline
	life     context.Context // of the tab
	console  iter.Seq2[chromedp.ConsoleMessage, error]
	expected []string // parts of messages that belong to the test
}

// tab gives the browser's tab to one test, with nothing of the test before but its page.
func (b browser) tab(t *testing.T) *tab {
	t.Helper()
	x := &tab{t: t, life: b.ctx, console: chromedp.Console(b.ctx)}
	var end context.CancelFunc
	x.ctx, end = context.WithTimeout(x.life, testLimit)
	t.Cleanup(end)
	x.do(chromedp.EmulateViewport(1280, 800))
	if _, err := chromedp.Call(x.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{}); err != nil {
		t.Fatal(err)
	}
	return x
}

// quiet fails for every message of the console that was not expected, up to here.
func (x *tab) quiet() {
	var end context.CancelFunc
	x.ctx, end = context.WithTimeout(x.life, testLimit) // what is told of a test that was too slow, too
	defer end()
	if x.t.Failed() {
		x.shoot("failed")
	}
	for _, m := range x.messages() {
		if !slices.ContainsFunc(x.expected, func(part string) bool { return strings.Contains(m, part) }) {
			x.t.Errorf("the console says: %s", m)
		}
	}
}

func (x *tab) messages() []string {
	const end = "the end of this test"
	x.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("console.log(%q)", end)))
	var out []string
	for m, err := range x.console {
		if err != nil {
			x.t.Fatalf("the console: %v", err)
		}
		if m.Text == end {
			break
		}
		out = append(out, fmt.Sprintf("%s %s %s %s", m.Source, m.Type, m.Text, m.URL))
	}
	return out
}

func (x *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	x.t.Helper()
	if err := chromedp.Do(x.ctx, steps...); err != nil {
		x.t.Fatal(err)
	}
}

// js is the value of an expression in the page.
func js[T any](x *tab, expression string) T {
	x.t.Helper()
	v, err := chromedp.Run(x.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		x.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for a condition on the page, also across its being loaded anew.
func (x *tab) until(condition string) {
	x.t.Helper()
	for {
		_, err := chromedp.Run(x.ctx, chromedp.Poll[bool](fmt.Sprintf("Boolean(document.readyState === 'complete' && (%s))", condition)))
		if err == nil {
			return
		}
		if x.ctx.Err() != nil { // else another document took the place of this one
			x.t.Fatalf("never came: %s", condition)
		}
	}
}

// open opens the page and waits until it stands at a tick.
func (x *tab) open(url string, tick int) {
	x.t.Helper()
	x.do(chromedp.Navigate(url))
	x.at(tick)
}

// at waits until the page shows a tick.
func (x *tab) at(tick int) {
	x.t.Helper()
	x.until(fmt.Sprintf("document.body.dataset.tick === '%d'", tick))
}

// key presses a key as a keyboard does.
func (x *tab) key(key string, modifiers ...chromedp.Modifier) {
	x.t.Helper()
	x.do(chromedp.KeyEvent(key, chromedp.KeyModifiers(modifiers...)))
}

// text waits for words at a place.
func (x *tab) text(selector, words string) {
	x.t.Helper()
	x.until(fmt.Sprintf("[...document.querySelectorAll(%q)].some(e => e.checkVisibility() && e.textContent.includes(%q))", selector, words))
}

// point is a place of the picture in pixels of the picture.
type point struct{ x, y float64 }

// on is where a place of figure n (0 previous, 1 current) is on the screen.
func (x *tab) on(n int, p point) (sx, sy float64) {
	x.t.Helper()
	r := js[[]float64](x, fmt.Sprintf(`(() => { const i = document.querySelectorAll("figure")[%d].querySelector("img"); i.scrollIntoView({block: "center"});
		const r = i.getBoundingClientRect(); return [r.left, r.top, r.width / i.naturalWidth, r.height / i.naturalHeight] })()`, n))
	return r[0] + p.x*r[2], r[1] + p.y*r[3]
}

// drag draws from one place to another with the left button held.
func (x *tab) drag(n int, from, to point) {
	x.t.Helper()
	ax, ay := x.on(n, from)
	bx, by := x.on(n, to)
	held := func(p *input.DispatchMouseEventParams) {
		p.Button, p.Buttons, p.ClickCount = input.MouseButtonLeft, 1, 1
	}
	x.do(
		chromedp.MouseEvent(chromedp.MouseMoved, ax, ay),
		chromedp.MouseEvent(chromedp.MousePressed, ax, ay, held),
		chromedp.MouseEvent(chromedp.MouseMoved, (ax+bx)/2, (ay+by)/3, held),
		chromedp.MouseEvent(chromedp.MouseMoved, bx, by, held),
		chromedp.MouseEvent(chromedp.MouseReleased, bx, by, held),
	)
}

// state waits for the words under figure n.
func (x *tab) state(n int, words string) {
	x.t.Helper()
	x.until(fmt.Sprintf("document.querySelectorAll('figure')[%d].querySelector('.state').textContent === %q", n, words))
}

// shoot keeps a picture of the page in the test's folder of artefacts: with -artifacts, or when the test has failed.
func (x *tab) shoot(name string) {
	x.t.Helper()
	if f := flag.Lookup("test.artifacts"); !x.t.Failed() && (f == nil || f.Value.String() != "true") {
		return
	}
	data, err := chromedp.Run(x.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		x.t.Logf("no picture of the page: %v", err)
		return
	}
	path := filepath.Join(x.t.ArtifactDir(), name+".png")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		x.t.Error(err)
	}
}
