package episode

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
)

// Lagged says that a reader was so slow that entries are gone from memory and from nowhere else to be had. It goes on
// with the oldest entry that is left.
type Lagged struct{ From, To uint64 } // sequence numbers that were missed, both included

func (e *Lagged) Error() string {
	return fmt.Sprintf("following the log: events %d to %d are gone; nothing was recorded", e.From, e.To)
}

// From yields the entries with a sequence number above after, as they were written, and then those to come, until ctx
// is done or the log is closed. A slow reader lags behind and holds up nobody.
func (l *Log) From(ctx context.Context, after uint64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for {
			batch, oldest, changed, closed := l.newer(after)
			if oldest > after+1 {
				var ok bool
				if after, ok = l.older(after, oldest, yield); !ok {
					return
				}
				continue
			}
			for _, e := range batch {
				if ctx.Err() != nil || !yield(e, nil) {
					return
				}
				after = e.Seq
			}
			if len(batch) > 0 {
				continue
			}
			if closed {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}
}

// newer is what is in memory above after; oldest is the lowest number that can follow after without a loss, or the
// oldest one in memory.
func (l *Log) newer(after uint64) (batch []Entry, oldest uint64, changed <-chan struct{}, closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	closed = l.published
	i := len(l.entries)
	for i > 0 && l.entries[i-1].Seq > after {
		i--
	}
	if i == 0 && l.dropped > after {
		return nil, l.dropped + 1, l.changed, closed
	}
	return l.entries[i:len(l.entries):len(l.entries)], after + 1, l.changed, closed
}

// older yields what only the files still have: the entries above after and below oldest.
func (l *Log) older(after, oldest uint64, yield func(Entry, error) bool) (last uint64, ok bool) {
	last = after
	for _, dir := range episodeDirs(l.dir) {
		for e, err := range Read(dir) {
			if err != nil {
				break // a line that is being written
			}
			if e.Seq <= last || e.Seq >= oldest {
				continue
			}
			if !yield(e, nil) {
				return last, false
			}
			last = e.Seq
		}
	}
	if last == after && !yield(Entry{}, &Lagged{From: after + 1, To: oldest - 1}) {
		return last, false
	}
	return max(last, oldest-1), true
}

// publish shows entries to those who follow; without any it says that no more will come.
func (l *Log) publish(es ...Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(es) == 0 {
		l.published = true
	}
	l.show(es...)
}

// show is publish for who holds mu. It gives each entry the number that the writer wrote, or would have.
func (l *Log) show(es ...Entry) {
	for i := range es {
		l.seq++
		es[i].Seq = l.seq
	}
	l.entries = append(l.entries, es...)
	if n := len(l.entries) - keptEntries; n >= keptEntries/4 {
		l.dropped = l.entries[n-1].Seq
		l.entries = append([]Entry(nil), l.entries[n:]...)
	}
	close(l.changed)
	l.changed = make(chan struct{})
}

// episodeDirs lists the episode folders of a session, oldest first; none when there is no session.
func episodeDirs(session string) []string {
	if session == "" {
		return nil
	}
	list, err := os.ReadDir(filepath.Join(session, "episodes"))
	if err != nil {
		return nil
	}
	var dirs []string
	for _, d := range list {
		if d.IsDir() {
			dirs = append(dirs, filepath.Join(session, "episodes", d.Name()))
		}
	}
	return dirs
}
