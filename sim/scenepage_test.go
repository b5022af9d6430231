package sim_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/sim"
)

// page is the page about scene files.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../docs/scenes.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheExampleOfThePageIsAScene(t *testing.T) {
	_, rest, found := strings.Cut(page(t), "```yaml\n")
	example, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("the page has no example")
	}
	s, err := sim.Parse("scenes.md", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Warnings) > 0 {
		t.Errorf("warnings: %v", s.Warnings)
	}
}

func TestThePageNamesEveryKey(t *testing.T) {
	text := page(t)
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for f := range typ.Fields() {
			key := f.Tag.Get("yaml")
			if key == "-" {
				continue
			}
			if key != "" && !strings.Contains(text, key) {
				t.Errorf("docs/scenes.md does not name %s.%s", typ.Name(), key)
			}
			walk(f.Type)
		}
	}
	walk(reflect.TypeFor[sim.Scene]())
}
