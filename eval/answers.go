package eval

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rein-robotics/rein/eval/measure"

	"github.com/rein-robotics/rein/internal/filelock"
	"github.com/rein-robotics/rein/monitor/question"
)

// Mode says what becomes of the answers that are there already.
type Mode int

// The modes.
const (
	Anew    Mode = iota // they are put aside as soon as there is a new one
	Resumed             // what they hold is not asked again
)

// asking is one asking of one tick.
type asking struct {
	measure.Key
	repeat int
}

// Answers keeps what one subject answered. It is not safe for concurrent use.
type Answers struct {
	path      string
	of        Subject
	questions []question.Question
	former    bool         // the file is of an earlier measuring, and is put aside with the first answer
	waiting   []answerLine // without an answer, before the first one
	aside     bool         // it has been
	kept      map[asking]answerLine
	torn      string
	unlock    func() // gives the file to the next measuring
}

// OpenAnswers opens dir/answers/<the card's name>.jsonl, which need not be there. The questions are all those that are
// asked about a tick. Until Close no other process measures the subject. An error names the file, and the line that is wrong.
func OpenAnswers(dir string, of Subject, questions []question.Question, m Mode) (*Answers, error) {
	a := &Answers{
		path: filepath.Join(dir, "answers", strings.TrimSuffix(of.File(), ".json")+".jsonl"),
		of:   of, questions: questions, former: m == Anew, kept: map[asking]answerLine{},
	}
	if err := a.lock(); err != nil {
		return nil, err
	}
	if m == Anew {
		return a, nil
	}
	got, err := readLines(a.path, form[answerLine]{answerNames(), a.check})
	if err != nil {
		a.Close()
		return nil, err
	}
	for _, r := range got.list {
		a.kept[asking{r.v.Key, r.v.Repeat}] = r.v
	}
	a.torn = got.torn
	return a, nil
}

// lock keeps other measurings of the subject away: two of them would each put the other's answers aside.
func (a *Answers) lock() error {
	if err := os.MkdirAll(filepath.Dir(a.path), 0o755); err != nil {
		return fmt.Errorf("keeping answers: %w", err)
	}
	unlock, err := filelock.Try(a.path + ".lock")
	if errors.Is(err, filelock.ErrHeld) {
		return fmt.Errorf("keeping answers: %s is being measured by another process: wait for its end", a.path)
	}
	if err != nil {
		return fmt.Errorf("keeping answers: %w", err)
	}
	a.unlock = unlock
	return nil
}

// Close lets others measure the subject.
func (a *Answers) Close() { a.unlock() }

// Where says in words where the answers are, and the former ones.
func (a *Answers) Where() string {
	switch {
	case !a.Any():
		return "nothing was answered"
	case a.aside:
		return "answers: " + a.path + " (those before: " + a.path + ".old)"
	}
	return "answers: " + a.path
}

// Any says that something is not asked again: it was answered, or ran into its limit.
func (a *Answers) Any() bool {
	for _, r := range a.kept {
		if r.Error == "" || slices.ContainsFunc(r.Answers, func(x wireAnswer) bool { return x.Missing == question.TimedOut }) {
			return true
		}
	}
	return false
}

// Torn says that the last line was torn when the file was opened; "" = it was not.
func (a *Answers) Torn() string { return a.torn }

// find gives what was answered when a tick was asked for the repeat'th time with the same pictures. A call that failed is
// not found: it is asked again. One that ran into its limit was an answer of its kind.
func (a *Answers) find(k measure.Key, repeat int, sent string) (measure.Sample, bool) {
	r, ok := a.kept[asking{k, repeat + 1}]
	if !ok || r.Sent != sent {
		return measure.Sample{}, false
	}
	answers, err := r.answers(a.questions)
	if err != nil { // lines have been checked
		return measure.Sample{}, false
	}
	s := measure.Sample{
		Repeat: repeat, Answers: answers, Usage: r.Usage, Err: r.Error,
		Latency: time.Duration(math.Round(r.LatencyS*1e6)) * time.Microsecond,
	}
	return s, !s.Broken()
}

// keep writes a sample into the file. The former file is put aside by the first one that has an answer: a measuring that
// gets none takes nothing away.
func (a *Answers) keep(s *measure.Sample, sent string) error {
	r := answerLine{
		Key: s.Key, Repeat: s.Repeat + 1, Model: a.of.Model, Wording: a.of.Wording, Sent: sent, Label: s.Label,
		Answers: []wireAnswer{}, LatencyS: s.Latency.Seconds(), Usage: s.Usage, Error: s.Err,
	}
	for _, x := range s.Answers {
		r.Answers = append(r.Answers, saidOf(x))
	}
	a.waiting = append(a.waiting, r)
	if a.former {
		if s.Broken() {
			return nil
		}
		err := os.Rename(a.path, a.path+".old")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("putting the former answers aside: %w", err)
		}
		a.former, a.aside = false, err == nil
	}
	for len(a.waiting) > 0 {
		if err := appendLine(a.path, a.waiting[0]); err != nil {
			return err
		}
		a.kept[asking{a.waiting[0].Key, a.waiting[0].Repeat}] = a.waiting[0]
		a.waiting = a.waiting[1:]
	}
	return nil
}
