package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rein-robotics/rein/config"
)

// What is no regular file is not opened: a pipe would hold the program up, a device would fill its memory.
func TestReadTakesRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "zero.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "long.yaml"), make([]byte, 3*config.MaxBytes), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe.yaml", "zero.yaml", "folder.yaml"} {
		if _, err := config.Read(os.DirFS(dir), name); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if data, err := config.Read(os.DirFS(dir), "long.yaml"); err != nil || len(data) != config.MaxBytes+1 {
		t.Errorf("got %d bytes, %v", len(data), err)
	}
}
