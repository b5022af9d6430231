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

	"github.com/rein-robotics/rein/internal/regular"
)

// lines is a file of one JSON object a line.
type lines[T any] struct {
	list []placed[T]
	torn string // says that the last line was being written when its writer ended, and is left out; "" = it was not
}

// placed is what stands on a line of a file, with its number; 0 = it has been written since the file was read.
type placed[T any] struct {
	v    T
	line int
}

// mostLines is the longest such file that is read, bytes.
const mostLines = 1 << 30

// byteOrder is what some editors put before a text.
const byteOrder = "\xef\xbb\xbf"

// readLines reads such a file, strictly. A file that is not there has none; a wrong line is told with its place. A last
// line without an end that is no JSON was torn: it is left out, and appendLine cuts it off.
func readLines[T any](path string, f form[T]) (lines[T], error) {
	var out lines[T]
	data, err := regular.Read(path, mostLines)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("reading: %w", err)
	}
	n := 0
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte(byteOrder))) {
		n++
		if torn(line) {
			out.torn = fmt.Sprintf("%s:%d: the last line is torn and is left out", path, n)
			break
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		v, err := f.decode(line)
		if err != nil {
			return out, fmt.Errorf("%s:%d: %w; mend or delete the line", path, n, err)
		}
		out.list = append(out.list, placed[T]{v, n})
	}
	return out, nil
}

// torn says that a line has no end and is no JSON.
func torn(line []byte) bool {
	return len(line) > 0 && line[len(line)-1] != '\n' && len(bytes.TrimSpace(line)) > 0 && !json.Valid(line)
}

// appendLine adds a line to a file, which is made when it is not there. The line is on the disk when it returns.
func appendLine(path string, v any) error {
	line, err := json.Marshal(v)
	if err == nil && len(line) > mostLine {
		err = errLong
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("writing a line: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("writing a line: %w", err)
	}
	begun, err := unfinished(f)
	if begun && err == nil { // a line that a person left without an end is not glued to
		line = slices.Insert(line, 0, '\n')
	}
	if err == nil {
		_, err = f.Write(append(line, '\n')) // in one piece: a kill leaves all of it or nothing
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// unfinished says that the file's last line has no end. One that is torn is cut off.
func unfinished(f *os.File) (bool, error) {
	st, err := f.Stat()
	if err != nil || st.Size() == 0 {
		return false, err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, st.Size()-1); err != nil || last[0] == '\n' {
		return false, err
	}
	data, err := io.ReadAll(io.NewSectionReader(f, 0, st.Size()))
	if err != nil {
		return false, err
	}
	from := bytes.LastIndexByte(data, '\n') + 1
	if torn(data[from:]) {
		return false, f.Truncate(int64(from))
	}
	return true, nil
}
