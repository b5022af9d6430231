// Package terminal makes text fit for a terminal. What a model, a server, a task or a file says may hold line breaks and
// control characters that forge lines, move the cursor or set the window's title, and may be of any length.
//
// Its one invariant: what Line and Cell give is one line without control characters, of bounded length. Texts that are
// data (JSON, the log) are left as they are. Start with Line.
package terminal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// LineRunes and CellRunes are the longest texts, in characters, that Line and Cell let pass.
const (
	LineRunes = 1000
	CellRunes = 200
)

// Line is text on one line: white space and line breaks as one space each, other characters that do not show as escapes
// (\x1b, \u202e), and its end left out when it is longer than LineRunes.
func Line(text string) string { return within(text, LineRunes) }

// Cell is Line for a column or a name, at most CellRunes long.
func Cell(text string) string { return within(text, CellRunes) }

// within never looks at more of a long text than it shows.
func within(text string, most int) string {
	var b strings.Builder
	shown, space := 0, false
	for i, r := range text {
		if white(r) {
			space = shown > 0
			continue
		}
		if shown >= most {
			fmt.Fprintf(&b, "… (%d bytes more)", len(text)-i)
			break
		}
		if space {
			b.WriteByte(' ')
			space = false
			shown++
		}
		shown++
		switch {
		case r == utf8.RuneError:
			b.WriteRune(r) // broken text, too
		case unicode.IsPrint(r) || joins(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// white are the characters that only make room. A carriage return alone is one: it would overwrite the line.
func white(r rune) bool {
	return unicode.IsSpace(r) || unicode.Is(unicode.Zs, r)
}

// joins are characters without a shape of their own that scripts and emoji need.
func joins(r rune) bool { return r == '\u200c' || r == '\u200d' }
