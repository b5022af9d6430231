// Package emhost is the host side of a C++ program compiled by Emscripten: the functions such a module imports, as far as a program needs them
// that computes, reads files and throws exceptions (no threads, no JavaScript objects).
//
// Its one invariant: everything the module can see or change outside its own memory belongs to one Process; nothing of the real machine is
// reachable but a clock. Start with Imports, which is done once for a runtime, then NewProcess for every instance.
package emhost

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/tetratelabs/wazero/api"
)

// ErrNotInstantiated says that a call came before Attach.
var ErrNotInstantiated = errors.New("the process has no module")

// Process is the host side of one module instance. It belongs to one goroutine at a time.
//
// A Process is also the context of the calls into its instance (Call passes it), which is how host functions find it without a lookup; as a context
// it is never cancelled.
type Process struct {
	mod   api.Module
	mem   api.Memory
	start time.Time

	files fileTable
	out   capture // what the program wrote to stdout, stderr and files

	exceptions exceptions
	slots      slotPool

	stackSave, stackRestore, setThrew, setTempRet api.Function
	canCatch, exceptionPtr, incRef, decRef        api.Function
	scratch                                       [4]uint64
}

// NewProcess returns a process that reads its files from files (nil: it has none).
func NewProcess(files fs.FS) *Process {
	return &Process{files: fileTable{root: files}, start: time.Now()}
}

// Attach binds the process to its instance and runs the program's constructors.
func (p *Process) Attach(mod api.Module) error {
	p.mod, p.mem = mod, mod.Memory()
	for _, f := range []struct {
		to   *api.Function
		name string
	}{
		{&p.stackSave, "emscripten_stack_get_current"},
		{&p.stackRestore, "_emscripten_stack_restore"},
		{&p.setThrew, "setThrew"},
		{&p.setTempRet, "_emscripten_tempret_set"},
		{&p.canCatch, "__cxa_can_catch"},
		{&p.exceptionPtr, "__cxa_get_exception_ptr"},
		{&p.incRef, "__cxa_increment_exception_refcount"},
		{&p.decRef, "__cxa_decrement_exception_refcount"},
	} {
		if *f.to = mod.ExportedFunction(f.name); *f.to == nil {
			return fmt.Errorf("attaching to the module: it does not export %s", f.name)
		}
	}
	for _, name := range []string{"emscripten_stack_init", "__wasm_call_ctors"} {
		f := mod.ExportedFunction(name)
		if f == nil {
			return fmt.Errorf("attaching to the module: it does not export %s", name)
		}
		if err := p.Call(f, nil); err != nil {
			return fmt.Errorf("starting the module: %w", err)
		}
	}
	return nil
}

// Call calls f with the parameters in stack, which also receives the results; it must have room for the longer of the two. The error is an *Exit
// when the program ended itself or hit a trap, and an *Uncaught for a C++ exception nobody caught.
func (p *Process) Call(f api.Function, stack []uint64) error {
	if p.mod == nil {
		return ErrNotInstantiated
	}
	err := f.CallWithStack(p, stack)
	if err == nil {
		return nil
	}
	err = innermost(err)
	if thrown, ok := errors.AsType[*exception](err); ok {
		return &Uncaught{Address: thrown.ptr}
	}
	return err
}

// TakeOutput returns what the program has written since the last call, and forgets it.
func (p *Process) TakeOutput() string { return p.out.take() }

// Exit is the error of a call in which the program ended itself.
type Exit struct {
	Code   int32
	Reason string // what ended it, when it was not exit itself
}

func (e *Exit) Error() string {
	if e.Reason != "" {
		return "the program ended itself: " + e.Reason
	}
	return fmt.Sprintf("the program ended itself with code %d", e.Code)
}

// Uncaught is the error of a call that left through a C++ exception.
type Uncaught struct {
	Address uint32 // of the thrown object in the module's memory
}

func (e *Uncaught) Error() string { return "the program threw an exception nobody caught" }

// processKey is the key under which a Process, as a context, holds itself.
type processKey struct{}

// Deadline implements context.Context: there is none.
func (p *Process) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }

// Done implements context.Context: a process is never cancelled.
func (p *Process) Done() <-chan struct{} { return nil }

// Err implements context.Context: always nil.
func (p *Process) Err() error { return nil }

// Value implements context.Context: it holds the process and nothing else.
func (p *Process) Value(key any) any {
	if key == (processKey{}) {
		return p
	}
	return nil
}

// call calls a helper function of the module from within a host function; errors go on unwinding.
func (p *Process) call(f api.Function, params ...uint64) uint64 {
	n := copy(p.scratch[:], params)
	if err := f.CallWithStack(p, p.scratch[:max(n, 1)]); err != nil {
		panic(err)
	}
	return p.scratch[0]
}
