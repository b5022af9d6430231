package mujoco

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/cpu"
)

// machine is what decides whether there is a compiler for the engine; the interpreter, which needs none, would be about 40 times slower.
type machine struct {
	os, arch string
	sse41    bool // amd64 only
}

func thisMachine() machine {
	return machine{os: runtime.GOOS, arch: runtime.GOARCH, sse41: cpu.X86.HasSSE41}
}

// supported follows wazero's own list of back ends.
func (m machine) supported() error {
	switch m.arch {
	case "amd64":
		if !m.sse41 {
			return errors.New("the physics engine needs a processor with SSE4.1 (any amd64 processor since 2011)")
		}
	case "arm64":
	default:
		return fmt.Errorf("the physics engine has no compiler for %s processors: use a machine with amd64 (x86-64) or arm64", m.arch)
	}
	switch m.os {
	case "linux", "darwin", "windows", "freebsd", "netbsd":
		return nil
	case "dragonfly", "solaris", "illumos":
		if m.arch == "amd64" {
			return nil
		}
	}
	return fmt.Errorf("the physics engine has no compiler for %s on %s: use Linux, macOS, Windows or FreeBSD", m.os, m.arch)
}
