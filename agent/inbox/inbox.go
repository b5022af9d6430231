// Package inbox orders what waits for the agent: by class, first in first out within a class, and says what folds into
// one turn.
//
// Its one invariant: what is put in comes out exactly once, and never after something of a lower class that was put in
// later.
package inbox

import "slices"

// Class is how urgent an event is. Lower comes first.
type Class int

// The classes, highest first. A Result is the answer of an effect: it is no wake, it goes on with what is under way.
const (
	Safety Class = iota
	Operator
	Result
	User
	Bad
	Good
	Background
	Heartbeat
)

// Item is one event with its class.
type Item[E any] struct {
	Class     Class
	Stackable bool // may be folded with its neighbours into one turn
	Event     E
}

// Queue holds what waits. The zero Queue is empty.
type Queue[E any] struct{ items []Item[E] }

// Put adds an item. A heartbeat is dropped when anything else waits that wakes, a Result does not: dropped are the items
// that nobody will get.
func (q *Queue[E]) Put(it Item[E]) (dropped []Item[E]) {
	if it.Class == Heartbeat && slices.ContainsFunc(q.items, func(o Item[E]) bool { return o.Class != Result }) {
		return []Item[E]{it}
	}
	if it.Class != Heartbeat && it.Class != Result {
		q.items = slices.DeleteFunc(q.items, func(o Item[E]) bool {
			if o.Class == Heartbeat {
				dropped = append(dropped, o)
			}
			return o.Class == Heartbeat
		})
	}
	at := len(q.items)
	for at > 0 && q.items[at-1].Class > it.Class {
		at--
	}
	q.items = slices.Insert(q.items, at, it)
	return dropped
}

// Next takes the first item.
func (q *Queue[E]) Next() (Item[E], bool) {
	if len(q.items) == 0 {
		return Item[E]{}, false
	}
	it := q.items[0]
	q.items = slices.Delete(q.items, 0, 1)
	return it, true
}

// Len is how many items wait.
func (q *Queue[E]) Len() int { return len(q.items) }
