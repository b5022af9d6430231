package labelpage_test

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/eval/labelpage"
)

const host = "127.0.0.1:7334"

// page is a page of two ticks that asks for boxes, with a picture in the recordings that is not theirs.
func page(t testing.TB) (*labelpage.Page, *desk) {
	t.Helper()
	d := newDesk(t, 2, true)
	images := filepath.Join(d.ticks[0].Dir, "logs", "images")
	if err := os.WriteFile(filepath.Join(d.dir, "secret.png"), []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	second := filepath.Join(images, "a1m2_cam.image.jpg")
	if err := os.Remove(second); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(d.dir, "secret.png"), second); err != nil {
		t.Fatal(err)
	}
	p, err := labelpage.New(host, d.sheet(t))
	if err != nil {
		t.Fatal(err)
	}
	return p, d
}

func do(p *labelpage.Page, method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://"+host+path, strings.NewReader(body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

func TestKeysOnThePage(t *testing.T) {
	p, d := page(t)
	w := do(p, "GET", "/monitor/label", "")
	if w.Code != 200 || !strings.Contains(w.Body.String(), "Which phase is it?\n&lt;script&gt;") || !strings.Contains(w.Body.String(), "/monitor/label/picture/0/0") {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if w := do(p, "GET", "/monitor/label/picture/0/0", ""); w.Code != 200 || w.Header().Get("Content-Type") != "image/png" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	for _, c := range []struct{ path, body, did string }{
		{"key", `{"key":"1","tick":0}`, `{"did":"boxless"}`},
		{"key", `{"key":"77","tick":0}`, `{"did":""}`},
		{"key", `{"key":"","tick":0}`, `{"did":""}`},
		{"box", `{"tick":0,"picture":0,"box":[1,2,3.5,4]}`, `{"did":"labelled"}`},
		{"key", `{"key":"b","tick":1}`, `{"did":"back"}`},
		{"box", `{"tick":0,"picture":0,"box":null}`, `{"did":"boxed"}`},
		{"key", `{"key":"q","tick":0}`, `{"did":"quit"}`},
	} {
		if w := do(p, "POST", "/monitor/label/"+c.path, c.body); w.Code != 200 || strings.TrimSpace(w.Body.String()) != c.did {
			t.Errorf("%s: %d %s, want %s", c.body, w.Code, w.Body, c.did)
		}
	}
	select {
	case <-p.Quit():
	default:
		t.Error("q does not quit")
	}
	if got := d.labels(t); got[0] != "approaching" || got[1] != "" {
		t.Errorf("labels %q", got)
	}
	if box, ok := boxIs(t, d, 0, 0); !ok || box.Box != nil {
		t.Errorf("box %+v, want out of view", box)
	}
}

// The labeller sees which thing the target is: the picture from when the action started, as it was sent with the planner's
// point. No box is asked for in it.
func TestThePageShowsThePlannersPoint(t *testing.T) {
	p, d := page(t)
	tick := &d.ticks[0]
	if w := do(p, "GET", "/monitor/label", ""); strings.Contains(w.Body.String(), "planner&#39;s point") || strings.Contains(w.Body.String(), "planner's point") {
		t.Error("a point is told of that was not recorded")
	}
	tick.Pictures = append(tick.Pictures, eval.Picture{Name: "images/a1r_cam.image.jpg", Camera: "cam", Reference: true})
	var copied bytes.Buffer
	if err := jpeg.Encode(&copied, scene(3), nil); err != nil {
		t.Fatal(err)
	}
	sent := copied.Bytes()
	if err := os.WriteFile(filepath.Join(tick.Dir, "logs", "images", "a1r_cam.image.sent.jpg"), sent, 0o644); err != nil {
		t.Fatal(err)
	}
	at := fmt.Sprintf("/monitor/label/picture/0/%d", len(tick.Pictures)-1)
	if w := do(p, "GET", at, ""); w.Code != 200 || w.Body.String() != string(sent) {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	if w := do(p, "GET", "/monitor/label", ""); !strings.Contains(w.Body.String(), `<img src="`+at+`" width="160" height="120" alt="the target when the action started`) {
		t.Errorf("the page does not show it: %s", w.Body)
	}
	body := fmt.Sprintf(`{"tick":0,"picture":%d,"box":[1,2,3,4]}`, len(tick.Pictures)-1)
	if w := do(p, "POST", "/monitor/label/box", body); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "no box is asked for in this picture") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// What is not what a call takes is refused with the reason, and changes nothing.
func TestBodiesAreChecked(t *testing.T) {
	p, d := page(t)
	for name, c := range map[string]struct {
		path, body string
		code       int
	}{
		"stale key":          {"key", `{"key":"1","tick":1}`, http.StatusConflict},
		"stale box":          {"box", `{"tick":1,"picture":0,"box":null}`, http.StatusConflict},
		"no such picture":    {"box", `{"tick":0,"picture":1,"box":null}`, http.StatusConflict},
		"no tick":            {"key", `{"key":"1"}`, http.StatusBadRequest},
		"no box":             {"box", `{"tick":0,"picture":0}`, http.StatusBadRequest},
		"no picture":         {"box", `{"tick":0,"box":null}`, http.StatusBadRequest},
		"three corners":      {"box", `{"tick":0,"picture":0,"box":[1,2,3]}`, http.StatusBadRequest},
		"five":               {"box", `{"tick":0,"picture":0,"box":[1,2,3,4,5]}`, http.StatusBadRequest},
		"inside out":         {"box", `{"tick":0,"picture":0,"box":[3,2,1,4]}`, http.StatusBadRequest},
		"empty":              {"box", `{"tick":0,"picture":0,"box":[3,2,3,4]}`, http.StatusBadRequest},
		"below zero":         {"box", `{"tick":0,"picture":0,"box":[-1,2,3,4]}`, http.StatusBadRequest},
		"too wide":           {"box", `{"tick":0,"picture":0,"box":[1,2,161,4]}`, http.StatusBadRequest},
		"too high":           {"box", `{"tick":0,"picture":0,"box":[1,2,3,120.5]}`, http.StatusBadRequest},
		"no numbers":         {"box", `{"tick":0,"picture":0,"box":{"x":1}}`, http.StatusBadRequest},
		"more than one":      {"key", `{"key":"1","tick":0}{"key":"2","tick":0}`, http.StatusBadRequest},
		"a field too many":   {"key", `{"key":"1","tick":0,"label":"x"}`, http.StatusBadRequest},
		"not JSON":           {"key", `key=1`, http.StatusBadRequest},
		"too long":           {"key", `{"key":"` + strings.Repeat("1", 9000) + `","tick":0}`, http.StatusBadRequest},
		"spaces without end": {"key", `{"key":"1","tick":0}` + strings.Repeat(" ", 9000), http.StatusBadRequest},
	} {
		if w := do(p, "POST", "/monitor/label/"+c.path, c.body); w.Code != c.code || !strings.Contains(w.Body.String(), `"message":"`) {
			t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, c.code)
		}
	}
	if files, err := filepath.Glob(filepath.Join(d.dir, "*.jsonl")); err != nil || len(files) > 0 {
		t.Errorf("written: %v, %v", files, err)
	}
}

// route is a call of the page that succeeds.
type route struct{ method, path, body string }

func routes() []route {
	return []route{
		{"GET", "/monitor/label", ""},
		{"GET", "/monitor/label/page.js", ""},
		{"GET", "/monitor/label/page.css", ""},
		{"GET", "/monitor/label/picture/0/0", ""},
		{"POST", "/monitor/label/box", `{"tick":0,"picture":0,"box":[1,2,3,4]}`},
		{"POST", "/monitor/label/key", `{"key":"1","tick":0}`},
	}
}

// Another name, another origin and what a form can send are refused by every route, with nothing written and nothing of
// the page in the answer; the same calls from the page itself succeed.
func TestEveryRouteRefusesOthers(t *testing.T) {
	wrong := []struct {
		name, header, value string
		code                int
		posts               bool // only what writes
	}{
		{"another name", "Host", "evil.example:7334", http.StatusForbidden, false},
		{"another port", "Host", "127.0.0.1:7335", http.StatusForbidden, false},
		{"a name without a port", "Host", "localhost", http.StatusForbidden, false},
		{"no name", "Host", "", http.StatusForbidden, false},
		{"another origin", "Origin", "http://evil.example", http.StatusForbidden, false},
		{"no origin", "Origin", "null", http.StatusForbidden, false},
		{"another port's origin", "Origin", "http://127.0.0.1:7335", http.StatusForbidden, false},
		{"another scheme", "Origin", "https://" + host, http.StatusForbidden, false},
		{"words", "Content-Type", "text/plain", http.StatusUnsupportedMediaType, true},
		{"words of JSON", "Content-Type", "text/plain; application/json", http.StatusUnsupportedMediaType, true},
		{"a form", "Content-Type", "application/x-www-form-urlencoded", http.StatusUnsupportedMediaType, true},
		{"a form in parts", "Content-Type", "multipart/form-data; boundary=x", http.StatusUnsupportedMediaType, true},
		{"no type", "Content-Type", "", http.StatusUnsupportedMediaType, true},
	}
	p, d := page(t)
	for _, r := range routes() {
		for _, c := range wrong {
			if c.posts && r.method != "POST" {
				continue
			}
			w := do(p, r.method, r.path, r.body, c.header, c.value)
			if w.Code != c.code || !strings.HasPrefix(w.Body.String(), `{"error":"bad_`) || w.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s %s: %s: %d %s, want %d", r.method, r.path, c.name, w.Code, w.Body, c.code)
			}
		}
	}
	if files, err := filepath.Glob(filepath.Join(d.dir, "*.jsonl")); err != nil || len(files) > 0 {
		t.Errorf("written: %v, %v", files, err)
	}
	for _, r := range routes() {
		for _, name := range []string{host, "localhost:7334"} {
			p, _ := page(t)
			if w := do(p, r.method, r.path, r.body, "Host", name, "Origin", "http://"+name); w.Code >= 300 {
				t.Errorf("%s %s of %s itself: %d %s", r.method, r.path, name, w.Code, w.Body)
			}
		}
	}
}

// No file but the pictures of the ticks is given, whatever the path, and no method but the route's own does anything.
func TestNoOtherFile(t *testing.T) {
	p, d := page(t)
	for _, r := range []route{
		{"GET", "/monitor/label/picture/1/1", ""}, // a link out of the recordings
		{"GET", "/monitor/label/picture/2/0", ""},
		{"GET", "/monitor/label/picture/-1/0", ""},
		{"GET", "/monitor/label/picture/0/9", ""},
		{"GET", "/monitor/label/picture/0/secret.png", ""},
		{"GET", "/monitor/label/page.go", ""},
		{"GET", "/monitor/label/..%2fpage.go", ""},
		{"GET", "/monitor/label/picture/0/..%2f..%2f..%2fepisode.json", ""},
		{"GET", "/", ""},
		{"GET", "/monitor/label/key", ""},
		{"POST", "/monitor/label", `{}`},
		{"PUT", "/monitor/label/key", `{"key":"1","tick":0}`},
		{"DELETE", "/monitor/label/picture/0/0", ""},
	} {
		if w := do(p, r.method, r.path, r.body); w.Code < 400 || strings.Contains(w.Body.String(), "secret") || strings.Contains(w.Body.String(), "package") {
			t.Errorf("%s %s: %d %s", r.method, r.path, w.Code, w.Body)
		}
	}
	if got := d.labels(t); got[0] != "" {
		t.Errorf("labels %q", got)
	}
}

// A label that the question cannot be answered with any more is no label: the page stands at its tick, says where it is, and
// takes another one.
func TestAStaleLabelOnThePage(t *testing.T) {
	d := newDesk(t, 2, false)
	k := d.ticks[0].Key
	text := fmt.Sprintf(`{"episode":%q,"action":%q,"tick":%d,"tool":"pick_object","question":"progress","frames":[],"label":"dropped"}`+"\n", k.Episode, k.Action, k.Tick)
	if err := os.WriteFile(filepath.Join(d.dir, "pick.jsonl"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := labelpage.New(host, d.sheet(t))
	if err != nil {
		t.Fatal(err)
	}
	got := do(p, "GET", "/monitor/label", "").Body.String()
	for _, want := range []string{"tick 1 of 2 · 0 labelled", "pick.jsonl:1: labelled &#34;dropped&#34;, which is no answer to pick_object progress", `value="0"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if strings.Contains(got, `aria-pressed="true"`) {
		t.Error("something is chosen")
	}
	if w := do(p, "POST", "/monitor/label/key", `{"key":"2","tick":0}`); w.Code != http.StatusOK || d.labels(t)[0] != "holding" {
		t.Errorf("%d %s, labels %q", w.Code, w.Body, d.labels(t))
	}
	if got := do(p, "GET", "/monitor/label", "").Body.String(); !strings.Contains(got, "tick 2 of 2 · 1 labelled") || strings.Contains(got, "dropped") {
		t.Errorf("got %s", got)
	}
}
