package action_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/agent/action"
)

func TestTable(t *testing.T) {
	var tab action.Table
	a, b := tab.NextID(), tab.NextID()
	tab.Begin(action.Action{ID: a, Tool: "pick", Modules: []string{"arm", "grip"}, Phase: action.Starting})
	tab.Begin(action.Action{ID: b, Tool: "turn", Modules: []string{"base"}, Phase: action.Starting})
	if h, m, held := tab.Holder([]string{"camera", "grip"}); !held || h.ID != a || m != "grip" {
		t.Errorf("got %s holding %s, %t", h.ID, m, held)
	}
	if _, _, held := tab.Holder([]string{"camera"}); held {
		t.Error("a module that nobody commands is held")
	}
	if _, _, held := tab.Holder(nil); held {
		t.Error("nothing is held")
	}
	tab.Put(action.Action{ID: b, Phase: action.Running})
	if got, ok := tab.Get(b); !ok || got.Phase != action.Running {
		t.Errorf("got %+v", got)
	}
	tab.Put(action.Action{ID: "a9", Phase: action.Running})
	if _, ok := tab.Get("a9"); ok {
		t.Error("an action came into the table without a beginning")
	}
	if got, ok := tab.End(a); !ok || got.Tool != "pick" {
		t.Errorf("got %+v, %t", got, ok)
	}
	if _, ok := tab.End(a); ok {
		t.Error("an action ended twice")
	}
	if _, _, held := tab.Holder([]string{"arm"}); held {
		t.Error("an ended action holds its module")
	}
	if all := tab.All(); len(all) != 1 || all[0].ID != b {
		t.Errorf("got %+v", all)
	}
}

func TestUsed(t *testing.T) {
	var tab action.Table
	tab.NextID()
	tab.NextID()
	for id, want := range map[string]bool{"a1": true, "a2": true, "a3": false, "a0": false, "a-1": false, "a01": false, "a1 ": false, "b1": false, "": false, "a": false, "a1x": false} {
		if got := tab.Used(id); got != want {
			t.Errorf("Used(%q) = %t, want %t", id, got, want)
		}
	}
	next := tab.Anew()
	if !next.Used("a2") || next.NextID() != "a3" || len(next.All()) != 0 {
		t.Error("a table made anew gives ids again")
	}
}

// TestIDsAreNeverUsedAgain, whatever begins and ends, and the table keeps the order of the beginnings.
func TestIDsAreNeverUsedAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tab action.Table
		given := map[string]bool{}
		var want []string
		t.Repeat(map[string]func(*rapid.T){
			"begin": func(t *rapid.T) {
				id := tab.NextID()
				if given[id] || !tab.Used(id) {
					t.Fatalf("%s was given before, or is not known", id)
				}
				given[id] = true
				m := fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "module"))
				if _, _, held := tab.Holder([]string{m}); held {
					return
				}
				tab.Begin(action.Action{ID: id, Modules: []string{m}})
				want = append(want, id)
			},
			"end": func(t *rapid.T) {
				if len(want) == 0 {
					return
				}
				i := rapid.IntRange(0, len(want)-1).Draw(t, "which")
				if a, ok := tab.End(want[i]); !ok || a.ID != want[i] {
					t.Fatalf("got %+v, %t", a, ok)
				}
				want = slices.Delete(want, i, i+1)
			},
			"": func(t *rapid.T) {
				var got []string
				held := map[string]bool{}
				for _, a := range tab.All() {
					got = append(got, a.ID)
					if held[a.Modules[0]] {
						t.Fatalf("two actions hold %s", a.Modules[0])
					}
					held[a.Modules[0]] = true
				}
				if !slices.Equal(got, want) {
					t.Fatal(cmp.Diff(got, want))
				}
			},
		})
	})
}
