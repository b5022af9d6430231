package episode

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Meta is what is known of an episode when it begins.
type Meta struct {
	Task  string
	Seed  *int64 // of the scene and of everything random; nil = not simulated
	Scene string
	Info  map[string]string // what else explains the run: planner, time, control rate
}

// Verdicts is what is known when an episode ends. The three words on success are kept apart; nil = there is none.
type Verdicts struct {
	Status    string
	Claimed   *bool // by the planner
	Checked   *bool // by the task's check
	Confirmed *bool // by a person
}

// Episode is episode.json.
type Episode struct {
	Episode   string            `json:"episode"` // "<session>/<NNNNNN>"
	Started   time.Time         `json:"started"`
	Ended     *time.Time        `json:"ended"`
	Task      string            `json:"task"`
	Seed      *int64            `json:"seed"`
	Scene     string            `json:"scene"`
	Versions  map[string]string `json:"versions"`
	Info      map[string]string `json:"info,omitempty"`
	Status    string            `json:"status"`
	Claimed   *bool             `json:"claimed"`
	Checked   *bool             `json:"checked"`
	Confirmed *bool             `json:"confirmed"`
	Sealed    bool              `json:"sealed"`
	Lost      []string          `json:"lost,omitempty"` // what a repair could not save
	// Files are the files under the episode's folder when it was sealed, by path. Lines that were added to events.jsonl
	// later are not part of its sum.
	Files map[string]FileSum `json:"files"`
}

// FileSum is the size and the SHA-256 of a file.
type FileSum struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// folder is the episode that a log writes to.
type folder struct {
	id, dir string
	record  Episode // of Begin and Seal, which run one at a time
}

// Begin opens the next episode: from here on events, images and turns go to it. Its first event is episode_started.
func (l *Log) Begin(m Meta) error {
	m.Task = l.opt.Redact.Text(m.Task)
	if l.dir == "" {
		return l.Append(EpisodeStarted{Task: m.Task})
	}
	if err := l.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	before := l.cur
	l.mu.Unlock()
	if before != nil {
		if err := l.reseal(before); err != nil {
			l.fail(err)
			return l.Err()
		}
	}
	if err := l.openFolder(m); err != nil {
		l.fail(fmt.Errorf("beginning an episode: %w", err))
		return l.Err()
	}
	return l.Append(EpisodeStarted{Task: m.Task})
}

func (l *Log) openFolder(m Meta) error {
	f, err := l.makeFolder(m)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(f.dir, "logs", "events.jsonl"), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	ev := &eventsFile{f: file, w: file}
	if l.opt.Wrap != nil {
		ev.w = l.opt.Wrap(file)
	}
	return l.run(func() error {
		l.closeFile()
		l.file = ev
		l.mu.Lock()
		defer l.mu.Unlock()
		l.cur, l.turns = f, 0
		return nil
	})
}

func (l *Log) makeFolder(m Meta) (*folder, error) {
	for n := len(episodeDirs(l.dir)) + 1; ; n++ {
		name := fmt.Sprintf("%06d", n)
		f := &folder{id: filepath.Base(l.dir) + "/" + name, dir: filepath.Join(l.dir, "episodes", name)}
		switch err := os.Mkdir(f.dir, 0o755); {
		case errors.Is(err, os.ErrExist):
			continue
		case err != nil:
			return nil, err
		}
		for _, d := range []string{"logs/images", "logs/turns"} {
			if err := os.MkdirAll(filepath.Join(f.dir, d), 0o755); err != nil {
				return nil, err
			}
		}
		f.record = Episode{
			Episode: f.id, Started: l.opt.Now().UTC().Truncate(time.Microsecond), Task: m.Task, Seed: m.Seed, Scene: m.Scene,
			Versions: l.opt.Versions, Info: m.Info, Files: map[string]FileSum{},
		}
		return f, writeJSON(filepath.Join(f.dir, "episode.json"), f.record)
	}
}

// Seal writes episode_ended, makes everything of the episode durable and notes its verdicts and the sums of its files.
// What is logged until the next Begin still goes to this episode, and is sealed with it then or by Close.
func (l *Log) Seal(v Verdicts) error {
	if err := l.Append(EpisodeEnded{Status: v.Status}); err != nil || l.dir == "" {
		return err
	}
	l.mu.Lock()
	f := l.cur
	l.mu.Unlock()
	if f == nil {
		return nil
	}
	now := l.opt.Now().UTC().Truncate(time.Microsecond)
	f.record.Ended, f.record.Sealed, f.record.Status = &now, true, v.Status
	f.record.Claimed, f.record.Checked, f.record.Confirmed = v.Claimed, v.Checked, v.Confirmed
	if err := l.reseal(f); err != nil {
		l.fail(err)
	}
	return l.Err()
}

// reseal brings the sums of f up to date, for an episode that was sealed; an unsealed one is only made durable.
func (l *Log) reseal(f *folder) error {
	if err := l.run(func() error {
		if l.file == nil {
			return nil
		}
		return l.file.f.Sync()
	}); err != nil {
		return fmt.Errorf("sealing: %w", err)
	}
	if !f.record.Sealed {
		return nil
	}
	sums, err := sumFiles(f.dir)
	if err != nil {
		return fmt.Errorf("sealing: %w", err)
	}
	f.record.Files = sums
	if err := writeJSON(filepath.Join(f.dir, "episode.json"), f.record); err != nil {
		return fmt.Errorf("sealing: %w", err)
	}
	if err := syncPath(f.dir); err != nil {
		return fmt.Errorf("sealing: %w", err)
	}
	return nil
}
