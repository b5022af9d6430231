// Package regular opens files that other hands may have put there.
//
// Its one invariant: only a regular file is opened, so that a pipe or a device holds nobody up and has an end.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

var errNot = errors.New("it is no regular file")

// Open opens a file for reading, links followed.
func Open(path string) (*os.File, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := Check(path, st); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// Check refuses what is no regular file.
func Check(path string, st fs.FileInfo) error {
	if !st.Mode().IsRegular() {
		return &fs.PathError{Op: "open", Path: path, Err: errNot}
	}
	return nil
}

// Read reads a file of at most so many bytes.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s is longer than %d bytes", path, most)
	}
	return data, err
}
