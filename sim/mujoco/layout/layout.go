// Package layout holds where the fields of mjModel, mjData and mjContact lie in the memory of MuJoCo 3.12.0 compiled to wasm32.
//
// Its one invariant: every constant comes from the committed layout file, which was read from the official headers; none is written by hand
// except the size of a whole mjContact. Pointer fields hold 4-byte addresses, mjtNum is float64, mjtSize int64, mjtBool one byte.
package layout

//go:generate go run ./gen mujoco-3.12.0-layout.json

// SizeofContact is the distance in bytes between two contacts of the contact array: the last field ends at 580, the struct is 8-byte aligned.
const SizeofContact = 584
