package episode

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"

	"github.com/rein-robotics/rein/internal/regular"
)

// ErrTorn is the last line of a log whose writer was killed: it has no newline or is no JSON. Everything before it is
// whole.
var ErrTorn = errors.New("the last line is torn")

// maxLine is the longest line a reader takes.
const maxLine = 64 << 20

// Read yields the entries of the episode in folder dir, in order. A torn last line ends it with ErrTorn, any other
// damage with the error of its line.
func Read(dir string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		f, err := regular.Open(filepath.Join(dir, filepath.FromSlash(eventsPath)))
		if err != nil {
			yield(Entry{}, fmt.Errorf("reading episode: %w", err))
			return
		}
		defer f.Close()
		for e, err := range Parse(f) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// Parse yields the entries of an events file.
func Parse(r io.Reader) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		br := bufio.NewReaderSize(r, 64<<10)
		for n := 1; ; n++ {
			line, err := readLine(br)
			switch {
			case err == io.EOF && len(line) == 0:
				return
			case err == io.EOF:
				yield(Entry{}, fmt.Errorf("events.jsonl line %d: %w", n, ErrTorn))
				return
			case err != nil:
				yield(Entry{}, fmt.Errorf("events.jsonl line %d: %w", n, err))
				return
			}
			var e Entry
			if err := e.UnmarshalJSON(line); err != nil {
				if _, end := br.Peek(1); end == io.EOF && !json.Valid(line) {
					err = ErrTorn
				}
				yield(Entry{}, fmt.Errorf("events.jsonl line %d: %w", n, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// readLine is one line without its newline; io.EOF comes with what stands after the last newline.
func readLine(br *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := br.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(line, []byte("\n")), nil
		case errors.Is(err, bufio.ErrBufferFull) && len(line) <= maxLine:
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("longer than %d MB", maxLine>>20)
		default:
			return line, err
		}
	}
}
