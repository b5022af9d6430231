package modeltest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// update rewrites the golden files.
var update = flag.Bool("update", false, "rewrite the golden files")

// Golden holds bodies, by name, to a txtar file: each is indented JSON, so that a change can be read.
func Golden(t *testing.T, file string, names []string, bodies map[string]any) {
	t.Helper()
	got := &txtar.Archive{Comment: []byte("What goes over the wire. Rewrite with: go test -update\n")}
	for _, name := range names {
		raw, err := json.Marshal(bodies[name])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var out bytes.Buffer
		if err := json.Indent(&out, raw, "", "  "); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out.WriteByte('\n')
		got.Files = append(got.Files, txtar.File{Name: name + ".json", Data: out.Bytes()})
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(txtar.Format(got)), string(txtar.Format(want))); diff != "" {
		t.Error(diff)
	}
}
