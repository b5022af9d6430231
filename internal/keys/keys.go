// Package keys reads the keys that a person types: from a terminal each one at once, without Enter, from anything else as
// it comes.
//
// Its one invariant: after Close the terminal is as it was before Open. Signals are not read as keys: Ctrl-C stays one.
package keys

import (
	"context"
	"io"
	"os"
	"unicode/utf8"
)

// endOfInput is what a terminal sends for Ctrl-D when its keys come one by one.
const endOfInput = 4

// escape begins what a key sends that is no character.
const escape = 0x1b

// Reader reads keys. One goroutine uses it.
type Reader struct {
	in    io.Reader
	tty   *terminal // nil = in is no file, or of a system without terminals
	bytes []byte    // that have been read and not been given
	err   error     // what came instead of more
}

// Open makes a reader. A terminal gives its keys one by one and does not echo them until Close.
func Open(in io.Reader) (*Reader, error) {
	r := &Reader{in: in}
	f, ok := in.(*os.File)
	if !ok {
		return r, nil
	}
	var err error
	r.tty, err = openTerminal(f)
	return r, err
}

// Close gives the terminal back as it was.
func (r *Reader) Close() error {
	if r.tty == nil {
		return nil
	}
	return r.tty.close()
}

// Next waits for a key. io.EOF says that there are no more; the cause of ctx, that it has ended. A source that is no file
// is not interrupted. What arrow and function keys of a terminal send is passed over.
func (r *Reader) Next(ctx context.Context) (rune, error) {
	for {
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		if key, ok := r.take(); ok {
			if key == endOfInput && r.atOnce() {
				return 0, io.EOF
			}
			return key, nil
		}
		if r.err != nil {
			return 0, r.err
		}
		if r.tty != nil {
			if err := r.tty.wait(ctx); err != nil {
				return 0, err
			}
		}
		chunk := make([]byte, 256)
		n, err := r.in.Read(chunk)
		if chunk = chunk[:n]; r.atOnce() {
			chunk = withoutSequences(chunk)
		}
		r.bytes, r.err = append(r.bytes, chunk...), err
	}
}

// atOnce says that keys come one by one.
func (r *Reader) atOnce() bool { return r.tty != nil && r.tty.atOnce() }

// take takes a character from what has been read. At the end, what is left of a broken one counts as one.
func (r *Reader) take() (rune, bool) {
	if len(r.bytes) == 0 || r.err == nil && !utf8.FullRune(r.bytes) {
		return 0, false
	}
	key, n := utf8.DecodeRune(r.bytes)
	r.bytes = r.bytes[n:]
	return key, true
}

// withoutSequences leaves out what keys that are no characters send: Delete is escape [ 3 ~, and no 3. A terminal sends
// them in one piece.
func withoutSequences(chunk []byte) []byte {
	var out []byte
	for i := 0; i < len(chunk); i++ {
		if chunk[i] != escape {
			out = append(out, chunk[i])
			continue
		}
		if i++; i >= len(chunk) || chunk[i] != '[' && chunk[i] != 'O' {
			continue
		}
		for i++; i < len(chunk) && (chunk[i] < '@' || chunk[i] > '~'); i++ {
		}
	}
	return out
}
