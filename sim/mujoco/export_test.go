package mujoco

import "slices"

// SupportedOn lets a test ask about other machines.
func SupportedOn(os, arch string, features ...string) error {
	return machine{os: os, arch: arch, sse41: slices.Contains(features, "sse4.1")}.supported()
}

// Plan lets a test patch the engine file as this package does.
var Plan = plan

// MemorySize is the size of the engine memory of a Sim in bytes.
func MemorySize(s *Sim) uint32 { return s.mem.Size() }
