package mujoco

// SupportedOn lets a test ask about other machines.
var SupportedOn = supportedOn

// Plan lets a test patch the engine file as this package does.
var Plan = plan

// MemorySize is the size of the engine memory of a Sim in bytes.
func MemorySize(s *Sim) uint32 { return s.mem.Size() }
