// Package language turns the sentence of a task into clauses: what is to be done with which things, and where.
//
// Its one invariant: it is pure and sees nothing. Every word of a sentence is either understood or named in the error;
// none is skipped because it did not fit.
package language

import "fmt"

// Verb is what a clause asks for.
type Verb string

// The verbs.
const (
	Put   Verb = "put"   // to a place
	Stack Verb = "stack" // things on each other; a stack on something is a Put
	Pick  Verb = "pick up"
	Push  Verb = "push" // along the table, in a direction
	Open  Verb = "open"
	Close Verb = "close"
	Press Verb = "press"
)

// Relation is where something goes, seen from the thing that the place names.
type Relation string

// The relations. Left, right, front and behind are those of the arm: behind is farther away from it.
const (
	In      Relation = "in"
	On      Relation = "on"
	Beside  Relation = "next to"
	LeftOf  Relation = "left of"
	RightOf Relation = "right of"
	Before  Relation = "in front of"
	Behind  Relation = "behind"
	To      Relation = "to" // in what is hollow, beside what is not
)

// Direction is a way along the table.
type Direction string

// The directions, as the arm's tools name them.
const (
	Left   Direction = "left"
	Right  Direction = "right"
	Away   Direction = "away"
	Closer Direction = "closer"
)

// Which chooses among several things that the other words fit.
type Which string

// The choices. None of them says nothing.
const (
	Leftmost  Which = "leftmost"
	Rightmost Which = "rightmost"
	Nearest   Which = "nearest"
	Farthest  Which = "farthest"
	Biggest   Which = "biggest"
	Smallest  Which = "smallest"
	Middle    Which = "middle"
)

// All is the count of a selector that means every thing that its words fit.
const All = -1

// Selector says in words which things are meant.
type Selector struct {
	Noun    string    // singular, as it was written: "battery"; "thing" when the sentence has none
	Kinds   []string  // what a detector calls such a thing; empty with Any, and when the noun is not known
	Any     bool      // any thing that can be carried
	Colours []string  // any of them; empty = any colour
	Which   Which     // "" = no choice
	Count   int       // how many; All = every one
	Named   bool      // a count was asked for: "all", "two", "both", "every", not just "the"
	Table   bool      // the table itself
	Except  *Selector // those are not meant
	Back    *Back     // it means the things of an earlier clause
}

// Known says whether the words of the selector name something that can be told by sight.
func (s *Selector) Known() bool { return s.Any || len(s.Kinds) > 0 || s.Table || s.Back != nil }

// Back points to things of an earlier clause.
type Back struct {
	Clause int
	Place  bool // the thing of its place, not its objects
}

// Place says where things are put.
type Place struct {
	Relation Relation
	Of       Selector
}

// Clause is one thing to do.
type Clause struct {
	Verb      Verb
	Objects   []Selector
	From      *Selector // the container that the objects lie in now: "out of the box"
	Place     *Place    // of Put
	Direction Direction // of Push
	Distance  float64   // metres, of Push and Open; 0 = not said
	Text      string    // the clause as it was written, cleaned

	implied bool // the place was not said
}

// Unknown is the error of a sentence that was not understood.
type Unknown struct {
	Words string // the words that were not understood; "" when something is missing
	Want  string // what was missing or expected, in words; may be empty
}

func (u *Unknown) Error() string {
	switch {
	case u.Words == "":
		return "I do not understand: " + u.Want + "."
	case u.Want == "":
		return fmt.Sprintf("I do not understand “%s”.", u.Words)
	}
	return fmt.Sprintf("I do not understand “%s”: %s.", u.Words, u.Want)
}
