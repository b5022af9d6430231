package episode

import (
	"fmt"
	"io"
	"time"
)

// write is the writer: the only goroutine that touches the events file. It ends after Close, or when the log is stuck.
func (l *Log) write() {
	defer close(l.done)
	defer l.closeFile()
	for {
		<-l.work
		for {
			l.mu.Lock()
			batch, closed := l.queue, l.closed
			l.queue = nil
			l.mu.Unlock()
			for _, it := range batch {
				l.handle(it)
			}
			if len(batch) > 0 {
				continue
			}
			if closed {
				l.publish()
				return
			}
			break
		}
	}
}

func (l *Log) closeFile() {
	if l.file != nil {
		_ = l.file.f.Close() // Close synced it; what is lost was told there
	}
}

func (l *Log) handle(it item) {
	var err error
	if it.do != nil {
		err = it.do()
	} else {
		err = l.record(it)
	}
	if it.done != nil {
		it.done <- err
	}
}

// record writes one event and shows it to those who follow. What announces a motion and was not written is not shown:
// it does not happen.
func (l *Log) record(it item) error {
	l.mu.Lock()
	err := l.err
	it.entry.Seq = l.seq + 1 // what cannot be written uses up no number
	l.mu.Unlock()
	if err == nil && l.file != nil {
		err = l.writeLine(it)
	}
	if l.isHung() { // later entries were shown meanwhile
		return err
	}
	if err == nil || (l.Err() != nil && !announces(it.entry.Event)) {
		l.publish(it.entry)
	}
	return err
}

func (l *Log) writeLine(it item) error {
	line, err := it.entry.MarshalJSON()
	if err == nil {
		err = l.settle(it.entry.Event)
	}
	if err != nil {
		if it.done == nil { // nobody hears of it
			l.fail(err)
		}
		return err
	}
	line = append(line, '\n')
	if err := l.within("writing an event", func() error { return writeAll(l.file.w, line) }); err != nil {
		return err
	}
	return nil
}

func writeAll(w io.Writer, line []byte) error {
	n, err := w.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	return err
}

// within runs one write; when it fails or takes longer than writeLimit, the log is broken.
func (l *Log) within(what string, write func() error) error {
	t := time.AfterFunc(writeLimit, func() {
		l.hang(fmt.Errorf("%s: not done after %v; is the disk still there?", what, writeLimit))
	})
	err := write()
	t.Stop()
	if err != nil {
		l.fail(fmt.Errorf("%s: %w; make room on the disk or choose another --record folder", what, err))
	}
	return l.Err() // holds err
}
