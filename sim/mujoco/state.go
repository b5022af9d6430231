package mujoco

import (
	"fmt"
)

// stateIntegration is mjSTATE_INTEGRATION: everything the next step depends on, but for which bodies sleep.
const stateIntegration = 16383

// StateSize is the number of values of a State.
func (s *Sim) StateSize() int { return s.n.state + s.n.tree }

// State appends the whole state to dst: time, positions, velocities, activations, warm start, controls, applied forces and mocap poses (mjSTATE_INTEGRATION),
// then which bodies sleep, one value a tree. Setting it in a Sim of the same scene and stepping on replays bit by bit.
func (s *Sim) State(dst []float64) ([]float64, error) {
	if _, err := s.call("mj_getState", uint64(s.buf.full), stateIntegration); err != nil {
		return dst, fmt.Errorf("reading the state: %w", err)
	}
	dst = append(dst, view[float64](s, s.buf.full, s.n.state)...)
	for _, asleep := range s.TreeAsleep() {
		dst = append(dst, float64(asleep))
	}
	return dst, nil
}

// SetState puts a State back and evaluates it (Forward).
func (s *Sim) SetState(state []float64) error {
	if len(state) != s.StateSize() {
		return fmt.Errorf("setting the state: %d values, wanted %d", len(state), s.StateSize())
	}
	if err := s.setState(state); err != nil {
		return fmt.Errorf("setting the state: %w", err)
	}
	return nil
}

// fullyAwake is the value of TreeAsleep for a tree that has moved lately.
const fullyAwake = -11

// setState sets everything with all bodies awake and evaluates that, so that the poses of sleeping bodies are computed too; then it lets those
// sleep that slept, and sets the values again that the evaluation has changed.
func (s *Sim) setState(state []float64) error {
	if s.in == nil {
		return ErrClosed
	}
	copy(view[float64](s, s.buf.full, s.n.state), state)
	for i := range s.TreeAsleep() {
		s.TreeAsleep()[i] = fullyAwake
	}
	if err := s.putState(); err != nil {
		return err
	}
	if _, err := s.call("mj_forward"); err != nil {
		return err
	}
	for i := range s.TreeAsleep() {
		s.TreeAsleep()[i] = int32(state[s.n.state+i])
	}
	return s.putState()
}

// putState lets the engine take over the values in the buffer and the sleep marks.
func (s *Sim) putState() error {
	if _, err := s.call("mj_setState", uint64(s.buf.full), stateIntegration); err != nil {
		return err
	}
	_, err := s.call("mj_updateSleep")
	return err
}
