package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/reason/rules/language"
	"github.com/rein-robotics/rein/vision/detect"
)

var numerals = []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}

// counted is a number of things in words: "one battery", "three batteries", "a box".
func counted(n int, one, many string) string {
	word := fmt.Sprint(n)
	if n < len(numerals) {
		word = numerals[n]
	}
	if n == 1 {
		return word + " " + one
	}
	return word + " " + many
}

// article is the thing with a or an.
func article(words string) string {
	if words != "" && strings.ContainsRune("aeiou", rune(words[0])) {
		return "an " + words
	}
	return "a " + words
}

// name is what a thing looks like, in words.
func name(t *detect.Thing) string { return named(string(t.Kind), t.Colour) }

func named(kind, colour string) string {
	if colour == "" || kind == string(detect.Battery) {
		return kind
	}
	return colour + " " + kind
}

// see says what there is, in words: "I see three batteries, a white box and a button".
func (s *scene) see() string {
	var order []string
	count := map[string]int{}
	for i := range s.things {
		n := name(&s.things[i])
		if count[n] == 0 {
			order = append(order, n)
		}
		count[n]++
	}
	if len(order) == 0 {
		return "I see nothing on the table"
	}
	slices.SortStableFunc(order, func(a, b string) int { return count[b] - count[a] })
	words := make([]string, len(order))
	for i, n := range order {
		words[i] = article(n)
		if count[n] > 1 {
			words[i] = counted(count[n], n, language.Plural(n))
		}
	}
	return "I see " + list(words)
}

// list joins words with commas and "and".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// sentence begins with a capital and ends with a full stop.
func sentence(s string) string {
	s = strings.TrimRight(strings.TrimSpace(s), ".")
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
