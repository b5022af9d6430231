package language

import (
	"slices"
	"strings"
)

// maxWords bounds what is read as one task.
const maxWords = 200

// Parse reads the sentence of a task. An error is an *Unknown, in words for a person.
func Parse(text string) ([]Clause, error) {
	ws := tidy(scan(text))
	switch {
	case len(ws) == 0:
		return nil, &Unknown{Words: strings.TrimSpace(text), Want: "say what to put, stack, pick up, push, open, close or press"}
	case len(ws) > maxWords:
		return nil, &Unknown{Want: "this is too long for one task"}
	}
	p := &parser{ws: ws}
	if err := p.task(); err != nil {
		return nil, err
	}
	return simplified(p.out), nil
}

// parser reads tokens from the left.
type parser struct {
	ws  []string
	at  int
	out []Clause

	carries bool // the newest verb was one of carrying: a clause without a verb can go on with it
}

func (p *parser) peek() string {
	if p.at < len(p.ws) {
		return p.ws[p.at]
	}
	return ""
}

func (p *parser) more() bool { return p.at < len(p.ws) }

// take goes over the next token when it is one of ws.
func (p *parser) take(ws ...string) bool {
	if p.more() && slices.Contains(ws, p.peek()) {
		p.at++
		return true
	}
	return false
}

// rest is the error that names the words which were not understood: from here to the next separator.
func (p *parser) rest(want string) error {
	end := p.at
	for end < len(p.ws) && p.ws[end] != comma && p.ws[end] != thenWord {
		end++
	}
	if end == p.at {
		end = min(p.at+1, len(p.ws))
	}
	return &Unknown{Words: words(p.ws[p.at:end]), Want: want}
}

// task reads all clauses.
func (p *parser) task() error {
	for p.more() {
		for p.take(comma, thenWord, "and") {
		}
		if !p.more() {
			break
		}
		from := p.at
		if err := p.clause(); err != nil {
			return err
		}
		p.out[len(p.out)-1].Text = words(p.ws[from:p.at])
		if p.more() && !separates(p.peek()) {
			return p.rest("")
		}
	}
	if len(p.out) == 0 {
		return &Unknown{Words: words(p.ws)}
	}
	return nil
}

func separates(w string) bool { return w == comma || w == thenWord || w == "and" }

// clause reads one clause; one without a verb goes on with the verb of the one before: "… and the mug in the drawer".
func (p *parser) clause() error {
	v, known := verbs[p.peek()]
	switch {
	case known:
		p.at++
	case p.carries && p.startsSelector():
		v = Put
	default:
		_, isNoun := kinds[singular(p.peek())]
		if isNoun || articles[p.peek()] {
			return p.rest("say what to do with it")
		}
		return p.rest("I know put, stack, pick up, push, open, close and press")
	}
	word := ""
	if known {
		word = p.ws[p.at-1]
	}
	p.carries = v == Put
	c := Clause{Verb: v}
	var err error
	switch v {
	case Put, Stack, Pick, Push:
		err = p.moving(&c, word)
	case Open, Close, Press:
		err = p.working(&c, word)
	}
	if err != nil {
		return err
	}
	p.out = append(p.out, c)
	return nil
}

// moving reads what is done to things that change their place.
func (p *parser) moving(c *Clause, word string) error {
	up := p.take("up")
	down := !up && p.take("down")
	if r, ok := relations[p.peek()]; ok && c.Verb == Put && r == In { // "put in the box all the batteries"
		if err := p.place(c); err != nil {
			return err
		}
	}
	if gives[word] && p.take("me", "us") {
		return &Unknown{Words: word + " me", Want: "I cannot hand things over; say where to put it"}
	}
	if err := p.objects(c); err != nil {
		return err
	}
	if p.take("up") {
		up = true
	} else if p.take("down") {
		down = true
	}
	for p.more() && !separates(p.peek()) {
		if ok, err := p.complement(c); err != nil {
			return err
		} else if !ok {
			break
		}
	}
	return p.settled(c, word, moves{up: up, down: down})
}

// moves are the particles of a verb: pick up, put down.
type moves struct{ up, down bool }

// complement reads one part that follows the objects: where from, where to, which way, how far.
func (p *parser) complement(c *Clause) (bool, error) {
	w := p.peek()
	switch {
	case w == fromWord || w == "off":
		return true, p.source(c)
	case w == "together" || w == "over":
		p.at++
		return true, nil
	case c.Distance == 0 && p.distance(c):
		return true, nil
	case c.Direction == "" && p.direction(c):
		return true, nil
	}
	if _, ok := relations[w]; ok && c.Place == nil {
		return true, p.place(c)
	}
	return false, nil
}

// leaves says whether a verb of carrying and a direction together mean something else than a push: "throw it away".
func leaves(word string, d Direction) bool {
	if verbs[word] != Put || word == "move" {
		return false
	}
	return d == Away || tosses[word]
}

