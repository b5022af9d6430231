package archtest_test

import (
	"strings"
	"testing"
)

// The vendors' SDKs cost minutes of compiling: only the wires pay for them, and no other package's tests.
func TestSDKsStayInTheWires(t *testing.T) {
	sdks := map[string]string{"github.com/anthropics/": "model/anthropic", "github.com/openai/": "model/openai"}
	used := 0
	for _, s := range sources(t) {
		for _, imp := range s.file.Imports {
			path := strings.Trim(imp.Path.Value, `"`)
			for sdk, home := range sdks {
				if !strings.HasPrefix(path, sdk) {
					continue
				}
				if used++; s.pkg != home {
					t.Errorf("%s imports %s: only %s may", s.path, path, home)
				}
			}
		}
	}
	if used == 0 {
		t.Error("no import of an SDK was found at all")
	}
}
