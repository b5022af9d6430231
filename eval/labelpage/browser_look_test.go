package labelpage_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// On a phone nothing is wider than the screen, whatever the words: on a tick, with an error, and at the end.
func phoneWidth(t *testing.T, x *tab) {
	x.expected = []string{"500 (Internal Server Error)"}
	d := newDesk(t, 2, true)
	s := d.serve(t, "127.0.0.1:0")
	x.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulateScale(2)))
	x.open(s.url, 0)
	fits := func(where string) {
		t.Helper()
		if w := js[int](x, "Math.max(document.documentElement.scrollWidth, document.body.scrollWidth, innerWidth)"); w > 360 {
			t.Errorf("%s: the page is %d wide", where, w)
		}
	}
	fits("first tick")
	unblock := block(t, d, "pick.jsonl")
	x.do(chromedp.Tap(chromedp.CSS("[data-key='1']")))
	x.text("#trouble", "Not kept yet.")
	fits("error")
	unblock()
	x.do(chromedp.Tap(chromedp.CSS("#trouble button")))
	x.text("#said", "Labelled. A box is missing")
	x.do(chromedp.Tap(chromedp.CSS(".out")))
	x.at(1)
	fits("second tick")
	x.shoot("phone")
	x.do(chromedp.Tap(chromedp.CSS("[data-key='2']")))
	x.text("#said", "Labelled. A box is missing")
	x.do(chromedp.Tap(chromedp.CSS("figure:last-child .out")))
	x.text("h1", "Every tick is labelled")
	fits("end")
}

// Tab reaches all there is to do, in the order of the page, and where it stands is seen; Enter does it.
func keyboardAlone(t *testing.T, x *tab) {
	d := newDesk(t, 2, true)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	var got []string
	for range 8 {
		x.key(kb.Tab)
		got = append(got, js[string](x, `(() => { const e = document.activeElement, s = getComputedStyle(e);
			return (e.dataset.key ?? e.className) + (s.outlineStyle === "solid" && parseFloat(s.outlineWidth) >= 2 ? "" : " unseen") })()`))
	}
	if diff := cmp.Diff([]string{"out", "frame", "1", "2", "3", "s", "b", "q"}, got); diff != "" {
		t.Error(diff)
	}
	x.do(chromedp.Focus(chromedp.CSS("[data-key='2']")))
	x.key(kb.Enter)
	x.text("#said", "Labelled. A box is missing")
	x.do(chromedp.Focus(chromedp.CSS(".out")))
	x.key(" ")
	x.at(1)
	if diff := cmp.Diff([]string{"holding", ""}, d.labels(t)); diff != "" {
		t.Error(diff)
	}
}

// contrast is that of an element's words to what lies behind them, as WCAG counts it.
const contrast = `(selector) => {
	const rgb = (c) => c.match(/[\d.]+/g).map(Number);
	const light = (c) => rgb(c).slice(0, 3).map((v) => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
	return [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility()).map((e) => {
		let behind = e;
		while (behind && rgb(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
		const [a, b] = [light(getComputedStyle(e).color), light(getComputedStyle(behind).backgroundColor)];
		return (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
	});
}`

// In dark and in light every word stands out from what is behind it by 4.5 to 1 at least.
func darkAndLight(t *testing.T, x *tab) {
	x.expected = []string{"500 (Internal Server Error)"}
	d := newDesk(t, 2, true)
	s := d.serve(t, "127.0.0.1:0")
	x.open(s.url, 0)
	x.key("1")
	x.text("#said", "Labelled. A box is missing")
	block(t, d, "pick_targets.jsonl")
	x.drag(1, point{40, 30}, point{80, 90})
	x.text("#trouble", "Not kept yet.")
	grounds := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
		if _, err := chromedp.Call(x.ctx, emulation.SetEmulatedMedia, media); err != nil {
			t.Fatal(err)
		}
		for _, selector := range []string{"header p", ".soft", ".state", ".none", ".prompt", ".options b", "button", "kbd", "#said", "#trouble p", "#trouble button"} {
			got := js[[]float64](x, fmt.Sprintf("(%s)(%q)", contrast, selector))
			if len(got) == 0 || slices.Min(got) < 4.5 {
				t.Errorf("%s: %s has contrasts %.1f", scheme, selector, got)
			}
		}
		grounds[scheme] = js[string](x, "getComputedStyle(document.body).backgroundColor")
		x.shoot(scheme)
	}
	if grounds["light"] == grounds["dark"] {
		t.Errorf("dark is light: %s", strings.Join([]string{grounds["light"], grounds["dark"]}, ", "))
	}
}
