package episode

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
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
	if before.Sealed && !before.Torn {
		return before.words(), nil
	}
	more, err := dropDamaged(filepath.Join(dir, filepath.FromSlash(eventsPath)))
	if err != nil {
		return nil, fmt.Errorf("repairing: %w", err)
	}
	lost = append(lost, more...)
	if before.Sealed && !before.OK() {
		return append(lost, before.words()...), nil
	}
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

// words are the problems in words.
func (r *Report) words() (out []string) {
	for _, p := range r.Problems {
		out = append(out, p.String())
	}
	return out
}

// dropDamaged keeps the lines of an events file that can be read, wherever they stand. The others it keeps beside, in
// events.jsonl.torn.
func dropDamaged(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return []string{eventsPath + ": all of it"}, os.WriteFile(path, nil, 0o644)
	}
	if err != nil {
		return nil, err
	}
	var whole, torn []byte
	var which []string
	for n := 1; len(data) > 0; n++ {
		line := data
		if end := bytes.IndexByte(data, '\n'); end >= 0 {
			line = data[:end+1]
		}
		data = data[len(line):]
		var e Entry
		if body, ended := bytes.CutSuffix(line, []byte("\n")); ended && e.UnmarshalJSON(body) == nil {
			whole = append(whole, line...)
			continue
		}
		torn, which = append(torn, line...), append(which, strconv.Itoa(n))
	}
	if len(torn) == 0 {
		return nil, nil
	}
	if err := writeFile(path+".torn", torn); err != nil {
		return nil, err
	}
	if err := writeFile(path, whole); err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("%s: line %s, damaged or not whole; the bytes are kept in %s.torn", eventsPath, strings.Join(which, ", "), eventsPath)}, nil
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
