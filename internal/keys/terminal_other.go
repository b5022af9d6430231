//go:build !linux && !darwin

package keys

import (
	"context"
	"os"
)

// terminal is nothing here: keys come with Enter, and a wait for them is not interrupted.
type terminal struct{}

func openTerminal(*os.File) (*terminal, error) { return nil, nil }

func (*terminal) atOnce() bool { return false }

func (*terminal) wait(context.Context) error { return nil }

func (*terminal) close() error { return nil }
