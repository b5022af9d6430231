package terminal_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rein-robotics/rein/internal/terminal"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "put the battery in the box", "put the battery in the box"},
		{"other_scripts", "schöne Grüße, 電池 👩‍🔧", "schöne Grüße, 電池 👩‍🔧"},
		{"line_breaks", " done\n\nclaimed true\r\nchecked\ttrue\n", "done claimed true checked true"},
		{"vertical_breaks", "a\vb\fc\u0085d\u2028e\u2029f", "a b c d e f"},
		{"escape", "\x1b[2J\x1b]0;title\x07ok", `\x1b[2J\x1b]0;title\x07ok`},
		{"c1", "a\u009b2Jb", `a\u009b2Jb`},
		{"delete", "a\x7f\bb", `a\x7f\x08b`},
		{"turned_round", "a\u202eb\u2066c", `a\u202eb\u2066c`},
		{"broken", "a\xffb", "a\ufffdb"},
		{"nothing", "", ""},
		{"only_white", "\n\t ", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := terminal.Line(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	if got := terminal.Line(strings.Repeat("x", terminal.LineRunes)); strings.Contains(got, "…") {
		t.Errorf("got %q: nothing was to be left out", got)
	}
	got := terminal.Line(strings.Repeat("é", 1<<20))
	if n := utf8.RuneCountInString(got); n > terminal.LineRunes+40 {
		t.Errorf("got %d characters", n)
	}
	if want := "… (2095152 bytes more)"; !strings.HasSuffix(got, want) {
		t.Errorf("got …%q, want %q at the end", got[len(got)-40:], want)
	}
	if got := terminal.Cell(strings.Repeat("x", 201)); got != strings.Repeat("x", 200)+"… (1 bytes more)" {
		t.Errorf("got %q", got)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\nb\x1b[0m\u202e\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := terminal.Line(text)
		for _, r := range got {
			if r < ' ' || r >= 0x7f && r < 0xa0 {
				t.Fatalf("got %q of %q", got, text)
			}
		}
		if len([]rune(got)) > 10*terminal.LineRunes+40 {
			t.Fatalf("%d characters", len([]rune(got)))
		}
		if again := terminal.Line(got); len([]rune(text)) < 100 && again != got {
			t.Fatalf("got %q, then %q", got, again)
		}
	})
}
