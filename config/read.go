package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Read reads a file of a configuration. Only a regular file is opened, so that a pipe or a device cannot hold anybody up,
// and no more is read than a file may have: a longer one comes back one byte longer than MaxBytes.
func Read(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("it is no regular file")}
	}
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	return data, errors.Join(err, file.Close())
}

// tooLong words the size of what Read gave.
func tooLong(data []byte) string {
	if len(data) == MaxBytes+1 {
		return "the file has more than that"
	}
	return fmt.Sprintf("the file has %d bytes", len(data))
}
