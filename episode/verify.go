package episode

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rein-robotics/rein/internal/regular"
	"github.com/rein-robotics/rein/internal/terminal"
)

// Problem is one thing that is wrong with a recorded episode.
type Problem struct {
	File string // path under the episode's folder
	What string // missing | altered | damaged | not sealed with the rest
	Why  string
}

func (p Problem) String() string {
	if p.Why == "" {
		return terminal.Line(p.File + ": " + p.What)
	}
	return terminal.Line(p.File + ": " + p.What + ": " + p.Why)
}

// The kinds of problems.
const (
	Missing = "missing"
	Altered = "altered"
	Damaged = "damaged"
)

// Report is what Verify found.
type Report struct {
	Episode  string // its ID
	Sealed   bool   // false = the process ended before it could close the episode; not a problem in itself
	Events   int    // whole lines
	Torn     bool   // a line was being written when the process ended; it is lost and was never acted on
	Problems []Problem
}

// OK says that nothing is missing or altered.
func (r *Report) OK() bool { return len(r.Problems) == 0 }

func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d events, ", r.Episode, r.Events)
	switch {
	case r.Sealed:
		b.WriteString("sealed")
	default:
		b.WriteString("unsealed")
	}
	if r.Torn {
		b.WriteString(", the last line is torn")
	}
	if r.OK() {
		b.WriteString(", whole")
	}
	for _, p := range r.Problems {
		b.WriteString("\n  " + p.String())
	}
	return b.String()
}

func (r *Report) problem(file, what, format string, args ...any) {
	p := Problem{File: file, What: what, Why: fmt.Sprintf(format, args...)}
	if !slices.Contains(r.Problems, p) {
		r.Problems = append(r.Problems, p)
	}
}

// Verify checks the episode in folder dir: that its lines parse, that every image and turn that is named is there, and,
// once it was sealed, that no file is another than it was. The error says that there is no episode to check.
func Verify(dir string) (*Report, error) {
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return nil, fmt.Errorf("verifying: there is no episode at %s", dir)
	}
	r := &Report{Episode: idOf(dir)}
	record, err := ReadEpisode(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		r.problem("episode.json", Missing, "")
	case err != nil:
		r.problem("episode.json", Damaged, "%v", err)
	default:
		r.Sealed = record.Sealed
	}
	told := r.checkEvents(dir, record)
	r.checkTurns(dir)
	if record != nil && record.Sealed {
		r.checkSums(dir, record)
		r.checkRecord(record, told)
		r.checkStrangers(dir, record, told)
	}
	return r, nil
}

func idOf(dir string) string {
	dir = filepath.Clean(dir)
	return filepath.Base(filepath.Dir(filepath.Dir(dir))) + "/" + filepath.Base(dir)
}

// ReadEpisode reads episode.json.
func ReadEpisode(dir string) (*Episode, error) {
	data, err := regular.Read(filepath.Join(dir, "episode.json"), maxLine)
	if err != nil {
		return nil, err
	}
	var e Episode
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, err
	}
	return &e, nil
}

// told is what the events say that the rest of an episode must agree with.
type told struct {
	started *EpisodeStarted
	ended   *EpisodeEnded
	run     *RunEnded       // the last one
	named   map[string]bool // files under logs/
}

func (t *told) hear(e Event) {
	switch e := e.(type) {
	case EpisodeStarted:
		t.started = &e
	case EpisodeEnded:
		t.ended = &e
	case RunEnded:
		t.run = &e
	case PlannerTurn:
		t.named[e.Turn] = true
	}
	for _, name := range imagesOf(e) {
		t.named[name] = true
	}
}

func (r *Report) checkEvents(dir string, record *Episode) told {
	repaired := record != nil && len(record.Lost) > 0 // it may have gaps
	told := told{named: map[string]bool{}}
	r.readEvents(dir, func(e Entry, last uint64) {
		if last != 0 && e.Seq != last+1 && !repaired {
			r.problem(eventsPath, Damaged, "event %d follows event %d", e.Seq, last)
		}
		told.hear(e.Event)
		r.checkNames(dir, e)
	})
	return told
}

// readEvents calls each with every whole line, and the number of the one before it.
func (r *Report) readEvents(dir string, each func(e Entry, last uint64)) {
	var last uint64
	for e, err := range Read(dir) {
		switch {
		case errors.Is(err, ErrTorn):
			r.Torn = true // when that part was sealed, the sums tell
			return
		case errors.Is(err, os.ErrNotExist):
			r.problem(eventsPath, Missing, "")
			return
		case err != nil:
			r.problem(eventsPath, Damaged, "%v", err)
			return
		}
		r.Events++
		each(e, last)
		last = e.Seq
	}
}

