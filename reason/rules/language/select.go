package language

import (
	"slices"
	"strconv"
	"strings"
)

// few is how far "a bit" is, metres.
const few = 0.05

// objects reads one or several selectors: "the red block, the mug and all batteries".
func (p *parser) objects(c *Clause) error {
	if !p.startsSelector() {
		if !p.more() || separates(p.peek()) {
			return &Unknown{Words: words(p.ws[max(0, p.at-1):p.at]), Want: "say which thing"}
		}
		return p.rest("")
	}
	for {
		s, err := p.selector()
		if err != nil {
			return err
		}
		c.Objects = append(c.Objects, s)
		if !p.anotherObject() {
			break
		}
	}
	return lendNouns(c.Objects)
}

// anotherObject goes over "and" or a comma when one more object follows it, and not another clause.
func (p *parser) anotherObject() bool {
	from := p.at
	p.take(comma)
	p.take("and", "or")
	if p.at == from || !p.startsSelector() {
		p.at = from
		return false
	}
	if _, verb := verbs[p.peek()]; verb {
		p.at = from
		return false
	}
	return true
}

// lendNouns gives "the red and the blue block" its noun twice.
func lendNouns(all []Selector) error {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Noun != "" {
			continue
		}
		if i+1 >= len(all) {
			all[i].Noun, all[i].Any = "thing", true
			continue
		}
		all[i].Noun, all[i].Kinds, all[i].Any = all[i+1].Noun, all[i+1].Kinds, all[i+1].Any
	}
	return nil
}

// startsSelector says whether a selector can begin here.
func (p *parser) startsSelector() bool {
	w := p.peek()
	switch {
	case !p.more(), separates(w), w == fromWord, w == "up", w == "down":
		return false
	}
	if _, ok := relations[w]; ok {
		return false
	}
	_, verb := verbs[w]
	if !verb {
		return !forbidden[w]
	}
	return false
}

// forbidden words change what a sentence asks for; nothing is done to a sentence that has one.
var forbidden = set("not", "no", "don't", "never", "without", "if", "unless", "until", "while", "when", "before", "after", "because", "or", "instead",
	"except", "but", "than", "nothing", "none", "neither", "nor", "cannot", "can't", "do", "does", "is", "are", "was", "were", "what", "why", "how", "who",
	"where", "should", "might", "maybe", "under", "underneath", "below", "beneath", "between", "above", "around", "through", "across", "along")

// selector reads one description of things.
func (p *parser) selector() (Selector, error) {
	s := Selector{Count: 1}
	if p.pronoun(&s) {
		return s, nil
	}
	p.quantity(&s)
	known := p.adjectives(&s)
	if s.Which != "" && !s.Named { // "the nearest two"
		p.quantity(&s)
		known = p.adjectives(&s)
	}
	if err := p.noun(&s, known); err != nil {
		return s, err
	}
	p.which(&s)
	if p.take("except", "but") {
		from := p.at
		e, err := p.selector()
		if err != nil {
			return s, err
		}
		if e.Named && e.Count != All || e.Which != "" || e.Back != nil || e.Any && len(e.Colours) == 0 {
			return s, &Unknown{Words: "except " + words(p.ws[from:p.at]), Want: "say by kind or colour what is not meant, or how many are"}
		}
		s.Except = &e
	}
	return s, nil
}

// pronoun reads it, them, this, that.
func (p *parser) pronoun(s *Selector) bool {
	w := p.peek()
	switch w {
	case "it", "them", "they":
		p.at++
	case "this", "that", "these", "those":
		if p.at+1 < len(p.ws) && !separates(p.ws[p.at+1]) {
			if _, rel := relations[p.ws[p.at+1]]; !rel {
				return false
			}
		}
		p.at++
	default:
		return false
	}
	*s = Selector{Noun: w, Count: All, Back: &Back{Clause: len(p.out) - 1}}
	return true
}

// quantity reads all, two, the, a.
func (p *parser) quantity(s *Selector) {
	for p.more() {
		w := p.peek()
		n, isNumber := numbers[w]
		if v, err := strconv.Atoi(w); err == nil && v > 0 && v < 100 {
			n, isNumber = v, true
		}
		switch {
		case every[w]:
			s.Count, s.Named = All, true
			if w == "both" {
				s.Count = 2
			}
		case w == "another", w == "some", w == "other":
			s.Named = w == "some"
		case isNumber:
			s.Count, s.Named = n, w != "a" && w != "an"
			if p.at+2 < len(p.ws) && p.ws[p.at+1] == "of" && articles[p.ws[p.at+2]] {
				p.at += 2
			}
		case articles[w]:
		default:
			return
		}
		p.at++
	}
}

// adjectives reads colours and choices; it gives the position where the noun's own words begin.
func (p *parser) adjectives(s *Selector) int {
	for p.more() {
		w := p.peek()
		c, colour := colours[w]
		k, choice := which[w]
		switch {
		case colour:
			s.Colours = append(s.Colours, c)
			p.at++
			if (p.peek() == "and" || p.peek() == "or" || p.peek() == comma) && p.at+1 < len(p.ws) {
				if _, next := colours[p.ws[p.at+1]]; next && p.colourListGoesOn() {
					p.at++
				}
			}
			continue
		case choice && p.nounFollows():
			s.Which = k
		case empties[w] && p.nounFollows():
		default:
			return p.at
		}
		p.at++
	}
	return p.at
}

// colourListGoesOn says whether "red and blue" is followed by a noun of several things: "the red and blue blocks".
func (p *parser) colourListGoesOn() bool {
	i := p.at + 2
	for i < len(p.ws) {
		if _, colour := colours[p.ws[i]]; !colour && p.ws[i] != "and" && p.ws[i] != comma {
			break
		}
		i++
	}
	return i < len(p.ws) && singular(p.ws[i]) != p.ws[i]
}

