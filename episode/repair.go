package episode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Repair makes the best of an episode whose process was killed: it cuts off a torn line, removes half-written files,
// writes episode.json again when it is gone, and seals. It returns what was lost, in words; an episode that is sealed and
// whole is left as it is. An altered or missing file of a sealed episode cannot be repaired: that is told as lost and the
// old sums stay.
func Repair(dir string) (lost []string, err error) {
	before, err := Verify(dir)
	if err != nil {
		return nil, err
	}
	if before.Sealed && (!before.Torn || !before.OK()) {
		for _, p := range before.Problems {
			lost = append(lost, p.String())
		}
		return lost, nil
	}
	more, err := cutTorn(filepath.Join(dir, filepath.FromSlash(eventsPath)))
	if err != nil {
		return nil, fmt.Errorf("repairing: %w", err)
	}
	lost = append(lost, more...)
	if more, err = removeTemps(dir); err != nil {
		return nil, fmt.Errorf("repairing: %w", err)
	}
	lost = append(lost, more...)
	after, err := Verify(dir)
	if err != nil {
		return nil, err
	}
	for _, p := range after.Problems {
		if p.File != "episode.json" {
			lost = append(lost, p.String())
		}
	}
	return lost, sealRepaired(dir, lost)
}

// cutTorn keeps the whole lines of an events file. What it cuts off it keeps beside, in events.jsonl.torn.
func cutTorn(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return []string{eventsPath + ": all of it"}, os.WriteFile(path, nil, 0o644)
	}
	if err != nil {
		return nil, err
	}
	keep := 0
	for keep < len(data) {
		n := bytes.IndexByte(data[keep:], '\n')
		if n < 0 || !json.Valid(data[keep:keep+n]) {
			break
		}
		keep += n + 1
	}
	if keep == len(data) {
		return nil, nil
	}
	if err := writeFile(path+".torn", data[keep:]); err != nil {
		return nil, err
	}
	if err := os.Truncate(path, int64(keep)); err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("%s: the last %d bytes, which are no whole line; they are kept in %s.torn", eventsPath, len(data)-keep, eventsPath)}, nil
}

func removeTemps(dir string) (lost []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, tempSuffix) {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		lost = append(lost, filepath.ToSlash(rel)+": it was half written")
		return os.Remove(path)
	})
	return lost, err
}

// sealRepaired writes what episode.json can still say.
func sealRepaired(dir string, lost []string) error {
	record, err := ReadEpisode(dir)
	if err != nil {
		record = &Episode{Episode: idOf(dir)}
	}
	if !record.Sealed { // else its verdicts stand
		record.recall(dir)
	}
	record.Sealed, record.Lost = true, append(record.Lost, lost...)
	if record.Files, err = sumFiles(dir); err != nil {
		return fmt.Errorf("repairing: %w", err)
	}
	if err := writeJSON(filepath.Join(dir, "episode.json"), record); err != nil {
		return fmt.Errorf("repairing: %w", err)
	}
	return nil
}

// recall fills in what the events still tell.
func (record *Episode) recall(dir string) {
	var first, last time.Time
	for e, err := range Read(dir) {
		if err != nil {
			break
		}
		if first.IsZero() {
			first = e.T
		}
		last = e.T
		switch ev := e.Event.(type) {
		case EpisodeStarted:
			if record.Task == "" {
				record.Task = ev.Task
			}
		case RunEnded:
			record.Status, record.Claimed, record.Checked = ev.Status, ev.Claimed, ev.Checked
		}
	}
	if record.Started.IsZero() {
		record.Started = first
	}
	if record.Status == "" {
		record.Status = StatusLost
	}
	if !last.IsZero() {
		record.Ended = &last
	}
}

// StatusLost is the status of an episode whose process ended without a word.
const StatusLost = "lost"
