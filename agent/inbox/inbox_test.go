package inbox_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/agent/inbox"
)

type item = inbox.Item[int]

func drain(q *inbox.Queue[int]) (out []int) {
	for {
		it, ok := q.Next()
		if !ok {
			return out
		}
		out = append(out, it.Event)
	}
}

func TestOrder(t *testing.T) {
	tests := map[string]struct {
		put  []item
		want []int
	}{
		"empty":        {nil, nil},
		"fifo":         {[]item{{inbox.User, true, 1}, {inbox.User, true, 2}, {inbox.User, true, 3}}, []int{1, 2, 3}},
		"safety_first": {[]item{{inbox.User, true, 1}, {inbox.Operator, false, 2}, {inbox.Safety, false, 3}, {inbox.Safety, false, 4}}, []int{3, 4, 2, 1}},
		"every_class": {[]item{
			{inbox.Background, true, 7}, {inbox.Good, true, 6}, {inbox.Bad, true, 5}, {inbox.User, true, 4}, {inbox.Result, false, 3},
			{inbox.Operator, false, 2}, {inbox.Safety, false, 1},
		}, []int{1, 2, 3, 4, 5, 6, 7}},
		"bad_before_good":               {[]item{{inbox.Good, true, 1}, {inbox.Bad, true, 2}, {inbox.Good, true, 3}, {inbox.Bad, true, 4}}, []int{2, 4, 1, 3}},
		"heartbeat_alone":               {[]item{{inbox.Heartbeat, true, 1}}, []int{1}},
		"heartbeat_behind_others":       {[]item{{inbox.Good, true, 1}, {inbox.Heartbeat, true, 2}}, []int{1}},
		"heartbeat_before_others":       {[]item{{inbox.Heartbeat, true, 1}, {inbox.Good, true, 2}}, []int{2}},
		"one_heartbeat_is_enough":       {[]item{{inbox.Heartbeat, true, 1}, {inbox.Heartbeat, true, 2}}, []int{1}},
		"heartbeat_beside_a_result":     {[]item{{inbox.Result, false, 1}, {inbox.Heartbeat, true, 2}, {inbox.Result, false, 3}}, []int{1, 3, 2}},
		"heartbeat_again_when_all_gone": {[]item{{inbox.Heartbeat, true, 1}, {inbox.Good, true, 2}, {inbox.Heartbeat, true, 3}}, []int{2}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var q inbox.Queue[int]
			for _, it := range tc.put {
				q.Put(it)
			}
			if diff := cmp.Diff(drain(&q), tc.want); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWhatGoesInComesOutOnce: beside heartbeats nothing is lost or doubled, and what comes out was the oldest of the
// highest class that waited.
func TestWhatGoesInComesOutOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q inbox.Queue[int]
		var waits []item
		n := 0
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				n++
				it := item{Class: inbox.Class(rapid.IntRange(int(inbox.Safety), int(inbox.Background)).Draw(t, "class")), Event: n}
				q.Put(it)
				if it.Class != inbox.Result {
					waits = slices.DeleteFunc(waits, func(o item) bool { return o.Class == inbox.Heartbeat })
				}
				waits = append(waits, it)
			},
			"beat": func(*rapid.T) {
				n++
				it := item{Class: inbox.Heartbeat, Event: n}
				q.Put(it)
				if !slices.ContainsFunc(waits, func(o item) bool { return o.Class != inbox.Result }) {
					waits = append(waits, it)
				}
			},
			"next": func(t *rapid.T) {
				got, ok := q.Next()
				if ok != (len(waits) > 0) {
					t.Fatalf("got %v, %t while %v wait", got, ok, waits)
				}
				if !ok {
					return
				}
				first := slices.MinFunc(waits, func(a, b item) int { return int(a.Class) - int(b.Class) })
				if got != first {
					t.Fatalf("got %v, want %v of %v", got, first, waits)
				}
				waits = slices.DeleteFunc(waits, func(o item) bool { return o.Event == got.Event })
			},
			"": func(t *rapid.T) {
				if q.Len() != len(waits) {
					t.Fatalf("%d wait, want %d", q.Len(), len(waits))
				}
			},
		})
	})
}
