package language

import (
	"fmt"
	"strings"
)

// Phrase is the selector in words: "the nearest red block", "all batteries".
func (s *Selector) Phrase() string {
	if s.Back != nil {
		return s.Noun
	}
	var ws []string
	switch {
	case s.Count == All && s.Named:
		ws = append(ws, "all")
	case s.Count > 1:
		ws = append(ws, fmt.Sprint(s.Count))
	default:
		ws = append(ws, "the")
	}
	if s.Which != "" {
		ws = append(ws, string(s.Which))
	}
	return strings.Join(append(ws, s.Name(s.Count != 1)), " ")
}

// Name is the selector's colours and noun without a count: "red block".
func (s *Selector) Name(many bool) string {
	var ws []string
	if len(s.Colours) > 0 {
		ws = append(ws, strings.Join(s.Colours, " or "))
	}
	noun := s.Noun
	if noun == "" {
		noun = "thing"
	}
	if many {
		noun = Plural(noun)
	}
	return strings.Join(append(ws, noun), " ")
}

// Plural is the word for several.
func Plural(noun string) string {
	switch {
	case noun == "everything" || noun == "stuff" || noun == "anything" || noun == "something" || noun == "rest":
		return noun
	case strings.HasSuffix(noun, "y") && len(noun) > 2 && !strings.ContainsRune("aeiou", rune(noun[len(noun)-2])):
		return noun[:len(noun)-1] + "ies"
	case strings.HasSuffix(noun, "x"), strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "sh"), strings.HasSuffix(noun, "s"):
		return noun + "es"
	}
	return noun + "s"
}

// simplified joins "pick up the mug and put it in the drawer" to one clause and ties words like it to what they mean.
func simplified(in []Clause) []Clause {
	var out []Clause
	moved := make([]int, len(in)) // where each clause of in went
	for i, c := range in {
		if n := len(out); n > 0 && (out[n-1].Verb == Pick || out[n-1].implied) && c.Verb == Put && len(c.Objects) == 1 && refersTo(c.Objects[0], i-1) {
			c.Objects, c.From = out[n-1].Objects, first(c.From, out[n-1].From)
			c.Text = out[n-1].Text + " and " + c.Text
			out = out[:n-1]
		}
		moved[i] = len(out)
		out = append(out, c)
	}
	for i := range out {
		c := &out[i]
		for k := range c.Objects {
			tie(&c.Objects[k], moved, i, false)
		}
		if c.Place != nil {
			tie(&c.Place.Of, moved, i, c.Place.Relation != On)
		}
		if c.From != nil {
			tie(c.From, moved, i, true)
		}
	}
	return out
}

func first(a, b *Selector) *Selector {
	if a != nil {
		return a
	}
	return b
}

func refersTo(s Selector, clause int) bool { return s.Back != nil && s.Back.Clause == clause }

// tie points a pronoun at the clause's new index. One for a place means the place before, when there was one; one that
// means nothing stays tied to clause -1.
func tie(s *Selector, moved []int, at int, place bool) {
	if s.Back == nil {
		return
	}
	b := Back{Clause: s.Back.Clause, Place: place}
	if b.Clause >= 0 && b.Clause < len(moved) {
		b.Clause = min(moved[b.Clause], at-1)
	}
	s.Back = &b
}
