package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rein-robotics/rein/config"
)

// Whatever a file holds, the time to judge it grows with its size and not with the square.
func TestNoFileTakesLong(t *testing.T) {
	fill := func(s string) string { return strings.Repeat(s, config.MaxBytes/16/len(s)) }
	for name, in := range map[string]string{
		"keys": fill("k: v\n"), "some-keys": strings.Repeat("k: v\n", 3000), "items": "rest:\n" + fill("- a\n"), "flow-items": "rest: [" + fill("a, ") + "]", "anchors": "rest:\n" + fill("- &a 1\n- *a\n"),
		"explicit": fill("? a\n"), "quotes": fill("'"), "double": fill("\""), "blocks": fill("a: |\n"), "brackets": fill("[]"), "open": fill("a: ["), "tabs": fill("\t"),
		"dashes": fill("- "), "colons": fill(":"), "text": "name: " + fill("x"), "comments": fill("# x\n"), "documents": fill("---\n"), "merges": "<<: [" + fill("{a: 1}, ") + "]",
		"lines": "name: >\n" + fill("  word\n"), "plain": "name: a\n" + fill("  b\n"),
	} {
		start := time.Now()
		_, err := config.Decode[thing]("f.yaml", []byte(in))
		d := time.Since(start)
		t.Logf("%s: %v %v", name, d, err != nil)
		if d > 10*time.Second {
			t.Errorf("%s: %v", name, d)
		}
	}
}
