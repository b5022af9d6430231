// Package action keeps the agent's table of actions: one started skill tool each, from its start to its end.
//
// Its one invariant: an id is never used again, and no two actions of the table hold the same module.
package action

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Phase is where an action is in its life.
type Phase string

// The phases. An action that has ended is not in the table.
const (
	Starting Phase = "starting"
	Running  Phase = "running"
	Stopping Phase = "stopping"
)

// Action is one started tool.
type Action struct {
	ID      string
	Tool    string
	Args    json.RawMessage
	Step    string // id of the plan step it carries out; "" = none
	Phase   Phase
	Modules []string // held exclusively
	Began   time.Duration
	Ending  time.Duration // robot clock, when the agent first asked for its end; 0 = it has not
	Follows string        // the action whose follow-up it is; "" = of none
	Judged  bool          // the monitor is asked the questions of its tool
}

// Table holds the actions that have not ended, in the order they were begun. The zero Table is empty.
type Table struct {
	given int
	list  []Action
}

// NextID gives an id that was never used in this table.
func (t *Table) NextID() string {
	t.given++
	return fmt.Sprintf("a%d", t.given)
}

// Anew is an empty table that gives no id of t again.
func (t *Table) Anew() Table { return Table{given: t.given} }

// Begin puts an action into the table.
func (t *Table) Begin(a Action) { t.list = append(t.list, a) }

// Get finds an action by id.
func (t *Table) Get(id string) (Action, bool) {
	if i := t.index(id); i >= 0 {
		return t.list[i], true
	}
	return Action{}, false
}

// Put replaces the action with a's id; an action that is not in the table stays out of it.
func (t *Table) Put(a Action) {
	if i := t.index(a.ID); i >= 0 {
		t.list[i] = a
	}
}

// End takes an action out and gives what it was.
func (t *Table) End(id string) (Action, bool) {
	i := t.index(id)
	if i < 0 {
		return Action{}, false
	}
	a := t.list[i]
	t.list = slices.Delete(t.list, i, i+1)
	return a, true
}

// Used says whether the id was ever given out.
func (t *Table) Used(id string) bool {
	var n int
	if _, err := fmt.Sscanf(id, "a%d", &n); err != nil || fmt.Sprintf("a%d", n) != id {
		return false
	}
	return n >= 1 && n <= t.given
}

// Holder names the action that holds one of the modules, and the module.
func (t *Table) Holder(modules []string) (a Action, module string, held bool) {
	for _, a := range t.list {
		for _, m := range modules {
			if slices.Contains(a.Modules, m) {
				return a, m, true
			}
		}
	}
	return Action{}, "", false
}

// All are the actions in the order they were begun. The caller must not change them.
func (t *Table) All() []Action { return t.list }

func (t *Table) index(id string) int {
	return slices.IndexFunc(t.list, func(a Action) bool { return a.ID == id })
}
