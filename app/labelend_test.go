package app

import (
	"bytes"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// Labelling on the page ends with what is left to do: how many ticks are labelled, and how many of them miss a box.
func TestTheLabelPageSaysWhatIsLeft(t *testing.T) {
	for name, c := range map[string]struct{ rest, want string }{
		"boxes_wanted": {", mark_target: true", "12 of 12 ticks are labelled in %s; 12 of them miss a box\n"},
		"no_boxes":     {"", "12 of 12 ticks are labelled in %s\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTaped(t, "http://127.0.0.1:1")
			conf := filepath.Join(p.root, "marked")
			p.conf(t, conf, monitorBlock("http://127.0.0.1:1", c.rest), pickQuestions)
			var out bytes.Buffer
			at := make(chan string, 1)
			ended := make(chan error, 1)
			go func() {
				ended <- Label(t.Context(), Labelling{Page: "127.0.0.1:0", Measure: Measure{
					Conf: conf, Record: p.Record, Evals: filepath.Join(p.root, "evals"), Out: &out,
					Say: func(line string) {
						if _, rest, ok := strings.Cut(line, "label at "); ok {
							url, _, _ := strings.Cut(rest, " ")
							at <- url
						}
					},
				}})
			}()
			select {
			case url := <-at:
				tick := map[string]string{"boxes_wanted": "0", "no_boxes": "12"}[name]
				got, err := http.Post(url+"/key", "application/json", strings.NewReader(`{"key":"q","tick":`+tick+`}`))
				if err != nil {
					t.Fatal(err)
				}
				got.Body.Close()
				if got.StatusCode != http.StatusOK {
					t.Fatalf("q: %s", got.Status)
				}
			case err := <-ended:
				t.Fatal(err)
			}
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			if want := strings.ReplaceAll(c.want, "%s", filepath.Join(p.root, "evals", "pick_object_progress.jsonl")); out.String() != want {
				t.Errorf("got %q, want %q", out.String(), want)
			}
		})
	}
}
