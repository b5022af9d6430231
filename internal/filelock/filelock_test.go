package filelock_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/rein-robotics/rein/internal/filelock"
)

func TestALockHasOneHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := filelock.Try(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := filelock.Try(path); !errors.Is(err, filelock.ErrHeld) {
		t.Errorf("held, and taken again: %v", err)
	}
	unlock()
	again, err := filelock.Try(path)
	if err != nil {
		t.Fatalf("free, and not taken: %v", err)
	}
	again()
	if _, err := filelock.Try(filepath.Join(path, "below")); err == nil || errors.Is(err, filelock.ErrHeld) {
		t.Errorf("a file that cannot be: %v", err)
	}
}