// settled checks that a moving clause is whole and gives it its final verb.
func (p *parser) settled(c *Clause, word string, m moves) error {
	for i := range c.Objects {
		if c.Objects[i].Table {
			return &Unknown{Words: word + " the table", Want: "I cannot move the table"}
		}
	}
	switch {
	case m.down && c.Verb == Put && c.Place == nil && c.Direction == "":
		c.Place = &Place{Relation: On, Of: Selector{Noun: "table", Table: true, Count: 1}}
	case m.up && c.Verb == Put && c.Place == nil:
		c.Verb = Pick
	}
	switch {
	case m.up && c.Verb == Push:
		return &Unknown{Words: word + " … up", Want: "say left, right, away or closer"}
	case c.Direction != "" && c.Place == nil && leaves(word, c.Direction):
		return &Unknown{Words: word + " … " + string(c.Direction), Want: "say where to put it, or push and the direction"}
	case c.Direction != "" && c.Place == nil && (c.Verb == Put || c.Verb == Push):
		c.Verb = Push
		return p.pushed(c)
	case c.Direction != "" && c.Place == nil:
		return &Unknown{Words: word + " … " + string(c.Direction), Want: "say push and the direction"}
	case c.Place != nil:
		if c.Verb == Stack && c.Place.Relation == To {
			c.Place.Relation = On
		}
		if c.Verb == Push && c.Place.Relation != In {
			return &Unknown{Words: "push … " + string(c.Place.Relation), Want: "say left, right, away or closer"}
		}
		c.Verb = Put
	case c.Verb == Push:
		return p.pushed(c)
	case c.From != nil:
		c.Verb, c.implied = Put, true
		c.Place = &Place{Relation: On, Of: Selector{Noun: "table", Table: true, Count: 1}}
	case c.Verb == Put && p.more() && !separates(p.peek()):
		return p.rest("")
	case c.Verb == Put:
		return &Unknown{Want: "say where to " + word + " " + named(c.Objects) + ": in, on or next to what"}
	}
	return nil
}

// pushed settles a push: of a button it is a press, of a drawer it closes.
func (p *parser) pushed(c *Clause) error {
	s := c.Objects[0]
	switch {
	case len(c.Objects) == 1 && slices.Equal(s.Kinds, []string{"button"}) && c.Direction == "":
		c.Verb = Press
		p.take("in")
	case len(c.Objects) == 1 && slices.Equal(s.Kinds, []string{"drawer"}) && (c.Direction == "" || c.Direction == Away):
		c.Verb, c.Direction = Close, ""
		if !p.take("closed", "shut", "in") && c.Place != nil {
			return p.rest("")
		}
	case c.Direction == "":
		return &Unknown{Want: "say which way to push " + named(c.Objects) + ": left, right, away or closer"}
	}
	return nil
}

// working reads what is done to a drawer or a button.
func (p *parser) working(c *Clause, word string) error {
	p.take("on", "up")
	pulled := word == "pull" && p.take("open", "out")
	if err := p.objects(c); err != nil {
		return err
	}
	for p.more() && !separates(p.peek()) {
		if !p.take("open", "out", "closed", "shut", "down") && !p.distance(c) {
			if word != "pull" || pulled || !p.direction(c) {
				return p.rest("")
			}
		}
	}
	for _, s := range c.Objects {
		if s.Back != nil || !s.Known() || s.Any {
			continue
		}
		drawer, button := slices.Contains(s.Kinds, "drawer"), slices.Contains(s.Kinds, "button")
		switch {
		case c.Verb == Press && !button, c.Verb != Press && !drawer && word != "pull":
			return &Unknown{Words: word + " the " + s.Noun, Want: "I can open and close drawers and press buttons"}
		case word == "pull" && !drawer:
			c.Verb = Push
		}
	}
	if c.Verb == Push && c.Direction == "" {
		c.Direction = Closer
	}
	if c.Verb == Push && c.Direction != Closer {
		return &Unknown{Words: "pull … " + string(c.Direction), Want: "say push and the direction"}
	}
	return nil
}

// source reads "out of the box".
func (p *parser) source(c *Clause) error {
	word := p.peek()
	p.at++
	if c.From != nil {
		p.at--
		return p.rest("")
	}
	s, err := p.selector()
	if err != nil {
		return err
	}
	if !s.Table {
		c.From = &s
	}
	if word == "off" && s.Table {
		return &Unknown{Words: "off the table", Want: "say where to put it"}
	}
	return nil
}

// place reads a relation and what it is to.
func (p *parser) place(c *Clause) error {
	r := relations[p.peek()]
	p.at++
	if !p.startsSelector() {
		p.at--
		return p.rest("")
	}
	s, err := p.selector()
	if err != nil {
		return err
	}
	if s.Back == nil && (s.Count == All || s.Count > 1) {
		return &Unknown{Words: string(r) + " " + s.Phrase(), Want: "say one place"}
	}
	if s.Table && r != On {
		if r != To {
			return &Unknown{Words: string(r) + " the table", Want: "say on the table"}
		}
		r = On
	}
	c.Place = &Place{Relation: r, Of: s}
	return nil
}

// direction reads "to the left", "left", "away".
func (p *parser) direction(c *Clause) bool {
	from := p.at
	p.take("to", "towards", "toward")
	p.take("the", "your", "my")
	if d, ok := directions[p.peek()]; ok {
		p.at++
		p.take("side")
		if !p.more() || separates(p.peek()) || slices.Contains([]string{"by", "for", "about", "slightly", "a"}, p.peek()) || p.number() {
			c.Direction = d
			return true
		}
	}
	p.at = from
	return false
}
