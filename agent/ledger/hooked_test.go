package ledger_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/agent/ledger"
	"github.com/rein-robotics/rein/model"
)

func TestPreviewChangesNothing(t *testing.T) {
	l := ledger.New("prompt", nil)
	l.Say(text("do it"))
	a, err := l.Preview()
	if err != nil {
		t.Fatal(err)
	}
	l.Say(text("and mind the cat"))
	b := request(t, l)
	if len(a.Messages[0].Blocks) != 1 || len(b.Messages) != 1 || len(b.Messages[0].Blocks) != 2 {
		t.Errorf("got %v, then %v", shape(a), shape(b))
	}
	l.BeginReply()
	if _, err := l.Preview(); !errors.Is(err, ledger.ErrReplying) {
		t.Errorf("got %v", err)
	}
}

func TestRewrite(t *testing.T) {
	for name, tc := range map[string]struct {
		blocks func(l *ledger.Ledger)
		want   []string
	}{
		"in_place_of_all": {func(l *ledger.Ledger) {
			l.Echo(model.Opaque{Provider: "p", Raw: json.RawMessage(`{}`)})
			l.Text("a")
			l.Open("reach", nil)
			l.Text("b")
		}, []string{"opaque", "new", "call"}},
		"no_text": {func(l *ledger.Ledger) { l.Open("reach", nil) }, []string{"call"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := ledger.New("", nil)
			l.Say(text("do it"))
			request(t, l)
			l.BeginReply()
			tc.blocks(l)
			if calls := l.Calls(); len(calls) != 1 || calls[0].Name != "reach" {
				t.Errorf("got calls %v", calls)
			}
			l.Rewrite("new")
			l.EndReply()
			if err := l.Close(answer("call_1")); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range request(t, l).Messages[1].Blocks {
				switch {
				case b.Text != nil:
					got = append(got, b.Text.Text)
				case b.Call != nil:
					got = append(got, "call")
				case b.Opaque != nil:
					got = append(got, "opaque")
				}
			}
			if !cmp.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// TestRetract: as if the reply had never come, with its weight, and with what a checkpoint would tell.
func TestRetract(t *testing.T) {
	l := ledger.New("", nil)
	l.Say(text("do it"))
	request(t, l)
	l.BeginReply()
	l.Open("observe", nil)
	l.EndReply()
	if err := l.Close(answer("call_1")); err != nil {
		t.Fatal(err)
	}
	first := request(t, l)
	weight := l.Tokens()
	l.BeginReply()
	l.Text("a long story")
	l.Open("ask_user", nil)
	if _, err := l.Retract(); !errors.Is(err, ledger.ErrReplying) {
		t.Errorf("got %v", err)
	}
	l.EndReply()
	if _, err := l.Retract(); !errors.Is(err, ledger.ErrOpen) {
		t.Errorf("got %v", err)
	}
	if err := l.Close(answer("call_2")); err != nil {
		t.Fatal(err)
	}
	last, err := l.Retract()
	if err != nil || last.Blocks[0].Text.Text != "a long story" {
		t.Fatalf("got %+v, %v", last, err)
	}
	if got := request(t, l); !cmp.Equal(got, first) || l.Tokens() != weight {
		t.Errorf("got %v of %d tokens, want %v of %d", shape(got), l.Tokens(), shape(first), weight)
	}
	if _, err := l.Retract(); !errors.Is(err, ledger.ErrNoReply) {
		t.Errorf("got %v", err)
	}
	told, err := l.Checkpoint("", nil)
	if err != nil || len(told) != 1 || told[0].Call.Name != "observe" {
		t.Errorf("a checkpoint would tell %v, %v", told, err)
	}
}

func TestRetractIsRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		do   func(l *ledger.Ledger)
		want error
	}{
		"something_new": {func(l *ledger.Ledger) { l.EndReply(); l.Say(text("news")) }, ledger.ErrSaid},
		"dropped":       {func(l *ledger.Ledger) { l.DropReply() }, ledger.ErrDropped},
	} {
		t.Run(name, func(t *testing.T) {
			l := ledger.New("", nil)
			l.Say(text("do it"))
			request(t, l)
			l.BeginReply()
			l.Text("hm")
			tc.do(l)
			if _, err := l.Retract(); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}