// checkRecord compares what episode.json says with what the events say: nobody may change a verdict in one place.
func (r *Report) checkRecord(record *Episode, t told) {
	differs := func(what, there, here string) {
		if there != here {
			r.problem("episode.json", Altered, "its %s is %s, and the events say %s", what, there, here)
		}
	}
	if t.started != nil {
		differs("task", strconv.Quote(record.Task), strconv.Quote(t.started.Task))
	}
	if t.ended != nil && len(record.Lost) == 0 {
		differs("status", strconv.Quote(record.Status), strconv.Quote(t.ended.Status))
	}
	if t.run != nil {
		differs("claim", verdict(record.Claimed), verdict(t.run.Claimed))
		differs("check", verdict(record.Checked), verdict(t.run.Checked))
	}
}

func verdict(v *bool) string {
	if v == nil {
		return "none"
	}
	return strconv.FormatBool(*v)
}

// checkStrangers looks for images and turns that were added after the episode was sealed, and that no event names.
func (r *Report) checkStrangers(dir string, record *Episode, t told) {
	for _, folder := range []string{"images", "turns"} {
		entries, err := os.ReadDir(filepath.Join(dir, "logs", folder))
		if err != nil {
			continue // an episode without pictures has none
		}
		for _, e := range entries {
			name := folder + "/" + e.Name()
			if _, sealed := record.Files["logs/"+name]; !sealed && !t.named[name] {
				r.problem("logs/"+name, Altered, "it was not there when the episode was sealed")
			}
		}
	}
}

// checkNames checks the files that an event names.
func (r *Report) checkNames(dir string, e Entry) {
	for _, name := range imagesOf(e.Event) {
		r.wantFile(dir, name, imagePattern, e)
	}
	switch ev := e.Event.(type) {
	case PlannerTurn:
		r.wantFile(dir, ev.Turn, turnPattern, e)
	case TargetRejected:
		if ev.Observation == "" || !strings.Contains(ev.Observation, ".") {
			return
		}
		found, err := filepath.Glob(filepath.Join(dir, "logs", ImageName(ev.Observation, "*")))
		if err != nil || len(found) == 0 {
			r.problem("logs/"+ImageName(ev.Observation, "image"), Missing, "event %d names the observation %s", e.Seq, ev.Observation)
		}
	}
}

func (r *Report) wantFile(dir, name string, like *regexp.Regexp, e Entry) {
	if !like.MatchString(name) {
		r.problem(eventsPath, Damaged, "event %d names the file %q", e.Seq, name)
		return
	}
	if _, err := os.Stat(filepath.Join(dir, "logs", filepath.FromSlash(name))); err != nil {
		r.problem("logs/"+name, Missing, "event %d (%s) names it", e.Seq, e.Event.Kind())
	}
}

// checkTurns checks the turn files that are there: that they can be read, and the images they name.
func (r *Report) checkTurns(dir string) {
	names, err := filepath.Glob(filepath.Join(dir, "logs", "turns", "*.json"))
	if err != nil {
		return
	}
	slices.Sort(names)
	for _, path := range names {
		name := "turns/" + filepath.Base(path)
		if !turnPattern.MatchString(name) {
			continue // a file that is being written
		}
		file, err := loadTurn(dir, name)
		if err != nil {
			r.problem("logs/"+name, Damaged, "%v", err)
			continue
		}
		for _, ref := range file.refs() {
			r.checkRef(dir, name, ref)
		}
	}
}

func (r *Report) checkRef(dir, turn string, ref imageRef) {
	if !imagePattern.MatchString(ref.File) {
		r.problem("logs/"+turn, Damaged, "it names the image %q", ref.File)
		return
	}
	s, err := sumFile(filepath.Join(dir, "logs", filepath.FromSlash(ref.File)), -1)
	switch {
	case err != nil:
		r.problem("logs/"+ref.File, Missing, "%s names it", turn)
	case s.SHA256 != ref.SHA256:
		r.problem("logs/"+ref.File, Altered, "it is not the image that %s was sent", turn)
	}
}

// refs are the images that the turn's new messages hold.
func (file *turnFile) refs() []imageRef {
	var refs []imageRef
	for _, m := range file.Messages {
		for _, b := range m.Blocks {
			if b.Image != nil {
				refs = append(refs, *b.Image)
			}
			if b.Result != nil {
				refs = append(refs, b.Result.Images...)
			}
		}
	}
	return refs
}

// checkSums compares a sealed episode with its sums. Lines may have been added to events.jsonl since.
func (r *Report) checkSums(dir string, record *Episode) {
	for _, name := range sortedNames(record.Files) {
		want, limit := record.Files[name], int64(-1)
		if name == eventsPath {
			limit = want.Bytes
		}
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			r.problem("episode.json", Damaged, "it names the file %q", name)
			continue
		}
		got, err := sumFile(filepath.Join(dir, filepath.FromSlash(name)), limit)
		switch {
		case errors.Is(err, os.ErrNotExist):
			r.problem(name, Missing, "")
		case err != nil:
			r.problem(name, Damaged, "%v", err)
		case got != want:
			r.problem(name, Altered, "%d bytes, and %d were sealed", got.Bytes, want.Bytes)
		}
	}
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
