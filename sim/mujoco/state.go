package mujoco

import "fmt"

// StateSize is the number of values of the integration state.
func (s *Sim) StateSize() int { return s.n.state }

// State appends the whole integration state (time, positions, velocities, activations, warm start, controls, applied forces, mocap poses; mjSTATE_INTEGRATION)
// to dst. Setting it again and stepping replays bit by bit, with one exception: which bodies sleep is not part of it. With sleep enabled, a
// restored state steps on within micrometres only; a caller that needs the exact run disables sleep, or resets and replays.
func (s *Sim) State(dst []float64) ([]float64, error) {
	if _, err := s.call("mj_getState", uint64(s.buf.full), stateIntegration); err != nil {
		return dst, fmt.Errorf("reading the state: %w", err)
	}
	return append(dst, view[float64](s, s.buf.full, s.n.state)...), nil
}

// SetState puts an integration state of State back and evaluates it (Forward).
func (s *Sim) SetState(state []float64) error {
	if len(state) != s.n.state {
		return fmt.Errorf("setting the state: %d values, wanted %d", len(state), s.n.state)
	}
	copy(view[float64](s, s.buf.full, s.n.state), state)
	if _, err := s.call("mj_setState", uint64(s.buf.full), stateIntegration); err != nil {
		return fmt.Errorf("setting the state: %w", err)
	}
	return s.Forward()
}
