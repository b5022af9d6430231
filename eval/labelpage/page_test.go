package labelpage_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/eval"
	"github.com/rein-robotics/rein/eval/labelpage"
	"github.com/rein-robotics/rein/monitor/question"
)

const host = "127.0.0.1:7334"

func page(t *testing.T) (*labelpage.Page, *eval.Book) {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "logs", "images"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "logs", "images", "a1m1_cam.image.jpg"), []byte("\xff\xd8\xff picture"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "secret.jpg"), []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "secret.jpg"), filepath.Join(dir, "logs", "images", "a1m2_cam.image.jpg")); err != nil {
		t.Fatal(err)
	}
	b, err := eval.OpenBook(dir, "pick")
	if err != nil {
		t.Fatal(err)
	}
	q := question.Question{Name: "held", Kind: question.Predicate, Instructions: "Is <it> held?"}
	var ticks []eval.Tick
	for i, name := range []string{"a1m1_cam.image.jpg", "a1m2_cam.image.jpg"} {
		ticks = append(ticks, eval.Tick{
			Key: eval.Key{Episode: "s/000001", Action: "a1", Tick: i + 1}, Tool: "pick_object", Dir: dir,
			Pictures: []eval.Picture{{Name: "images/" + name, Camera: "cam", Current: true}},
		})
	}
	p, err := labelpage.New(host, eval.NewSheet(q, ticks, b))
	if err != nil {
		t.Fatal(err)
	}
	return p, b
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
	p, b := page(t)
	w := do(p, "GET", "/monitor/label", "")
	if w.Code != 200 || !strings.Contains(w.Body.String(), "Is &lt;it&gt; held?") || !strings.Contains(w.Body.String(), "/monitor/label/picture/0/0") {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if w := do(p, "GET", "/monitor/label/picture/0/0", ""); w.Code != 200 || w.Header().Get("Content-Type") != "image/jpeg" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if w := do(p, "POST", "/monitor/label/key", `{"key":"1","tick":0}`); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := do(p, "POST", "/monitor/label/key", `{"key":"2","tick":0}`); w.Code != http.StatusConflict {
		t.Errorf("a key for the tick before: %d %s", w.Code, w.Body)
	}
	if l, _ := b.Label(eval.Key{Episode: "s/000001", Action: "a1", Tick: 1}); l.Label != "true" {
		t.Errorf("labelled %+v", l)
	}
	if w := do(p, "POST", "/monitor/label/box", `{"tick":1,"picture":0,"box":[1,2,3,4]}`); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if x, ok := b.Box("s/000001", "images/a1m2_cam.image.jpg"); !ok || *x.Box != [4]float64{1, 2, 3, 4} {
		t.Errorf("box %+v", x)
	}
	do(p, "POST", "/monitor/label/key", `{"key":"q","tick":1}`)
	select {
	case <-p.Quit():
	default:
		t.Error("q does not quit")
	}
}

func TestThePageRefusesOthers(t *testing.T) {
	p, _ := page(t)
	for name, w := range map[string]*httptest.ResponseRecorder{
		"name":    do(p, "GET", "/monitor/label", "", "Host", "evil.example:7334"),
		"origin":  do(p, "POST", "/monitor/label/key", `{"key":"1","tick":0}`, "Origin", "http://evil.example"),
		"null":    do(p, "POST", "/monitor/label/key", `{"key":"1","tick":0}`, "Origin", "null"),
		"form":    do(p, "POST", "/monitor/label/key", `{"key":"1","tick":0}`, "Content-Type", "text/plain"),
		"long":    do(p, "POST", "/monitor/label/key", `{"key":"`+strings.Repeat("1", 9000)+`","tick":0}`),
		"outside": do(p, "GET", "/monitor/label/picture/1/0", ""),
		"path":    do(p, "GET", "/monitor/label/..%2fpage.go", ""),
		"no box":  do(p, "POST", "/monitor/label/box", `{"tick":0,"picture":0,"box":[3,2,1,4]}`),
	} {
		if w.Code < 400 || strings.Contains(w.Body.String(), "secret") || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}
