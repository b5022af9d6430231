package frames

import (
	_ "embed" // the prompts
	"strings"
)

//go:embed prompt.md
var prompt string

//go:embed mark.md
var markPrompt string

//go:embed reference.md
var referencePrompt string

// System is what the monitor is told before all pictures: what it is for, how to read what it is shown, then what is said
// of this robot.
func (s Settings) System(robot string) string {
	head, tail, _ := strings.Cut(prompt, "\nHow sure to be:")
	if s.MarkTarget {
		head += markPrompt
	}
	if s.Reference {
		head += referencePrompt
	}
	out := head + "\nHow sure to be:" + strings.TrimRight(tail, "\n") + "\n"
	if robot = strings.TrimSpace(robot); robot != "" {
		out += "\nThis robot:\n\n" + robot + "\n"
	}
	return out
}