// nounFollows says whether the word after this one can still belong to the selector.
func (p *parser) nounFollows() bool {
	if p.at+1 >= len(p.ws) {
		return false
	}
	w := p.ws[p.at+1]
	_, rel := relations[w]
	_, dir := directions[w]
	_, choice := which[w]
	return !separates(w) && !rel && (!dir || choice) && w != fromWord && w != "by"
}

// noun reads what the things are called. Words that no rule knows make a noun that means nothing seen.
func (p *parser) noun(s *Selector, from int) error {
	end := p.at
	for end < len(p.ws) && !p.ends(end) {
		end++
	}
	ws := p.ws[from:end]
	if len(ws) == 0 {
		if len(s.Colours) == 0 && s.Which == "" && !s.Named {
			return p.rest("")
		}
		return nil // "the red and the blue block", "all in the box"
	}
	last := singular(ws[len(ws)-1])
	k, known := kinds[last]
	switch {
	case last == "table" && len(ws) == 1, last == "desk" && len(ws) == 1:
		s.Table = true
	case things[last]:
		s.Any = true
	case known:
		s.Kinds = k
	default:
		if isPlain(ws[len(ws)-1]) {
			last = words(ws[:len(ws)-1]) + " " + last
			s.Noun = strings.TrimSpace(last)
			p.plural(s, ws[len(ws)-1])
			p.at = end
			return nil
		}
		return p.rest("")
	}
	if len(ws) > 1 && !s.Table { // adjectives that cannot be told by sight
		return &Unknown{Words: words(ws[:len(ws)-1]), Want: "I know colours, left, right, nearest, farthest, biggest and smallest"}
	}
	s.Noun = last
	p.plural(s, ws[len(ws)-1])
	p.at = end
	return nil
}

// plural makes "the batteries" all of them.
func (p *parser) plural(s *Selector, w string) {
	many := singular(w) != w || w == "everything" || w == "stuff" || w == "rest"
	if many && s.Count == 1 && !s.Named || w == "everything" {
		s.Count = All
	}
	if w == "everything" {
		s.Named = true
	}
}

// ends says whether the selector's words end before token i.
func (p *parser) ends(i int) bool {
	w := p.ws[i]
	if separates(w) || w == fromWord || w == "off" || w == "up" || w == "down" || w == "over" || forbidden[w] || every[w] {
		return true
	}
	if _, ok := relations[w]; ok {
		return true
	}
	if _, ok := directions[w]; ok {
		return true
	}
	switch w {
	case "closed", "shut", "open", "out", "by", "for", "slightly", "about", "together", "closest", "nearest", "farthest", "furthest", "it", "them":
		return true
	}
	_, err := strconv.ParseFloat(w, 64)
	return err == nil
}

// which reads a choice that follows the noun: "the block on the left", "the block farthest from you".
func (p *parser) which(s *Selector) {
	for _, t := range [...]struct {
		words []string
		as    Which
	}{
		{[]string{"on", "the", "left"}, Leftmost}, {[]string{"at", "the", "left"}, Leftmost},
		{[]string{"on", "the", "right"}, Rightmost}, {[]string{"at", "the", "right"}, Rightmost},
		{[]string{"in", "the", "middle"}, Middle}, {[]string{"farthest"}, Farthest}, {[]string{"furthest"}, Farthest},
		{[]string{"closest"}, Nearest}, {[]string{"nearest"}, Nearest},
	} {
		if s.Which != "" || !hasPrefix(p.ws[p.at:], t.words) || p.describes(p.at+len(t.words)) {
			continue
		}
		p.at += len(t.words)
		s.Which = t.as
		if t.as == Farthest || t.as == Nearest {
			p.fromArm()
		} else {
			p.take("side")
		}
	}
}

// describes says whether the token at i goes on describing a thing: in "on the left red block" the left is the block's.
func (p *parser) describes(i int) bool {
	if i >= len(p.ws) {
		return false
	}
	w := p.ws[i]
	_, colour := colours[w]
	_, kind := kinds[singular(w)]
	_, choice := which[w]
	return colour || kind || choice || things[singular(w)] || empties[w]
}

// fromArm goes over "to you", "from the robot".
func (p *parser) fromArm() {
	from := p.at
	if p.take("to", fromWord) {
		p.take("the")
		if p.take("you", "me", "arm", "robot", "yourself") {
			return
		}
	}
	p.at = from
}

// distance reads "by 10 cm", "10 cm", "slightly".
func (p *parser) distance(c *Clause) bool {
	from := p.at
	p.take("by", "for")
	p.take("about", "roughly", "around", "some")
	if p.take("slightly") {
		c.Distance = few
		return true
	}
	if !p.number() {
		p.at = from
		return false
	}
	n := p.value()
	p.at++
	unit, ok := units[singular(p.peek())]
	if !ok {
		p.at = from
		return false
	}
	p.at++
	c.Distance = n * unit
	return n > 0
}

// number says whether the next token is a number.
func (p *parser) number() bool { return p.more() && p.value() > 0 }

func (p *parser) value() float64 {
	if n, err := strconv.ParseFloat(p.peek(), 64); err == nil && n > 0 && n < 1e4 {
		return n
	}
	if p.peek() == "half" {
		return 0.5
	}
	return float64(numbers[p.peek()])
}

// isPlain says whether the word can be the name of a thing.
func isPlain(w string) bool {
	return len(w) > 1 && !strings.ContainsAny(w, "0123456789_'!")
}

// named is the objects in words.
func named(all []Selector) string {
	out := make([]string, 0, len(all))
	for i := range all {
		out = append(out, all[i].Phrase())
	}
	return strings.Join(slices.Compact(out), " and ")
}
