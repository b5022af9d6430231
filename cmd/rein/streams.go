package main

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Limits of what waits for those who read the program's streams.
const (
	errorsWait = 2 * time.Second  // for the last lines on stderr
	resultWait = 10 * time.Second // for the result on stdout
)

// keptLines is how many lines stderr may lag behind before lines are left out.
const keptLines = 4096

// teller writes lines to a stream that perhaps nobody reads: only flush waits, and not for long. Its goroutine ends with
// end; a write that never returns holds it, and nothing else, until the process is over.
type teller struct {
	items chan item

	mu      sync.Mutex
	missed  int  // lines that found no room
	stuck   bool // a flush was in vain: nobody waits again
	stopped bool // no more lines
}

// item is a line, or a mark that is closed when what came before it is written.
type item struct {
	line string
	mark chan struct{}
}

func newTeller(w io.Writer) *teller {
	t := &teller{items: make(chan item, keptLines)}
	go t.write(w)
	return t
}

func (t *teller) write(w io.Writer) {
	for it := range t.items {
		if it.mark != nil {
			close(it.mark)
			continue
		}
		if n := t.takeMissed(); n > 0 {
			it.line = fmt.Sprintf("(%d lines are left out)\n%s", n, it.line)
		}
		_, _ = io.WriteString(w, it.line+"\n") // a lost stderr stops nothing
	}
}

func (t *teller) takeMissed() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.missed
	t.missed = 0
	return n
}

// say writes a line some time.
func (t *teller) say(line string) { t.put(item{line: line}) }

func (t *teller) put(it item) (taken bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped || it.mark != nil && t.stuck {
		return false
	}
	select {
	case t.items <- it:
		return true
	default:
		t.missed++
		return false
	}
}

// flush waits until what was said is written, at most limit.
func (t *teller) flush(limit time.Duration) {
	mark := make(chan struct{})
	if !t.put(item{mark: mark}) {
		return
	}
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-mark:
	case <-late.C:
		t.mu.Lock()
		defer t.mu.Unlock()
		t.stuck = true
	}
}

// end is the last flush.
func (t *teller) end() {
	t.flush(errorsWait)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.stopped {
		t.stopped = true
		close(t.items)
	}
}

// errUnread says that nobody takes what is written.
var errUnread = errors.New("nobody reads it")

// writeWithin writes, but does not wait for a reader that does not read.
func writeWithin(w io.Writer, data []byte, limit time.Duration) error {
	done := make(chan error, 1)
	go func() { // ends with the write, or with the process
		_, err := w.Write(data)
		done <- err
	}()
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
		return errUnread
	}
}

// output is a stream that remembers that a write to it failed, also where nobody asks (help).
type output struct {
	to io.Writer

	mu  sync.Mutex
	err error // the first
}

// Write writes.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.err == nil {
			o.err = err
		}
	}
	return n, err
}

// failed is the first error of a write, nil when all went out.
func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
