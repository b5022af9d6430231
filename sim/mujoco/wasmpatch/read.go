package wasmpatch

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Section ids of the binary format.
const (
	secCustom   = 0
	secType     = 1
	secImport   = 2
	secFunction = 3
	secExport   = 7
	secElement  = 9
	secCode     = 10
)

var errTruncated = errors.New("the module ends too early")

// section is one section of a module: its id and content, without the size.
type section struct {
	id   byte
	body []byte
}

// sections splits a module.
func sections(wasm []byte) ([]section, error) {
	if len(wasm) < 8 || string(wasm[:8]) != "\x00asm\x01\x00\x00\x00" {
		return nil, errors.New("not a WebAssembly module")
	}
	var out []section
	r := reader{b: wasm[8:]}
	for len(r.b) > 0 && r.err == nil {
		id := r.byte()
		out = append(out, section{id, r.bytes(r.u32())})
	}
	return out, r.err
}

// reader takes values off the front of a slice; after the first error it returns zeros.
type reader struct {
	b   []byte
	err error
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail()
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) fail() {
	r.b = nil
	if r.err == nil {
		r.err = errTruncated
	}
}

func (r *reader) u32() uint32 {
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		c := r.byte()
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			if v > 0xffffffff {
				break
			}
			return uint32(v)
		}
	}
	r.b = nil
	if r.err == nil {
		r.err = errors.New("a number is too long")
	}
	return 0
}

func (r *reader) bytes(n uint32) []byte {
	if uint64(n) > uint64(len(r.b)) {
		r.fail()
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) name() string { return string(r.bytes(r.u32())) }

// importedFuncs returns the types of the function imports.
func importedFuncs(body []byte) ([]uint32, error) {
	r := reader{b: body}
	var funcs []uint32
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		r.name()
		r.name()
		switch kind := r.byte(); kind {
		case 0: // function: type index
			funcs = append(funcs, r.u32())
		case 1: // table: element type, limits
			r.byte()
			r.limits()
		case 2: // memory: limits
			r.limits()
		case 3: // global: type, mutability
			r.bytes(2)
		default:
			return nil, fmt.Errorf("unknown import kind %d", kind)
		}
	}
	return funcs, r.err
}

func (r *reader) limits() {
	flags := r.byte()
	r.u32()
	if flags&1 != 0 {
		r.u32()
	}
}

// funcNames reads the function names of a "name" section; ok is false for any other custom section.
func funcNames(body []byte) (names map[uint32]string, ok bool, err error) {
	r := reader{b: body}
	if r.name() != "name" || r.err != nil {
		return nil, false, nil
	}
	for len(r.b) > 0 {
		id := r.byte()
		sub := reader{b: r.bytes(r.u32())}
		if r.err != nil {
			return nil, true, r.err
		}
		if id != 1 {
			continue
		}
		n := sub.u32()
		names = make(map[uint32]string, min(n, 1<<16))
		for ; n > 0 && sub.err == nil; n-- {
			i := sub.u32()
			names[i] = sub.name()
		}
		return names, true, sub.err
	}
	return nil, true, errors.New("the name section names no functions")
}

// funcType is a function type: its value types as they are encoded.
type funcType struct{ params, results []byte }

func funcTypes(body []byte) ([]funcType, error) {
	r := reader{b: body}
	var types []funcType
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		if form := r.byte(); form != 0x60 && r.err == nil {
			return nil, fmt.Errorf("type %d is of a form %#x that is not known here", len(types), form)
		}
		types = append(types, funcType{r.bytes(r.u32()), r.bytes(r.u32())})
	}
	return types, r.err
}

// mapElements rewrites the function indices of an element section. Only the form that Emscripten writes is known: active, table 0, a constant
// offset, a list of indices.
func mapElements(body []byte, to func(uint32) uint32) ([]byte, error) {
	r := reader{b: body}
	n := r.u32()
	out := binary.AppendUvarint(make([]byte, 0, len(body)), uint64(n))
	for ; n > 0 && r.err == nil; n-- {
		flags, op, offset, end := r.byte(), r.byte(), r.u32(), r.byte()
		if r.err == nil && (flags != 0 || op != opI32Const || end != opEnd) {
			return nil, errors.New("a table is filled in a form that is not known here")
		}
		out = append(out, flags, op)
		out = binary.AppendUvarint(out, uint64(offset))
		out = append(out, end)
		count := r.u32()
		out = binary.AppendUvarint(out, uint64(count))
		for ; count > 0 && r.err == nil; count-- {
			out = binary.AppendUvarint(out, uint64(to(r.u32())))
		}
	}
	return out, r.err
}
