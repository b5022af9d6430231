package geom

// Solver finds joint angles for a pose of the tool frame in the world, near an arm's present angles. Chain and ArmShape
// are solvers; the error is a *ReachError when the pose is out of reach.
type Solver interface {
	Solve(target Pose, near []float64) ([]float64, error)
}

// SolveSymmetric solves for the target or the target flipped about the tool's axis, whichever is nearer to near by its
// largest joint turn; the error is that of the target as given.
func SolveSymmetric(s Solver, target Pose, near []float64) ([]float64, error) {
	a, err := s.Solve(target, near)
	b, errFlipped := s.Solve(target.Flipped(), near)
	switch {
	case err != nil && errFlipped != nil:
		return nil, err
	case err != nil:
		return b, nil
	case errFlipped != nil:
		return a, nil
	}
	from := near
	if len(from) != len(a) {
		from = make([]float64, len(a))
	}
	da, _ := distance(a, from)
	if db, _ := distance(b, from); db < da {
		return b, nil
	}
	return a, nil
}
