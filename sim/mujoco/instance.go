package mujoco

import (
	"context"
	"fmt"

	"github.com/rein-robotics/rein/sim/mujoco/emhost"
	"github.com/tetratelabs/wazero/api"
)

// instance is one running copy of the engine.
type instance struct {
	mod     api.Module
	mem     api.Memory
	process *emhost.Process
	funcs   map[string]api.Function
	stack   [12]uint64
}

// close frees the instance; it cannot fail in a way a caller could act on.
func (in *instance) close(ctx context.Context) { _ = in.mod.Close(ctx) }

// call calls a C function by name and returns its raw result. Addresses and integers are passed as they are, floats encoded. It does not allocate
// after the first call of a function.
func (in *instance) call(name string, params ...uint64) (uint64, error) {
	f, ok := in.funcs[name]
	if !ok {
		if f = in.mod.ExportedFunction(name); f == nil {
			return 0, fmt.Errorf("the physics engine has no function %s", name)
		}
		if in.funcs == nil {
			in.funcs = map[string]api.Function{}
		}
		in.funcs[name] = f
	}
	copy(in.stack[:], params)
	err := in.process.Call(f, in.stack[:])
	return in.stack[0], err
}

// call32 is call for functions that return an integer or an address.
func (in *instance) call32(name string, params ...uint64) (uint32, error) {
	v, err := in.call(name, params...)
	return uint32(v), err
}

// alloc takes n bytes of engine memory, filled with zeros.
func (in *instance) alloc(n int) (uint32, error) {
	p, err := in.call32("malloc", uint64(n))
	if err != nil {
		return 0, err
	}
	b, ok := in.mem.Read(p, uint32(n))
	if p == 0 || !ok {
		return 0, fmt.Errorf("the physics engine has no memory for %d bytes", n)
	}
	clear(b)
	return p, nil
}

// free gives memory back; 0 is allowed.
func (in *instance) free(p uint32) error {
	_, err := in.call("free", uint64(p))
	return err
}

// cstring reads a string of at most n bytes from engine memory.
func (in *instance) cstring(p uint32, n int) string {
	n = min(n, int(in.mem.Size())-int(p))
	b, ok := in.mem.Read(p, uint32(max(n, 0)))
	if !ok {
		return ""
	}
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}
