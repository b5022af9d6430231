package main

import (
	"strings"
	"testing"
)

func openLab(t *testing.T, o *options) *lab {
	t.Helper()
	o.conf, o.scene, o.workers = "../../conf/tabletop", "../../conf/tabletop/scenes/tabletop.yaml", 1
	l, err := newLab(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func TestPicksAndDrops(t *testing.T) {
	l := openLab(t, &options{})
	trials, err := l.table(t.Context(), 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range trials {
		if r.stage != "" {
			t.Errorf("%s → %s: %s: %s", r.kind, r.drop, r.stage, r.reason)
		}
	}
	if len(trials) != 2 {
		t.Errorf("got %d trials, want 2", len(trials))
	}
}

func TestScripts(t *testing.T) {
	l := openLab(t, &options{})
	for _, name := range []string{"stack", "push", "press", "close", "mug"} {
		t.Run(name, func(t *testing.T) {
			r, err := l.play(t.Context(), name, 0)
			if err != nil {
				t.Fatal(err)
			}
			if r.stage != "" {
				t.Errorf("%s: %s", r.stage, r.reason)
			}
		})
	}
	if _, err := l.play(t.Context(), "none", 0); err == nil {
		t.Error("a script that does not exist was played")
	}
}

func TestEqualSeedsAreEqualTables(t *testing.T) {
	a, b := newSetting(7, 3, &options{}), newSetting(7, 3, &options{})
	if a.text != b.text {
		t.Error("two tables of one seed differ")
	}
	if c := newSetting(8, 3, &options{}); c.text == a.text {
		t.Error("tables of two seeds are equal")
	}
}

func TestReport(t *testing.T) {
	var b strings.Builder
	report(&b, []trial{{kind: "aa", drop: "box"}, {kind: "aa", drop: "box", stage: "pick", reason: "blocked, 84 mm short"}, {kind: "mug", drop: "table", stage: "pick", reason: "blocked, 3 mm short"}}, 0)
	for _, want := range []string{"1 of 3", "| aa | 1 | 2 |", "| → table | 0 | 1 |", "| pick: blocked, n mm short | 2 |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("got\n%s\nwithout %q", b.String(), want)
		}
	}
}
