package labelpage_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/rein-robotics/rein/eval/labelpage"
	"github.com/rein-robotics/rein/eval/measure"
)

// FuzzBodies sends any body to the two calls that write: it is taken, refused or stale, never an error of the server, and
// what is in the files afterwards is what labels and boxes are.
func FuzzBodies(f *testing.F) {
	for _, s := range []string{
		`{"key":"1","tick":0}`, `{"key":"s","tick":0}`, `{"key":"b","tick":0}`, `{"key":"\ud800","tick":0}`, `{"key":"1","tick":1e3}`,
		`{"tick":0,"picture":0,"box":[1,2,3,4]}`, `{"tick":0,"picture":0,"box":null}`, `{"tick":0,"picture":0,"box":[1e-320,0,1e999,4]}`,
		`{"tick":0,"picture":-1,"box":[0,0,160,120]}`, `null`, `[]`, `{"tick":0,"picture":0,"box":[null,null,1,1]}`, `{"tick":0,"picture":0,"box":[1,2,3]}`, `{"tick":0,"picture":0,"box":[1,2,3,4,5]}`,
	} {
		f.Add(true, s)
		f.Add(false, s)
	}
	ticks := recorded(f, 1)
	f.Fuzz(func(t *testing.T, key bool, body string) {
		d := &desk{dir: t.TempDir(), ticks: ticks, boxes: true}
		p, err := labelpage.New(host, d.sheet(t))
		if err != nil {
			t.Fatal(err)
		}
		path := "/monitor/label/box"
		if key {
			path = "/monitor/label/key"
		}
		w := do(p, "POST", path, body)
		if !slices.Contains([]int{http.StatusOK, http.StatusBadRequest, http.StatusConflict}, w.Code) {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		var said map[string]string
		if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil {
			t.Fatalf("%s: %v", w.Body, err)
		}
		label := d.labels(t)[0] // reads both files
		if label != "" && (!key || said["did"] != "boxless" || !slices.Contains([]string{"approaching", "holding", "failed", measure.Unsure}, label)) {
			t.Errorf("label %q by %v", label, said)
		}
		box, has := boxIs(t, d, 0, 0)
		if has != (said["did"] == "boxed") {
			t.Errorf("box %v by %v", box, said)
		}
		if b := box.Box; b != nil && (b[0] < 0 || b[1] < 0 || b[0] >= b[2] || b[1] >= b[3] || b[2] > wide || b[3] > high) {
			t.Errorf("box %v", *b)
		}
		if has && box.Box != nil { // each of its numbers was there
			var sent struct{ Box []*float64 }
			if err := json.Unmarshal([]byte(body), &sent); err != nil || len(sent.Box) != 4 {
				t.Fatalf("box %v of %s", *box.Box, body)
			}
			for i, x := range sent.Box {
				if x == nil || *x != box.Box[i] {
					t.Errorf("box %v of %s", *box.Box, body)
				}
			}
		}
	})
}
