package wasmpatch

import "encoding/binary"

// Instructions of the bodies written here.
const (
	opUnreachable = 0x00
	opBlock       = 0x02
	opLoop        = 0x03
	opEnd         = 0x0b
	opBr          = 0x0c
	opBrIf        = 0x0d
	opCall        = 0x10
	opLocalGet    = 0x20
	opLocalSet    = 0x21
	opI32Const    = 0x41
	opI32Eqz      = 0x45
	opI32Sub      = 0x6b

	noResult = 0x40
)

// loop is the body of a function (a, b, n): while n != 0 { body(a, b); n-- }.
func loop(body uint32) []byte {
	out := []byte{
		0, // no locals
		opBlock, noResult,
		opLoop, noResult,
		opLocalGet, 2, opI32Eqz, opBrIf, 1, // n == 0 leaves the block
		opLocalGet, 0, opLocalGet, 1, opCall,
	}
	out = binary.AppendUvarint(out, uint64(body))
	return append(out,
		opLocalGet, 2, opI32Const, 1, opI32Sub, opLocalSet, 2,
		opBr, 0,
		opEnd, opEnd, opEnd)
}

// forward is the body of a function that calls target with its own n parameters.
func forward(target uint32, n int) []byte {
	out := []byte{0}
	for i := range n {
		out = append(out, opLocalGet)
		out = binary.AppendUvarint(out, uint64(i))
	}
	out = append(out, opCall)
	out = binary.AppendUvarint(out, uint64(target))
	return append(out, opEnd)
}
