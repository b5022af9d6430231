package language

import (
	"strings"
	"unicode"
)

// comma is the token of whatever separates parts of a sentence.
const comma = ","

// scan cuts a sentence into lower-case words, numbers with their units apart, and commas.
func scan(text string) []string {
	var out []string
	for f := range strings.FieldsSeq(separated(strings.ToLower(text))) {
		out = append(out, splitUnit(f)...)
	}
	return out
}

// separated puts spaces around what separates and takes away quotes and other decoration.
func separated(s string) string {
	var b strings.Builder
	rs := []rune(s)
	for i, r := range rs {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
			b.WriteRune(r)
		case (r == '\'' || r == '’') && i > 0 && i+1 < len(rs) && unicode.IsLetter(rs[i-1]) && unicode.IsLetter(rs[i+1]):
			b.WriteByte('\'')
		case r == '.' && i > 0 && i+1 < len(rs) && unicode.IsDigit(rs[i+1]) && unicode.IsDigit(rs[i-1]):
			b.WriteByte('.')
		case r == ',' || r == ';' || r == '.' || r == ':' || r == '!' || r == '?' || r == '\n' || r == '&':
			b.WriteString(" , ")
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// splitUnit takes "10cm" apart.
func splitUnit(w string) []string {
	i := strings.IndexFunc(w, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' })
	if i <= 0 {
		return []string{w}
	}
	if _, ok := units[singular(w[i:])]; ok {
		return []string{w[:i], w[i:]}
	}
	return []string{w}
}

// tidy drops politeness, joins phrases and leaves single separators.
func tidy(ws []string) []string {
	ws = unopened(ws)
	ws = joined(ws)
	var out []string
	for _, w := range ws {
		switch {
		case polite[w]:
		case w == comma && (len(out) == 0 || out[len(out)-1] == comma || out[len(out)-1] == thenWord || out[len(out)-1] == "and"):
		case (w == thenWord || w == "and") && len(out) > 0 && out[len(out)-1] == comma:
			out[len(out)-1] = w
		default:
			out = append(out, w)
		}
	}
	for len(out) > 0 && (out[len(out)-1] == comma || out[len(out)-1] == thenWord) {
		out = out[:len(out)-1]
	}
	return out
}

// unopened takes the way a request begins from its beginning.
func unopened(ws []string) []string {
	for again := true; again; {
		again = false
		for len(ws) > 0 && (polite[ws[0]] && !startsPhrase(ws) || ws[0] == comma || ws[0] == "you") {
			ws = ws[1:]
		}
		for _, o := range openers {
			if hasPrefix(ws, o) {
				ws, again = ws[len(o):], true
			}
		}
	}
	return ws
}

// startsPhrase says whether the words begin with a phrase, so that "next to" is not taken for politeness.
func startsPhrase(ws []string) bool {
	_, n := phraseAt(ws)
	return n > 0
}

func joined(ws []string) []string {
	var out []string
	for i := 0; i < len(ws); {
		if as, n := phraseAt(ws[i:]); n > 0 {
			out = append(out, as)
			i += n
			continue
		}
		out = append(out, ws[i])
		i++
	}
	return out
}

// phraseAt is the longest phrase that the words begin with.
func phraseAt(ws []string) (as string, n int) {
	for _, p := range phrases {
		if len(p.words) > n && hasPrefix(ws, p.words) {
			as, n = p.as, len(p.words)
		}
	}
	return as, n
}

func hasPrefix(ws, p []string) bool {
	if len(ws) < len(p) {
		return false
	}
	for i := range p {
		if ws[i] != p[i] {
			return false
		}
	}
	return true
}

// singular is the word without the ending of a plural.
func singular(w string) string {
	if s, ok := plurals[w]; ok {
		return s
	}
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "xes"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && len(w) > 2:
		return w[:len(w)-1]
	}
	return w
}

// plain is a token as it was written.
func plain(w string) string { return strings.TrimSuffix(w, "!") }

func words(ws []string) string {
	out := make([]string, len(ws))
	for i, w := range ws {
		out[i] = plain(w)
	}
	return strings.ReplaceAll(strings.Join(out, " "), " ,", ",")
}
