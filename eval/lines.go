package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// readLines reads a file of one JSON object a line, strictly. A file that is not there has none; a wrong line is told with
// its place.
func readLines[T any](path string, check func(T) error) ([]T, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	var out []T
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var v T
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		err := d.Decode(&v)
		if err == nil {
			if _, more := d.Token(); more != io.EOF {
				err = errors.New("there is more than one object on the line")
			}
		}
		if err == nil {
			err = check(v)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w; mend or delete the line", path, n, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// appendLine adds a line to a file, which is made when it is not there. The line is on the disk when it returns.
func appendLine(path string, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("writing labels: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("writing labels: %w", err)
	}
	begun, err := unfinished(f)
	if begun && err == nil { // a line that a person left without an end is not glued to
		line = slices.Insert(line, 0, '\n')
	}
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// unfinished says that the file's last line has no end.
func unfinished(f *os.File) (bool, error) {
	st, err := f.Stat()
	if err != nil || st.Size() == 0 {
		return false, err
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, st.Size()-1)
	return last[0] != '\n', err
}
