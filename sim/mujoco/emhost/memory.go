package emhost

import (
	"bytes"
	"math"
)

// outOfBounds is the reason given when the program passes an address outside its memory.
const outOfBounds = "an address outside its memory"

func (p *Process) load32(addr uint32) uint32 {
	v, ok := p.mem.ReadUint32Le(addr)
	if !ok {
		panic(&Exit{Reason: outOfBounds})
	}
	return v
}

func (p *Process) store32(addr, v uint32) {
	if !p.mem.WriteUint32Le(addr, v) {
		panic(&Exit{Reason: outOfBounds})
	}
}

func (p *Process) store64(addr uint32, v uint64) {
	if !p.mem.WriteUint64Le(addr, v) {
		panic(&Exit{Reason: outOfBounds})
	}
}

func (p *Process) load8(addr uint32) byte {
	v, ok := p.mem.ReadByte(addr)
	if !ok {
		panic(&Exit{Reason: outOfBounds})
	}
	return v
}

func (p *Process) store8(addr uint32, v byte) {
	if !p.mem.WriteByte(addr, v) {
		panic(&Exit{Reason: outOfBounds})
	}
}

func (p *Process) bytes(addr, n uint32) []byte {
	b, ok := p.mem.Read(addr, n)
	if !ok {
		panic(&Exit{Reason: outOfBounds})
	}
	return b
}

// cstring copies the string that begins at addr.
func (p *Process) cstring(addr uint32) string {
	size := p.mem.Size()
	if addr >= size {
		panic(&Exit{Reason: outOfBounds})
	}
	b := p.bytes(addr, size-addr)
	n := bytes.IndexByte(b, 0)
	if n < 0 {
		panic(&Exit{Reason: outOfBounds})
	}
	return string(b[:n])
}

// Heap growth as Emscripten does it: a fifth more than asked, at most 96 MB more, never above 2 GB.
const (
	pageSize    = 65536
	heapMax     = 2 << 30
	growthExtra = 0.2
	growthCap   = 96 << 20
)

// resizeHeap grows the memory to at least size bytes; it returns 1, or 0 when that is impossible.
func (p *Process) resizeHeap(size uint32) uint32 {
	if size > heapMax {
		return 0
	}
	old := p.mem.Size()
	for cut := 1.0; cut <= 4; cut *= 2 {
		want := float64(old) * (1 + growthExtra/cut)
		want = min(want, float64(size)+growthCap)
		want = min(heapMax, math.Ceil(max(float64(size), want)/pageSize)*pageSize)
		if _, ok := p.mem.Grow(uint32((int64(want) - int64(old) + pageSize - 1) / pageSize)); ok {
			return 1
		}
	}
	return 0
}
