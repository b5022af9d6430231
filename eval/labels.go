package eval

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/rein-robotics/rein/eval/measure"
	"github.com/rein-robotics/rein/internal/filelock"
	"github.com/rein-robotics/rein/monitor/question"
)

// Label is what a person saw on a tick: one line of evals/<name>.jsonl. A later line of the same tick and question replaces
// it.
type Label struct {
	measure.Key

	Tool     string   `json:"tool"`
	Question string   `json:"question"`
	Frames   []string `json:"frames"` // that the person was shown or could have been: all of the tick
	Label    string   `json:"label"`  // true or false of a predicate, an option of a choice, or measure.Unsure
}

// Book is the labels and boxes of one question, in memory and in their files. It is not safe for concurrent use.
type Book struct {
	tool                  string
	question              question.Question
	labelsPath, boxesPath string

	labels map[measure.Key]Label
	stale  map[measure.Key]placed[Label] // that the question cannot be answered with
	others []placed[Label]               // of another tool or question
	boxes  map[place]placed[Box]
	torn   []string
}

var bookName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// OpenBook reads what dir/<name>.jsonl and dir/<name>_targets.jsonl say of a tool's question; neither need be there. An
// error names the file and the line that is wrong.
func OpenBook(dir, name, tool string, q question.Question) (*Book, error) {
	if !bookName.MatchString(name) {
		return nil, fmt.Errorf("%q is no name of labels: letters, digits, _ and -", name)
	}
	if q.Has(measure.Unsure) {
		return nil, fmt.Errorf("%s of %s has an option called %s, which is what a tick is labelled that a person could not tell: give the option another name", q.Name, tool, measure.Unsure)
	}
	b := &Book{
		tool: tool, question: q, labelsPath: filepath.Join(dir, name+".jsonl"), boxesPath: filepath.Join(dir, name+"_targets.jsonl"),
	}
	if err := b.read(); err != nil {
		return nil, err
	}
	return b, nil
}

// Claim keeps other labellers away from the files until release, and reads them anew: of two at a time each would do the
// other's work, and the later word on a tick would take the place of the earlier one unseen.
func (b *Book) Claim() (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(b.labelsPath), 0o755); err != nil {
		return nil, fmt.Errorf("keeping labels: %w; name another folder with --evals", err)
	}
	release, err = filelock.Try(b.labelsPath + ".lock")
	if errors.Is(err, filelock.ErrHeld) {
		return nil, fmt.Errorf("keeping labels: another rein monitor label is at work on %s: wait for its end, or label into another file with --name", b.labelsPath)
	}
	if err != nil {
		return nil, fmt.Errorf("keeping labels: %w; name another folder with --evals", err)
	}
	if err := b.read(); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// read takes everything from the files.
func (b *Book) read() error {
	labels, err := readLines(b.labelsPath, form[Label]{[]string{"episode", "action", "tick", "tool", "question", "label"}, checkLabel})
	if err != nil {
		return err
	}
	boxes, err := readLines(b.boxesPath, form[boxLine]{[]string{"episode", "frame"}, boxLine.check})
	if err != nil {
		return err
	}
	b.others, b.torn, b.boxes = nil, nil, map[place]placed[Box]{}
	b.sort(labels.list)
	for _, x := range boxes.list {
		box, _ := x.v.box() // it has been checked
		b.boxes[place{box.Episode, box.Frame}] = placed[Box]{box, x.line}
	}
	for _, t := range []string{labels.torn, boxes.torn} {
		if t != "" {
			b.torn = append(b.torn, t)
		}
	}
	return nil
}

// sort takes the last label of each tick and question for what it is: one that counts, a stale one, or another question's.
func (b *Book) sort(list []placed[Label]) {
	type entry struct {
		measure.Key
		tool, question string
	}
	last := map[entry]int{}
	for i, l := range list {
		last[entry{l.v.Key, l.v.Tool, l.v.Question}] = i
	}
	b.labels, b.stale = map[measure.Key]Label{}, map[measure.Key]placed[Label]{}
	for _, i := range slices.Sorted(maps.Values(last)) {
		switch l := list[i]; {
		case l.v.Tool != b.tool || l.v.Question != b.question.Name:
			b.others = append(b.others, l)
		case b.answers(l.v.Label):
			b.labels[l.v.Key] = l.v
		default:
			b.stale[l.v.Key] = l
		}
	}
}

// answers says that the question can be labelled so.
func (b *Book) answers(label string) bool { return label == measure.Unsure || b.question.Has(label) }

// Path is the file of the labels.
func (b *Book) Path() string { return b.labelsPath }

// Torn says which last line was torn when the book was opened.
func (b *Book) Torn() []string { return b.torn }

func checkLabel(l Label) error {
	switch {
	case l.Episode == "" || l.Action == "" || l.Tick < 1:
		return errors.New("a label names episode, action and tick")
	case l.Label == "":
		return errors.New("the label is empty")
	case l.Tool == "" || l.Question == "":
		return errors.New("a label names tool and question")
	case slices.Contains(l.Frames, ""):
		return errors.New("a frame has a name")
	}
	return nil
}

// Label gives the label of a tick: one that the question can be answered with.
func (b *Book) Label(k measure.Key) (Label, bool) {
	l, ok := b.labels[k]
	return l, ok
}

// Stale says where a tick without a label of the question has one that it cannot be answered with; "" = it has none.
func (b *Book) Stale(k measure.Key) string {
	l, ok := b.stale[k]
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s:%d: labelled %q, which is no answer to %s %s", b.labelsPath, l.line, l.v.Label, b.tool, b.question.Name)
}

// NotCounted says which lines of the file label nothing here, each kind once with the place of its first: labels that the
// question cannot be answered with, and those of another tool or question. They stay in the file.
func (b *Book) NotCounted() []string {
	stale := slices.SortedFunc(maps.Values(b.stale), func(x, y placed[Label]) int { return x.line - y.line })
	out := b.kinds(stale, func(l Label) string {
		return fmt.Sprintf("labelled %q, which is no answer to %s %s: label it again", l.Label, b.tool, b.question.Name)
	})
	return append(out, b.kinds(b.others, func(l Label) string {
		return fmt.Sprintf("a label of %s %s, which does not count for %s %s", l.Tool, l.Question, b.tool, b.question.Name)
	})...)
}

// kinds are the lines by what is said of them, in the order of the file.
func (b *Book) kinds(list []placed[Label], say func(l Label) string) []string {
	var order []string
	lines := map[string][]int{}
	for _, l := range list {
		kind := say(l.v)
		if lines[kind] == nil {
			order = append(order, kind)
		}
		lines[kind] = append(lines[kind], l.line)
	}
	for i, kind := range order {
		n := len(lines[kind])
		order[i] = fmt.Sprintf("%s:%d: %s", b.labelsPath, lines[kind][0], kind)
		if n > 1 {
			order[i] += fmt.Sprintf(" (%d such lines)", n)
		}
	}
	return order
}

// Len is how many ticks have a label of the question, unsure ones included.
func (b *Book) Len() int { return len(b.labels) }

// SetLabel writes a label into its file; after an error the book is as it was.
func (b *Book) SetLabel(l Label) error {
	if err := checkLabel(l); err != nil {
		return err
	}
	if l.Tool != b.tool || l.Question != b.question.Name || !b.answers(l.Label) {
		return fmt.Errorf("%q of %s %s is no label of %s %s", l.Label, l.Tool, l.Question, b.tool, b.question.Name)
	}
	if err := appendLine(b.labelsPath, l); err != nil {
		return err
	}
	b.labels[l.Key] = l
	delete(b.stale, l.Key)
	return nil
}
