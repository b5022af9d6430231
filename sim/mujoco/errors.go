package mujoco

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/rein-robotics/rein/sim/mujoco/layout"
)

// ModelError is what MuJoCo said about a scene it could not load.
type ModelError struct {
	File   string // the scene: the name given to Load
	Line   int    // line in File, 0 when the message named none or the trouble is in an included file
	Reason string // the message, on one line
}

func (e *ModelError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("loading scene: %s:%d: %s", e.File, e.Line, e.Reason)
	}
	return fmt.Sprintf("loading scene: %s: %s", e.File, e.Reason)
}

// newModelError finds the line in a message of the compiler. Of the two that a broken include gives it takes the last, which is the line of the
// include in the scene itself: MuJoCo does not name the included file there, and counts no lines in a file included without errors.
func newModelError(file, said string) *ModelError {
	e := &ModelError{File: file, Reason: strings.Join(strings.Fields(said), " ")}
	line := regexp.MustCompile(`\b(?:line |Line number=)(\d+)`)
	if all := line.FindAllStringSubmatch(e.Reason, -1); len(all) > 0 {
		e.Line, _ = strconv.Atoi(all[len(all)-1][1])
	}
	return e
}

// StepError is what MuJoCo said when it could not go on.
type StepError struct {
	Time   float64 // simulated seconds at which it was noticed
	Reason string
}

func (e *StepError) Error() string {
	return fmt.Sprintf("stepping at %.3f s: %s", e.Time, e.Reason)
}

// warnings is the number of kinds of mjtWarning.
const warnings = 7

// unstable compares the engine's warning counters with the last look. Those that mean a broken state become an error.
func (s *Sim) unstable() error {
	const badQPos, badQVel, badQAcc, badCtrl = 3, 4, 5, 6
	stat := view[int32](s, s.data+layout.DataWarning, 2*warnings) // pairs of last info and count
	var broken error
	for i := range warnings {
		if stat[2*i+1] == s.warned[i] {
			continue
		}
		s.warned[i] = stat[2*i+1]
		what := map[int]string{badQPos: "position", badQVel: "velocity", badQAcc: "acceleration", badCtrl: "control"}[i]
		if what != "" && broken == nil {
			broken = &StepError{Time: s.Time(), Reason: fmt.Sprintf("the simulation became unstable: not a number or huge %s at index %d; the engine has reset the state", what, stat[2*i])}
		}
	}
	return broken
}
