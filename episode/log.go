package episode

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Options say how a log is written. The zero value works.
type Options struct {
	Session string // the session's name, in its folder's name as a slug; "" = session
	Side    string // controller or robot; "" = controller
	// Clock is the robot clock; simulated true puts sim_s on every line. It must not block and not call the log.
	// nil = a robot without simulated time.
	Clock func() (now time.Duration, simulated bool)
	// Now is the wall clock; nil = time.Now.
	Now      func() time.Time
	Versions map[string]string // of the program and what it stands on, for session.json
	// Redact takes keys out of all that is written, and out of the events that those who follow see.
	Redact *Redactor
	// Wrap, when set, stands before the events file: the fault dial of tests.
	Wrap func(io.Writer) io.Writer
}

// writeLimit is how long one write may take before the log counts as broken.
const writeLimit = time.Second

// keptEntries is how many of the newest entries stay in memory for those who follow.
const keptEntries = 8192

// Log is the one sequencer of a process's events. All methods may be called from any goroutine, but Begin, Seal and
// Close only one at a time. Whoever opened it closes it.
type Log struct {
	dir    string // of the session; "" = recording is off
	opt    Options
	failed chan struct{} // closed when the log broke
	hung   chan struct{} // closed when it broke because a write does not end; entries are then shown past the writer
	work   chan struct{} // one slot: there is something to write
	done   chan struct{} // closed when the writer has ended

	mu        sync.Mutex // guards what follows
	queue     []item
	seq       uint64
	closed    bool
	err       error
	cur       *folder       // the episode that images and turns go to; nil before the first
	entries   []Entry       // the newest keptEntries, oldest first
	dropped   uint64        // the highest sequence number that is not in entries any more
	changed   chan struct{} // closed and renewed when entries grew
	published bool          // no more entries will come
	threads   map[string]*thread
	turns     int               // files written in the current episode
	images    map[string]string // by name, the folder that has it last

	file *eventsFile // owned by the writer
}

// item is one piece of work of the writer, in the order of the queue.
type item struct {
	entry Entry
	do    func() error // set instead of entry: runs in the writer between two lines
	done  chan error   // buffered; nil = nobody waits
}

// Open makes a new session under root/<side>/ and begins to log; no episode is open yet. It fails when the folder
// cannot be written.
func Open(root string, opt Options) (*Log, error) {
	l := newLog(opt)
	dir, err := makeSession(root, l.opt)
	if err != nil {
		return nil, err
	}
	l.dir = dir
	go l.write()
	return l, nil
}

// Off is a log that records nothing and never fails: its events are only followed.
func Off(opt Options) *Log {
	l := newLog(opt)
	go l.write()
	return l
}

func newLog(opt Options) *Log {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Clock == nil {
		opt.Clock = func() (time.Duration, bool) { return 0, false }
	}
	if opt.Side == "" {
		opt.Side = "controller"
	}
	return &Log{
		opt:    opt,
		failed: make(chan struct{}), hung: make(chan struct{}), work: make(chan struct{}, 1), done: make(chan struct{}),
		changed: make(chan struct{}), threads: map[string]*thread{}, images: map[string]string{},
	}
}

// Dir is the session's folder, "" when nothing is recorded.
func (l *Log) Dir() string { return l.dir }

// Episode is the ID of the episode that events go to, "<session>/<episode>"; "" when none was begun or nothing is
// recorded.
func (l *Log) Episode() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cur == nil {
		return ""
	}
	return l.cur.id
}

// EpisodeDir is the folder of that episode, "" when there is none.
func (l *Log) EpisodeDir() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cur == nil {
		return ""
	}
	return l.cur.dir
}

// Failed is closed when a log that should be written cannot be: all motion must stop. It is never closed when
// recording is off.
func (l *Log) Failed() <-chan struct{} { return l.failed }

// Err is why the log is broken, nil while it is well. It stays.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Append logs e and returns once the operating system has it: what e announces may happen after that and not before.
// Before the first Begin, and with recording off, it only hands e to those who follow.
func (l *Log) Append(e Event) error {
	done := make(chan error, 1)
	if err := l.enqueue(e, done); err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-l.failed:
	}
	select {
	case err := <-done:
		return err
	default:
		return l.Err()
	}
}

// Post logs e in its place in the order and does not wait. For facts that announce no motion.
func (l *Log) Post(e Event) {
	_ = l.enqueue(e, nil) // a closed log has nobody left to tell
}

// Sync waits until everything posted so far is written.
func (l *Log) Sync() error { return l.run(func() error { return nil }) }

// run lets the writer do something between two lines and waits for it.
func (l *Log) run(do func() error) error {
	done := make(chan error, 1)
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return errClosed
	}
	l.queue = append(l.queue, item{do: do, done: done})
	l.mu.Unlock()
	l.wake()
	select {
	case err := <-done:
		return err
	case <-l.failed:
		return l.Err()
	}
}

var errClosed = errors.New("episode log: closed")

func (l *Log) enqueue(e Event, done chan error) error {
	if e == nil {
		return errors.New("episode log: no event")
	}
	e = l.opt.Redact.Event(e)
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return errClosed
	}
	if l.err != nil && announces(e) {
		defer l.mu.Unlock()
		return l.err
	}
	sim, simulated := l.opt.Clock()
	it := item{done: done, entry: Entry{T: l.opt.Now().UTC().Truncate(time.Microsecond), Sim: sim, Simulated: simulated, Event: e}}
	if l.isHung() {
		l.show(it.entry)
		defer l.mu.Unlock()
		return l.err
	}
	l.queue = append(l.queue, it)
	l.mu.Unlock()
	l.wake()
	return nil
}

func (l *Log) isHung() bool {
	select {
	case <-l.hung:
		return true
	default:
		return false
	}
}

func (l *Log) wake() {
	select {
	case l.work <- struct{}{}:
	default:
	}
}

// announces says that something moves because of e: when it cannot be written, it does not happen.
func announces(e Event) bool {
	switch e.(type) {
	case SkillStarted, ServiceStarted, PlanStep, ActionStarted:
		return true
	}
	return false
}

// fail breaks the log for good.
func (l *Log) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.breakWith(err)
}

// hang is fail for a write that does not end.
func (l *Log) hang(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.breakWith(err)
	close(l.hung)
}

// breakWith is fail for who holds mu.
func (l *Log) breakWith(err error) {
	if l.err != nil {
		return
	}
	l.err = fmt.Errorf("episode log %s: %w", filepath.Base(l.dir), err)
	close(l.failed)
}

// Close writes what was posted, seals what was logged since the last Seal and ends the log. Those who follow see the
// end. It returns the log's error.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		<-l.done
		return l.Err()
	}
	cur, healthy := l.cur, l.err == nil
	l.mu.Unlock()
	if healthy && cur != nil {
		if err := l.reseal(cur); err != nil {
			l.fail(err)
		}
	}
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.wake()
	select {
	case <-l.done:
	case <-l.hung:
		l.publish()
	}
	return l.Err()
}

// eventsFile is the open events.jsonl of one episode.
type eventsFile struct {
	f *os.File
	w io.Writer
}
