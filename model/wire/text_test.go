package wire_test

import (
	"strings"
	"testing"

	"github.com/rein-robotics/rein/model/wire"
)

// What a model calls a tool goes back in a form that every vendor takes, and a good name as it is.
func TestCallNames(t *testing.T) {
	for name, want := range map[string]string{
		"pick_object": "pick_object", "a-B_9": "a-B_9", "functions.observe": "functions_observe", "": "_", "größe 🤖": "gr__e__",
		strings.Repeat("x", 99): strings.Repeat("x", 64),
	} {
		if got := wire.CallName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
