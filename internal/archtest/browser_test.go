package archtest_test

import (
	"strings"
	"testing"
)

// What drives a browser is for tests: no program of ours is built with it.
func TestOnlyTestsDriveABrowser(t *testing.T) {
	for _, s := range sources(t) {
		for _, imp := range s.file.Imports {
			if path := strings.Trim(imp.Path.Value, `"`); strings.HasPrefix(path, "github.com/chromedp/") {
				t.Errorf("%s imports %s: only tests may", s.path, path)
			}
		}
	}
}
