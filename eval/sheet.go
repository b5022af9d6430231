package eval

import (
	"github.com/rein-robotics/rein/eval/measure"
	"github.com/rein-robotics/rein/monitor/question"
)

// Sheet is the labelling of one question's ticks: where a person stands, and what a key does. It is not safe for
// concurrent use.
type Sheet struct {
	Question question.Question
	Ticks    []Tick
	Camera   string // whose pictures are compared; "" = the first of the tick
	Boxes    bool   // the target's box is asked for, too
	book     *Book
	at       int
}

// NewSheet stands at the first tick that misses something. The question is the book's.
func NewSheet(ticks []Tick, b *Book) *Sheet {
	s := &Sheet{Question: b.question, Ticks: ticks, book: b, at: -1}
	s.next()
	return s
}

// Book is where the labels go.
func (s *Sheet) Book() *Book { return s.book }

// Now is the tick to label; ok is false when all have been.
func (s *Sheet) Now() (t *Tick, ok bool) {
	if s.at < 0 || s.at >= len(s.Ticks) {
		return nil, false
	}
	return &s.Ticks[s.at], true
}

// Place is the number of the tick, from 0; len(Ticks) when all have been labelled.
func (s *Sheet) Place() int { return s.at }

// Go stands at a tick by its number.
func (s *Sheet) Go(n int) { s.at = min(max(n, 0), len(s.Ticks)) }

// Wanted are the pictures of the tick that miss a box: the close-ups that are compared.
func (s *Sheet) Wanted(t *Tick) []Picture {
	if !s.Boxes {
		return nil
	}
	var out []Picture
	previous, current := t.Compared(s.Camera)
	for _, p := range []*Picture{previous, current} {
		if p == nil {
			continue
		}
		if _, has := s.book.Box(t.Episode, p.Name); !has {
			out = append(out, *p)
		}
	}
	return out
}

// done says that the tick misses nothing.
func (s *Sheet) done(t *Tick) bool {
	_, has := s.book.Label(t.Key)
	return has && len(s.Wanted(t)) == 0
}

// Resume stands at the first tick that misses something.
func (s *Sheet) Resume() {
	s.at = -1
	s.next()
}

// next stands at the next tick that misses something.
func (s *Sheet) next() {
	for s.at++; s.at < len(s.Ticks) && s.done(&s.Ticks[s.at]); s.at++ {
	}
}

// Did is what a key did.
type Did int

// What keys do.
const (
	Nothing  Did = iota // the key means nothing here
	Labelled            // the tick is labelled, and the next one has its turn
	Boxless             // the tick is labelled, and misses a box
	Boxed               // a box is kept, and the tick stays
	Back
	Quit
)

// Key does what a key says: 1 to 9 label, s is unsure, b goes back one tick, q quits.
func (s *Sheet) Key(key rune) (Did, error) {
	t, ok := s.Now()
	switch {
	case key == 'q':
		return Quit, nil
	case key == 'b':
		s.Go(s.at - 1)
		return Back, nil
	case !ok:
		return Nothing, nil
	}
	label := ""
	options := s.Question.Choices()
	switch i := int(key - '1'); {
	case key == 's':
		label = measure.Unsure
	case i >= 0 && i < min(len(options), 9):
		label = options[i].Value
	default:
		return Nothing, nil
	}
	err := s.book.SetLabel(Label{Key: t.Key, Tool: t.Tool, Question: s.Question.Name, Frames: t.Frames(), Label: label})
	if err != nil {
		return Nothing, err
	}
	if len(s.Wanted(t)) > 0 {
		return Boxless, nil
	}
	s.next()
	return Labelled, nil
}

// Asks says that a box is asked for in a picture of the tick, by its place there: in those that are compared.
func (s *Sheet) Asks(t *Tick, picture int) bool {
	if !s.Boxes || picture < 0 || picture >= len(t.Pictures) {
		return false
	}
	previous, current := t.Compared(s.Camera)
	p := &t.Pictures[picture]
	return p == previous || p == current
}

// Draw keeps where the target is in a picture of the tick, by its place there; no box = out of view. The last box that a
// labelled tick missed gives the next one its turn; a box that is drawn anew does not. In a picture that none is asked for
// in, it does nothing.
func (s *Sheet) Draw(picture int, box *[4]float64) (Did, error) {
	t, ok := s.Now()
	if !ok || !s.Asks(t, picture) {
		return Nothing, nil
	}
	missed := len(s.Wanted(t)) > 0
	if err := s.book.SetBox(Box{Episode: t.Episode, Frame: t.Pictures[picture].Name, Box: box}); err != nil {
		return Nothing, err
	}
	if missed && s.done(t) {
		s.next()
		return Labelled, nil
	}
	return Boxed, nil
}
