package eval

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
)

// Unsure is the label of a tick that a person could not tell. It is asked and replayed, and not scored.
const Unsure = "unsure"

// Label is what a person saw on a tick: one line of evals/<name>.jsonl. A later line of the same tick replaces it.
type Label struct {
	Key

	Tool     string   `json:"tool"`
	Question string   `json:"question"`
	Frames   []string `json:"frames"` // that the person was shown or could have been: all of the tick
	Label    string   `json:"label"`  // true or false of a predicate, an option of a choice, or Unsure
}

// Box is where the target is in one recorded picture: one line of evals/<name>_targets.jsonl. A later line of the same
// picture replaces it.
type Box struct {
	Episode string `json:"episode"`
	Frame   string `json:"frame"` // name of the picture
	// Box is x0, y0, x1, y1 in continuous pixels of the picture; null = the target is out of view.
	Box *[4]float64 `json:"box"`
}

// place names a picture.
type place struct{ episode, frame string }

// Book is the labels and boxes of one question, in memory and in their files. It is not safe for concurrent use.
type Book struct {
	labelsPath, boxesPath string

	labels map[Key]Label
	boxes  map[place]Box
	torn   []string
}

var bookName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// OpenBook reads dir/<name>.jsonl and dir/<name>_targets.jsonl; neither need be there. An error names the file and the
// line that is wrong.
func OpenBook(dir, name string) (*Book, error) {
	if !bookName.MatchString(name) {
		return nil, fmt.Errorf("%q is no name of labels: letters, digits, _ and -", name)
	}
	b := &Book{
		labelsPath: filepath.Join(dir, name+".jsonl"), boxesPath: filepath.Join(dir, name+"_targets.jsonl"),
		labels: map[Key]Label{}, boxes: map[place]Box{},
	}
	labels, err := readLines(b.labelsPath, checkLabel)
	if err != nil {
		return nil, err
	}
	boxes, err := readLines(b.boxesPath, checkBox)
	if err != nil {
		return nil, err
	}
	for _, l := range labels.list {
		b.labels[l.Key] = l
	}
	for _, x := range boxes.list {
		b.boxes[place{x.Episode, x.Frame}] = x
	}
	for _, t := range []string{labels.torn, boxes.torn} {
		if t != "" {
			b.torn = append(b.torn, t)
		}
	}
	return b, nil
}

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
	}
	return nil
}

func checkBox(b Box) error {
	if b.Episode == "" || b.Frame == "" {
		return errors.New("a box names episode and frame")
	}
	if b.Box == nil {
		return nil
	}
	for _, x := range b.Box {
		if math.IsNaN(x) || x < 0 || x > 1e5 {
			return errors.New("a box is x0, y0, x1, y1 in pixels of the picture")
		}
	}
	if b.Box[0] >= b.Box[2] || b.Box[1] >= b.Box[3] {
		return errors.New("a box has x0 < x1 and y0 < y1")
	}
	return nil
}

// Label gives the label of a tick.
func (b *Book) Label(k Key) (Label, bool) {
	l, ok := b.labels[k]
	return l, ok
}

// Box gives the box of a picture; one without Box.Box is out of view.
func (b *Book) Box(episode, frame string) (Box, bool) {
	x, ok := b.boxes[place{episode, frame}]
	return x, ok
}

// Len is how many ticks have a label, unsure ones included.
func (b *Book) Len() int { return len(b.labels) }

// SetLabel writes a label into its file; after an error the book is as it was.
func (b *Book) SetLabel(l Label) error {
	if err := checkLabel(l); err != nil {
		return err
	}
	if err := appendLine(b.labelsPath, l); err != nil {
		return err
	}
	b.labels[l.Key] = l
	return nil
}

// SetBox writes a box into its file; after an error the book is as it was.
func (b *Book) SetBox(x Box) error {
	if err := checkBox(x); err != nil {
		return err
	}
	if err := appendLine(b.boxesPath, x); err != nil {
		return err
	}
	b.boxes[place{x.Episode, x.Frame}] = x
	return nil
}
