package emhost

import (
	"context"
	"errors"
	"strings"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental/table"
)

// invoker is the host function invoke_XXX for one signature: it calls a function of the table and turns a C++ exception that leaves it into the
// program's "threw" flag.
type invoker struct {
	params, results []api.ValueType // of the called function
}

// newInvoker takes the signature of the import: the table slot, then the parameters.
func newInvoker(params, results []api.ValueType) *invoker {
	return &invoker{params: params[1:], results: results}
}

// Call implements api.GoModuleFunction.
func (v *invoker) Call(ctx context.Context, mod api.Module, stack []uint64) {
	p := processOf(ctx)
	c := p.slots.take(v, mod, api.DecodeU32(stack[0]))
	copy(c.stack, stack[1:1+len(v.params)])
	sp := p.call(p.stackSave)
	err := c.f.CallWithStack(ctx, c.stack)
	if err == nil {
		copy(stack, c.stack[:len(v.results)])
		p.slots.put(c)
		return
	}
	p.slots.put(c)
	if _, ok := errors.AsType[*exception](err); !ok {
		panic(innermost(err))
	}
	// The exception stays in p.exceptions.last, where the program looks for it.
	p.call(p.stackRestore, sp)
	clear(stack[:len(v.results)])
	p.call(p.setThrew, 1, 0)
}

// innermost strips the layers that each level of calls wraps around the error that ended the innermost one.
func innermost(err error) error {
	if exit, ok := errors.AsType[*Exit](err); ok {
		return exit
	}
	if thrown, ok := errors.AsType[*exception](err); ok {
		return thrown
	}
	reason, _, _ := strings.Cut(err.Error(), "\n")
	return &Exit{Reason: strings.TrimSuffix(reason, " (recovered by wazero)")}
}

// slotCall is a callable function of one table slot. It cannot be entered twice at the same time, hence the pool.
type slotCall struct {
	slot  uint32
	f     api.Function
	stack []uint64
}

// slotPool keeps the slotCalls that nobody is inside of.
type slotPool struct {
	free map[uint32][]*slotCall
}

func (s *slotPool) take(v *invoker, mod api.Module, slot uint32) *slotCall {
	if list := s.free[slot]; len(list) > 0 {
		c := list[len(list)-1]
		s.free[slot] = list[:len(list)-1]
		return c
	}
	f := table.LookupFunction(mod, 0, slot, v.params, v.results)
	return &slotCall{slot, f, make([]uint64, max(len(v.params), len(v.results), 1))}
}

func (s *slotPool) put(c *slotCall) {
	if s.free == nil {
		s.free = make(map[uint32][]*slotCall)
	}
	s.free[c.slot] = append(s.free[c.slot], c)
}

func processOf(ctx context.Context) *Process {
	p, ok := ctx.Value(processKey{}).(*Process)
	if !ok {
		panic(errors.New("emhost: a host function was called outside Process.Call"))
	}
	return p
}
