// Package mujoco is the physics engine: MuJoCo 3.12.0, the vendor's own WebAssembly build, hosted in this process without cgo.
//
// Its one invariant: what the engine computes is what the same package computes in Node, to the last bit; nothing here adds to, rounds or
// repairs a number on the way.
//
// Start with Open (once a program), then Engine.Load (one Sim for each scene), then Sim.Step. Units and frames are MuJoCo's: SI units, radians,
// quaternions (w, x, y, z), matrices row by row, cameras looking along -Z with +Y up. An Engine may be used by many goroutines at once; a Sim
// belongs to one goroutine at a time.
package mujoco
