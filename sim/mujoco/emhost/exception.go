package emhost

import "fmt"

// exceptions is the state of C++ exception handling, kept by the host as Emscripten's JavaScript keeps it (the Itanium ABI with the header in
// front of the thrown object).
type exceptions struct {
	last     uint32   // object in flight, 0 for none
	caught   []uint32 // objects being handled, innermost last
	uncaught int32
}

// exception is what a host function panics with to unwind the program's frames.
type exception struct{ ptr uint32 }

func (e *exception) Error() string { return fmt.Sprintf("C++ exception at %#x", e.ptr) }

// Offsets into the header in front of a thrown object.
const (
	headerSize     = 24
	headType       = 4
	headDestructor = 8
	headCaught     = 12
	headRethrown   = 13
	headAdjusted   = 16
)

func (p *Process) header(ptr uint32, field uint32) uint32 { return ptr - headerSize + field }

func (p *Process) cxaThrow(ptr, typ, destructor uint32) {
	p.store32(p.header(ptr, headAdjusted), 0)
	p.store32(p.header(ptr, headType), typ)
	p.store32(p.header(ptr, headDestructor), destructor)
	p.exceptions.uncaught++
	p.throw(ptr)
}

func (p *Process) throw(ptr uint32) {
	p.exceptions.last = ptr
	panic(&exception{ptr})
}

func (p *Process) resumeException(ptr uint32) {
	if p.exceptions.last == 0 {
		p.exceptions.last = ptr
	}
	panic(&exception{p.exceptions.last})
}

// findMatchingCatch returns the object in flight and puts the type of the clause that catches it into the program's second return register.
func (p *Process) findMatchingCatch(clauses ...uint32) uint32 {
	thrown := p.exceptions.last
	if thrown == 0 {
		p.call(p.setTempRet, 0)
		return 0
	}
	adjusted := p.header(thrown, headAdjusted)
	p.store32(adjusted, thrown)
	typ := p.load32(p.header(thrown, headType))
	if typ == 0 {
		p.call(p.setTempRet, 0)
		return thrown
	}
	for _, clause := range clauses {
		if clause == 0 || clause == typ {
			break
		}
		if uint32(p.call(p.canCatch, uint64(clause), uint64(typ), uint64(adjusted))) != 0 {
			p.call(p.setTempRet, uint64(clause))
			return thrown
		}
	}
	p.call(p.setTempRet, uint64(typ))
	return thrown
}

func (p *Process) beginCatch(ptr uint32) uint32 {
	if p.load8(p.header(ptr, headCaught)) == 0 {
		p.store8(p.header(ptr, headCaught), 1)
		p.exceptions.uncaught--
	}
	p.store8(p.header(ptr, headRethrown), 0)
	p.exceptions.caught = append(p.exceptions.caught, ptr)
	p.call(p.incRef, uint64(ptr))
	return uint32(p.call(p.exceptionPtr, uint64(ptr)))
}

func (p *Process) endCatch() {
	p.call(p.setThrew, 0, 0)
	n := len(p.exceptions.caught)
	if n == 0 {
		panic(&Exit{Reason: "an exception handler ended that had not begun"})
	}
	ptr := p.exceptions.caught[n-1]
	p.exceptions.caught = p.exceptions.caught[:n-1]
	p.call(p.decRef, uint64(ptr))
	p.exceptions.last = 0
}

func (p *Process) rethrow() {
	n := len(p.exceptions.caught)
	if n == 0 {
		panic(&Exit{Reason: "no exception to throw again"})
	}
	ptr := p.exceptions.caught[n-1]
	if rethrown := p.header(ptr, headRethrown); p.load8(rethrown) == 0 {
		p.store8(rethrown, 1)
		p.store8(p.header(ptr, headCaught), 0)
		p.exceptions.uncaught++
	} else {
		// Pushed by rethrowPrimary: it leaves the list again.
		p.exceptions.caught = p.exceptions.caught[:n-1]
	}
	p.throw(ptr)
}

func (p *Process) rethrowPrimary(ptr uint32) {
	if ptr == 0 {
		return
	}
	p.exceptions.caught = append(p.exceptions.caught, ptr)
	p.store8(p.header(ptr, headRethrown), 1)
	p.rethrow()
}

func (p *Process) currentPrimary() uint32 {
	n := len(p.exceptions.caught)
	if n == 0 {
		return 0
	}
	ptr := p.exceptions.caught[n-1]
	p.call(p.incRef, uint64(ptr))
	return ptr
}
