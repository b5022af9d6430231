package run

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/agent/inbox"
	"github.com/rein-robotics/rein/agent/view"
	"github.com/rein-robotics/rein/control"
)

// resting is a desk whose run waits for the user.
func resting(t *testing.T, change ...func(*Settings)) *desk {
	t.Helper()
	d := begun(t, change...)
	d.reply(asks("ask_user", `{"question":"and now?"}`))
	if d.s.phase != waiting {
		t.Fatalf("phase %s", d.s.phase)
	}
	return d
}

func outside(text string) Injected { return Injected{What: Injection{Text: text}} }

func alone(text string) Injected { return Injected{What: Injection{Text: text, Alone: true}} }

// heard are the texts of the injected events in the request that waits, in its newest message.
func (d *desk) heard() (out []string) {
	d.t.Helper()
	for line := range strings.Lines(d.told()) {
		if _, text, is := strings.Cut(strings.TrimSpace(line), "injected · "); is {
			out = append(out, text)
		}
	}
	return out
}

func TestAnInjectedEventWakesThePlanner(t *testing.T) {
	d := resting(t)
	d.give(Injected{What: Injection{Text: "the door bell rang", Data: json.RawMessage(`{"door":2}`)}})
	d.lookAround()
	c := pop[CallModel](d)
	var r view.Report
	for _, b := range c.View.Request.Messages[2].Blocks {
		if b.Text != nil && b.Text.Data != nil {
			if err := json.Unmarshal(b.Text.Data, &r); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(b.Text.Text, `"door"`) {
				t.Errorf("a model sees the data: %s", b.Text.Text)
			}
		}
	}
	if !slices.Equal(r.Woke, []view.Wake{view.WakeInjected}) || len(r.Happened) != 1 || string(r.Happened[0].Data) != `{"door":2}` {
		t.Errorf("got %+v", r)
	}
}

// TestFoldingOfInjectedEvents: S is folded, N takes a turn of its own; what is in brackets is one turn.
func TestFoldingOfInjectedEvents(t *testing.T) {
	for events, want := range map[string]string{
		"S":        "[S1]",
		"SS":       "[S1 S2]",
		"N":        "[N1]",
		"NSS":      "[N1] [S2 S3]",
		"SSNSSNNS": "[S1 S2] [N3] [S4 S5] [N6] [N7] [S8]",
		"SN":       "[S1] [N2]",
		"NN":       "[N1] [N2]",
	} {
		t.Run(events, func(t *testing.T) {
			d := begun(t)
			c := pop[CallModel](d)
			for i, kind := range events { // during a reply that ends its turn
				text := string(kind) + string(rune('1'+i))
				if kind == 'N' {
					d.give(alone(text))
				} else {
					d.give(outside(text))
				}
			}
			d.give(Part{ID: c.ID, What: asks("ask_user", `{"question":"?"}`)})
			d.give(Replied{ID: c.ID})
			var turns []string
			for d.kinds() != "" {
				d.lookAround()
				turns = append(turns, "["+strings.Join(d.heard(), " ")+"]")
				d.reply(asks("ask_user", `{"question":"?"}`))
			}
			if got := strings.Join(turns, " "); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// TestAnEventOfItsOwnStaysAlone: what comes between its turn and its first request joins neither.
func TestAnEventOfItsOwnStaysAlone(t *testing.T) {
	d := resting(t)
	d.give(alone("N"))
	d.give(outside("S"))
	d.give(Message{Text: "hello"})
	d.lookAround()
	if told := d.told(); !slices.Equal(d.heard(), []string{"N"}) || strings.Contains(told, "hello") {
		t.Errorf("told is\n%s", told)
	}
	d.reply(asks("observe", `{}`))
	d.lookAround()
	if told := d.told(); !slices.Equal(d.heard(), []string{"S"}) || !strings.Contains(told, "hello") {
		t.Errorf("the next round tells\n%s", told)
	}
}

func TestATurnOfItsOwnThatIsInterruptedLosesNothing(t *testing.T) {
	d := resting(t)
	d.give(alone("N"))
	d.news(control.OperatorTook{Input: "key w", Generation: 2})
	d.pending = nil // the look
	d.give(outside("S"))
	d.wants("") // it waits for the resume
	d.give(Message{Text: "go on"})
	d.lookAround()
	if !slices.Equal(d.heard(), []string{"N", "S"}) {
		t.Errorf("told is\n%s", d.told())
	}
}

func TestUrgentEventsDoNotWaitBehindOthers(t *testing.T) {
	d := begun(t)
	c := pop[CallModel](d)
	for _, e := range []Injected{alone("N1"), {What: Injection{Text: "U2", Class: ClassUser, Alone: true}}, {What: Injection{Text: "J3"}}, {What: Injection{Text: "W4", Class: ClassNews}}} {
		d.give(e)
	}
	d.give(Part{ID: c.ID, What: asks("ask_user", `{"question":"?"}`)})
	d.give(Replied{ID: c.ID})
	var turns [][]string
	for d.kinds() != "" {
		d.lookAround()
		turns = append(turns, d.heard())
		d.reply(asks("ask_user", `{"question":"?"}`))
	}
	want := [][]string{{"U2"}, {"W4"}, {"N1"}, {"J3"}}
	if !cmp.Equal(turns, want) {
		t.Errorf("got %v, want %v", turns, want)
	}
}

// TestClassesOfInjectedEvents: none comes before the operator or safety, nor before the answers of effects.
func TestClassesOfInjectedEvents(t *testing.T) {
	for class, want := range map[Class]inbox.Class{ClassJob: inbox.Background, ClassNews: inbox.Bad, ClassUser: inbox.User} {
		got, stack := Injected{What: Injection{Class: class}}.Class()
		_, single := Injected{What: Injection{Class: class, Alone: true}}.Class()
		if got != want || got <= inbox.Result || !bool(stack) || bool(single) {
			t.Errorf("class %d: got %v, %v, %v", class, got, stack, single)
		}
	}
}

func TestAnInjectedEventOutOfTimeIsLate(t *testing.T) {
	d := newDesk(t)
	d.give(outside("before the run"))
	d.give(Message{Text: "do it"})
	d.give(alone("N"))
	d.give(alone("waits"))
	d.give(Canceled{By: "the test"})
	d.give(outside("while it ends"))
	d.give(Judged{ID: pop[Judge](d).ID})
	d.give(outside("after the run"))
	if d.lates() != 5 { // the look of the turn was not given: it is no event
		t.Errorf("%d were late", d.lates())
	}
	if d.s.phase != ended {
		t.Errorf("phase %s", d.s.phase)
	}
}

func TestAWrongEventIsRefused(t *testing.T) {
	for name, e := range map[string]Injection{
		"no_text": {}, "no_class": {Text: "x", Class: 7}, "below": {Text: "x", Class: -1}, "no_json": {Text: "x", Data: json.RawMessage(`{`)},
	} {
		t.Run(name, func(t *testing.T) {
			if err := e.Check(); err == nil {
				t.Error("it was taken")
			}
		})
	}
}
