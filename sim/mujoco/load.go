package mujoco

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rein-robotics/rein/sim/mujoco/layout"
)

// errorSize is the length of the buffer for what the compiler of scenes objects to.
const errorSize = 2048

// load compiles a scene and makes its state.
func (s *Sim) load(name string) error {
	model, err := s.compile(name)
	if err != nil {
		return err
	}
	s.model = model
	if s.data, err = s.in.call32("mj_makeData", uint64(model)); err != nil || s.data == 0 {
		return &ModelError{File: name, Reason: "making the state: " + s.in.reason(err)}
	}
	s.readCounts()
	if err := s.crossCheck(); err != nil {
		return err
	}
	if err := s.makeBuffers(); err != nil {
		return err
	}
	if err := s.Forward(); err != nil {
		return &ModelError{File: name, Reason: err.Error()}
	}
	return nil
}

// compile calls the compiler of scenes.
func (s *Sim) compile(name string) (model uint32, err error) {
	path, err := s.in.alloc(len(name) + 1)
	if err != nil {
		return 0, err
	}
	said, err := s.in.alloc(errorSize)
	if err != nil {
		return 0, err
	}
	s.in.mem.WriteString(path, name)
	model, err = s.in.call32("mj_loadXML", uint64(path), 0, uint64(said), errorSize)
	if err != nil || model == 0 {
		reason := s.in.cstring(said, errorSize)
		if err != nil || reason == "" {
			reason = strings.TrimSpace(reason + " " + s.in.reason(err))
		}
		return 0, newModelError(name, reason)
	}
	return model, errors.Join(s.in.free(path), s.in.free(said))
}

// reason is what the engine printed about an error, else the error itself.
func (in *instance) reason(err error) string {
	if err == nil {
		err = errors.New("no reason given")
	}
	return engineError(err, in.printed())
}

// printed takes what the engine has written and strips what it adds for a person at a terminal.
func (in *instance) printed() string {
	text := in.process.TakeOutput()
	text, _, _ = strings.Cut(text, "Press Enter to exit")
	text = strings.TrimPrefix(strings.TrimSpace(text), "ERROR: ")
	return strings.Join(strings.Fields(text), " ")
}

// readCounts reads the sizes of the model.
func (s *Sim) readCounts() {
	size := func(offset uint32) int {
		v := view[int64](s, s.model+offset, 1)
		if v == nil {
			return 0
		}
		return int(v[0])
	}
	s.n = counts{
		q: size(layout.ModelNq), v: size(layout.ModelNv), u: size(layout.ModelNu), act: size(layout.ModelNa),
		actuator: size(layout.ModelNactuator), out: size(layout.ModelNout),
		body: size(layout.ModelNbody), jnt: size(layout.ModelNjnt), geom: size(layout.ModelNgeom), site: size(layout.ModelNsite),
		cam: size(layout.ModelNcam), light: size(layout.ModelNlight), tree: size(layout.ModelNtree),
		mesh: size(layout.ModelNmesh), meshvert: size(layout.ModelNmeshvert), meshnormal: size(layout.ModelNmeshnormal),
		meshface: size(layout.ModelNmeshface), mat: size(layout.ModelNmat),
		sensor: size(layout.ModelNsensor), sensordata: size(layout.ModelNsensordata),
		mocap: size(layout.ModelNmocap), key: size(layout.ModelNkey),
	}
}

// Parts of the state, bits of mjtState.
const (
	stateQPos = 2
	stateQVel = 4
)

// crossCheck compares two sizes read through the struct layout with what the engine itself says, so that a wrong layout is never believed.
func (s *Sim) crossCheck() error {
	for _, c := range []struct {
		what uint64
		got  int
	}{{stateQPos, s.n.q}, {stateQVel, s.n.v}} {
		want, err := s.in.call32("mj_stateSize", uint64(s.model), c.what)
		if err != nil {
			return fmt.Errorf("checking the engine's layout: %w", err)
		}
		if c.got != int(want) {
			return fmt.Errorf("checking the engine's layout: a size of %d, wanted %d", c.got, want)
		}
	}
	size, err := s.in.call32("mj_stateSize", uint64(s.model), stateIntegration)
	s.n.state = int(size)
	return err
}

// makeBuffers takes the memory that parameters and results are passed in.
func (s *Sim) makeBuffers() error {
	for _, b := range []struct {
		to *uint32
		n  int
	}{{&s.buf.name, nameSize}, {&s.buf.vec, 24 * 8}, {&s.buf.jac, 6 * 8 * max(s.n.v, 1)}, {&s.buf.full, 8 * max(s.n.state, 1)}} {
		p, err := s.in.alloc(b.n)
		if err != nil {
			return fmt.Errorf("loading scene: %w", err)
		}
		*b.to = p
	}
	return nil
}
