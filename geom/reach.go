package geom

import (
	"errors"
	"fmt"
)

// ReachError says why a pose or a path cannot be reached, in words for an operator.
type ReachError struct {
	Reason string
	At     Vec     // where the fingertips would be, world frame
	Along  float64 // metres along the path; 0 for a single pose
}

func (e *ReachError) Error() string {
	if e.Along > 0 {
		return fmt.Sprintf("out of reach %.2f m along the path, at (%.3f, %.3f, %.3f): %s", e.Along, e.At.X, e.At.Y, e.At.Z, e.Reason)
	}
	return "out of reach: " + e.Reason
}

func unreachable(at Vec, format string, args ...any) *ReachError {
	return &ReachError{Reason: fmt.Sprintf(format, args...), At: at}
}

// inWorld carries the place of a reach error from an arm's base frame into the world.
func inWorld(err error, base Pose) error {
	if e, ok := errors.AsType[*ReachError](err); ok {
		return &ReachError{Reason: e.Reason, At: base.Apply(e.At), Along: e.Along}
	}
	return err
}
