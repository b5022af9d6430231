package mujoco

import (
	"unsafe"

	"github.com/rein-robotics/rein/sim/mujoco/layout"
	"github.com/tetratelabs/wazero/api"
)

// Sim is one scene in one engine instance: model and state. It belongs to one goroutine at a time. After Close every view is nil, every count 0
// and every call an error.
type Sim struct {
	mem         api.Memory
	model, data uint32 // addresses of mjModel and mjData
	n           counts
}

// counts are the sizes of the model, read once after loading.
type counts struct {
	q, v, u, actuator, out, act                        int
	body, jnt, geom, site, cam, mesh, mat, tree        int
	meshvert, meshnormal, meshface, sensor, sensordata int
	mocap, key, light                                  int
}

// Close frees the instance and all its memory. Views taken before must no longer be used.
func (s *Sim) Close() error { return nil }

// Step advances the simulation by n time steps in one call into the engine. It returns a *StepError when the engine found the state unstable
// (and reset it, as MuJoCo does) or stopped with an error.
func (s *Sim) Step(n int) error { return nil }

// Forward evaluates positions, velocities, forces and sensors for the present state without advancing time.
func (s *Sim) Forward() error { return nil }

// Reset puts the state back to the model's initial one (qpos0, time 0) and evaluates it (Forward).
func (s *Sim) Reset() error { return nil }

// ID returns the id of the element with that name, or -1.
func (s *Sim) ID(kind Kind, name string) int { return -1 }

// Name returns the name of an element, or "" for one without a name or an id out of range.
func (s *Sim) Name(kind Kind, id int) string { return "" }

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
	if !ok {
		return nil
	}
	return view[T](s, p, n)
}
