package mujoco

// StateSize is the number of values of the integration state.
func (s *Sim) StateSize() int { return 0 }

// State appends the whole integration state (time, positions, velocities, activations, warm start, controls, applied forces, mocap poses; mjSTATE_INTEGRATION)
// to dst. Setting it again and stepping replays bit by bit, with one exception: which bodies sleep is not part of it. With sleep enabled, a
// restored state steps on within micrometres only; a caller that needs the exact run disables sleep, or resets and replays.
func (s *Sim) State(dst []float64) ([]float64, error) { return dst, nil }

// SetState puts an integration state of State back and evaluates it (Forward). All bodies are awake afterwards.
func (s *Sim) SetState(state []float64) error { return nil }
