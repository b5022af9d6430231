package mujoco

import (
	"context"
	"fmt"
	"math"
	"unsafe"

	"github.com/rein-robotics/rein/sim/mujoco/layout"
	"github.com/tetratelabs/wazero/api"
)

// Sim is one scene in one engine instance: model and state. It belongs to one goroutine at a time. After Close every view is nil, every count 0
// and every call an error.
type Sim struct {
	engine      *Engine
	in          *instance
	mem         api.Memory
	model, data uint32 // addresses of mjModel and mjData
	n           counts
	buf         buffers
	warned      [warnings]int32 // how often each warning had been counted when it was last looked at
}

// counts are the sizes of the model, read once after loading.
type counts struct {
	q, v, u, actuator, out, act                        int
	body, jnt, geom, site, cam, mesh, mat, tree        int
	meshvert, meshnormal, meshface, sensor, sensordata int
	mocap, key, light, state                           int
}

// buffers are addresses of engine memory that the methods of a Sim pass parameters and results in.
type buffers struct {
	name uint32 // nameSize bytes
	vec  uint32 // 24 float64
	jac  uint32 // 6 * NV float64
	full uint32 // StateSize float64
}

// nameSize bounds the length of a name that is looked up.
const nameSize = 1024

// Close frees the instance and all its memory. Views taken before must no longer be used. A second Close does nothing.
func (s *Sim) Close() error {
	if s.in == nil {
		return nil
	}
	s.engine.forget(s)
	err := s.in.mod.Close(context.Background())
	*s = Sim{}
	return err
}

// call calls an engine function with mjModel and mjData in front of params.
func (s *Sim) call(name string, params ...uint64) (uint64, error) {
	if s.in == nil {
		return 0, ErrClosed
	}
	var all [10]uint64
	all[0], all[1] = uint64(s.model), uint64(s.data)
	n := copy(all[2:], params)
	v, err := s.in.call(name, all[:2+n]...)
	if err != nil {
		return 0, fmt.Errorf("%s", engineError(err, s.in.printed()))
	}
	return v, nil
}

// Step advances the simulation by n time steps in one call into the engine. It returns a *StepError when the engine found the state unstable
// (and reset it, as MuJoCo does) or stopped with an error.
func (s *Sim) Step(n int) error {
	switch {
	case s.in == nil:
		return ErrClosed
	case n < 0 || n > math.MaxInt32:
		return fmt.Errorf("stepping: a count of %d", n)
	}
	if _, err := s.call(stepLoop, uint64(n)); err != nil {
		return &StepError{Time: s.Time(), Reason: err.Error()}
	}
	return s.unstable()
}

// Forward evaluates positions, velocities, forces and sensors for the present state without advancing time.
func (s *Sim) Forward() error {
	if _, err := s.call("mj_forward"); err != nil {
		return fmt.Errorf("evaluating the state: %w", err)
	}
	return nil
}

// Reset puts the state back to the model's initial one (qpos0, time 0) and evaluates it (Forward).
func (s *Sim) Reset() error {
	if _, err := s.call("mj_resetData"); err != nil {
		return fmt.Errorf("resetting the state: %w", err)
	}
	clear(s.warned[:])
	return s.Forward()
}

// ResetKey puts the state to a keyframe of the model and evaluates it (Forward).
func (s *Sim) ResetKey(key int) error {
	if key < 0 || key >= s.n.key {
		return fmt.Errorf("resetting the state: keyframe %d of %d", key, s.n.key)
	}
	if _, err := s.call("mj_resetDataKeyframe", uint64(key)); err != nil {
		return fmt.Errorf("resetting the state: %w", err)
	}
	clear(s.warned[:])
	return s.Forward()
}

// Time is the simulated time in seconds since the last Reset.
func (s *Sim) Time() float64 {
	if v := view[float64](s, s.data+layout.DataTime, 1); v != nil {
		return v[0]
	}
	return 0
}

// Timestep is the length of one step in seconds.
func (s *Sim) Timestep() float64 {
	if v := view[float64](s, s.model+layout.ModelOpt, 1); v != nil {
		return v[0]
	}
	return 0
}

// view returns n values of engine memory starting at addr, or nil when the Sim is closed or n is 0.
func view[T float64 | float32 | int32 | uint32 | int64 | uint8](s *Sim, addr uint32, n int) []T {
	if s.mem == nil || n <= 0 {
		return nil
	}
	var zero T
	b, ok := s.mem.Read(addr, uint32(n)*uint32(unsafe.Sizeof(zero)))
	if !ok {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// array returns the n values that the pointer at addr points to.
func array[T float64 | float32 | int32 | int64 | uint8](s *Sim, addr uint32, n int) []T {
	if s.mem == nil || n <= 0 {
		return nil
	}
	p, ok := s.mem.ReadUint32Le(addr)
	if !ok || p == 0 {
		return nil
	}
	return view[T](s, p, n)
}
