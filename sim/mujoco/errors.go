package mujoco

import "fmt"

// ModelError is what MuJoCo said about a scene it could not load.
type ModelError struct {
	File   string // file inside the file system given to Load, as far as the message named one
	Line   int    // line in File, 0 when the message named none
	Reason string // the message, on one line
}

func (e *ModelError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("loading scene: %s:%d: %s", e.File, e.Line, e.Reason)
	}
	return fmt.Sprintf("loading scene: %s: %s", e.File, e.Reason)
}

// StepError is what MuJoCo said when it could not go on.
type StepError struct {
	Time   float64 // simulated seconds at which it was noticed
	Reason string
}

func (e *StepError) Error() string {
	return fmt.Sprintf("stepping at %.3f s: %s", e.Time, e.Reason)
}
