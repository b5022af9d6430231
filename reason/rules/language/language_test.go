package language_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/reason/rules/language"
)

// brief is a selector in one line: "all red|blue battery leftmost -mug".
func brief(s *language.Selector) string {
	var ws []string
	switch {
	case s.Back != nil && s.Back.Place:
		return fmt.Sprintf("place of %d", s.Back.Clause)
	case s.Back != nil:
		return fmt.Sprintf("things of %d", s.Back.Clause)
	case s.Table:
		return "table"
	case s.Count == language.All:
		ws = append(ws, "all")
	case s.Count > 1:
		ws = append(ws, fmt.Sprint(s.Count))
	}
	if len(s.Colours) > 0 {
		ws = append(ws, strings.Join(s.Colours, "|"))
	}
	switch {
	case s.Any:
		ws = append(ws, "any")
	case len(s.Kinds) > 0:
		ws = append(ws, strings.Join(s.Kinds, "|"))
	default:
		ws = append(ws, "?"+s.Noun)
	}
	if s.Which != "" {
		ws = append(ws, string(s.Which))
	}
	if s.Except != nil {
		ws = append(ws, "-"+brief(s.Except))
	}
	return strings.Join(ws, " ")
}

// line is a task in one line.
func line(cs []language.Clause) string {
	var out []string
	for i := range cs {
		c := &cs[i]
		var objects []string
		for k := range c.Objects {
			objects = append(objects, brief(&c.Objects[k]))
		}
		s := string(c.Verb) + " [" + strings.Join(objects, ", ") + "]"
		if c.From != nil {
			s += " from [" + brief(c.From) + "]"
		}
		if c.Place != nil {
			s += " " + string(c.Place.Relation) + " [" + brief(&c.Place.Of) + "]"
		}
		if c.Direction != "" {
			s += " " + string(c.Direction)
		}
		if c.Distance != 0 {
			s += fmt.Sprintf(" %g m", c.Distance)
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestSentences(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"put all the batteries in the white box", "put [all battery] in [white box]"},
		{"Put ALL the Batteries  in the white box.", "put [all battery] in [white box]"},
		{"put every battery into the white bin", "put [all battery] in [white box]"},
		{"put the batteries in the box", "put [all battery] in [box]"},
		{"put both batteries in the box", "put [2 battery] in [box]"},
		{"put two of the batteries in the box", "put [2 battery] in [box]"},
		{"place 3 AA batteries inside the tray", "put [3 battery] in [box]"},
		{"drop a battery into the container", "put [battery] in [box]"},
		{"move the red block to the box", "put [red block] to [box]"},
		{"put the red and the blue block into the box", "put [red block, blue block] in [box]"},
		{"put the red and blue blocks in the box", "put [all red|blue block] in [box]"},
		{"put the red block and the mug in the box", "put [red block, mug] in [box]"},
		{"put the red block, the mug and all batteries in the box", "put [red block, mug, all battery] in [box]"},
		{"put the red block in the box and the mug in the drawer", "put [red block] in [box]; put [mug] in [drawer]"},
		{"put everything except the mug in the white box", "put [all any -mug] in [white box]"},
		{"put in the box all the batteries", "put [all battery] in [box]"},
		{"collect the batteries in the box", "put [all battery] in [box]"},
		{"stack the red block on the blue block", "put [red block] on [blue block]"},
		{"stack the red cube on top of the blue cube", "put [red block] on [blue block]"},
		{"put the green brick onto the drawer", "put [green block] on [drawer]"},
		{"stack the blocks", "stack [all block]"},
		{"stack the red and the blue block", "stack [red block, blue block]"},
		{"put the ball next to the mug", "put [ball] next to [mug]"},
		{"put the ball to the left of the mug", "put [ball] left of [mug]"},
		{"put the ball on the right side of the mug", "put [ball] right of [mug]"},
		{"put the ball in front of the mug", "put [ball] in front of [mug]"},
		{"put the ball behind the mug", "put [ball] behind [mug]"},
		{"put the block on the left next to the mug", "put [block leftmost] next to [mug]"},
		{"put the blue block on the right red block", "put [blue block] on [red block rightmost]"},
		{"put the ball on the left block", "put [ball] on [block leftmost]"},
		{"put the block on the right in the box", "put [block rightmost] in [box]"},
		{"put the block on the left on the block on the right", "put [block leftmost] on [block rightmost]"},
		{"put everything except the red one in the box", "put [all any -red any] in [box]"},
		{"bring the mug closer", "push [mug] closer"},
		{"put the leftmost block in the box", "put [block leftmost] in [box]"},
		{"put the nearest two batteries in the box", "put [2 battery nearest] in [box]"},
		{"put the block farthest from you in the box", "put [block farthest] in [box]"},
		{"put the biggest red thing in the box", "put [red any biggest] in [box]"},
		{"take the battery out of the box", "put [battery] from [box] on [table]"},
		{"take the battery out of the box and put it in the drawer", "put [battery] from [box] in [drawer]"},
		{"put the mug down", "put [mug] on [table]"},
		{"put the red block on the table", "put [red block] on [table]"},
		{"pick up the mug", "pick up [mug]"},
		{"pick the mug up", "pick up [mug]"},
		{"grab the green ball", "pick up [green ball]"},
		{"pick up the mug and put it in the drawer", "put [mug] in [drawer]"},
		{"take the red block and stack it on the blue one", "put [red block] on [blue any]"},
		{"push the green block to the left", "push [green block] left"},
		{"push the green block left by 5 cm", "push [green block] left 0.05 m"},
		{"slide the can 8cm away", "push [can] away 0.08 m"},
		{"push the block away from you by ten centimeters", "push [block] away 0.1 m"},
		{"push the red block towards me", "push [red block] closer"},
		{"move the mug closer", "push [mug] closer"},
		{"nudge the ball a bit to the right", "push [ball] right 0.05 m"},
		{"open the drawer", "open [drawer]"},
		{"pull the drawer open", "open [drawer]"},
		{"pull open the drawer", "open [drawer]"},
		{"close the drawer", "close [drawer]"},
		{"push the drawer closed", "close [drawer]"},
		{"shut the drawer", "close [drawer]"},
		{"press the button", "press [button]"},
		{"push the button", "press [button]"},
		{"Could you please press the yellow button?", "press [yellow button]"},
		{"open the drawer, put the mug in it, then close the drawer", "open [drawer]; put [mug] in [place of 0]; close [drawer]"},
		{"put the mug in the drawer and close it", "put [mug] in [drawer]; close [things of 0]"},
		{"press the button and then open the drawer", "press [button]; open [drawer]"},
		{"First press the button. Then open the drawer.", "press [button]; open [drawer]"},
		{"put the batteries one by one into the box", "put [all battery] in [box]"},
		{"put all three batteries in the box", "put [3 battery] in [box]"},
		{"put the soda can on the table", "put [can] on [table]"},
		{"put the banana in the box", "put [?banana] in [box]"},
		{"put the bananas in the box", "put [all ?banana] in [box]"},
		{"put the battery charger in the box", "put [?battery charger] in [box]"},
		{"put the battery in the teapot", "put [battery] in [?teapot]"},
		{"move the red block 5 cm closer and the mug into the box", "push [red block] closer 0.05 m; put [mug] in [box]"},
	} {
		t.Run(strings.ReplaceAll(tc.text, " ", "_"), func(t *testing.T) {
			got, err := language.Parse(tc.text)
			if err != nil {
				t.Fatal(err)
			}
			if line(got) != tc.want {
				t.Errorf("got  %s\nwant %s", line(got), tc.want)
			}
		})
	}
}

func TestNotUnderstood(t *testing.T) {
	for _, tc := range []struct{ text, names string }{
		{"", ""},
		{"hello", "hello"},
		{"juggle the balls", "juggle"},
		{"the battery", "battery"},
		{"don't open the drawer", "don't"},
		{"do not press the button", "do not"},
		{"never press the button", "never"},
		{"put the battery", "where to put"},
		{"put the battery not in the box", "not"},
		{"put the battery in the box if it is red", "if it is red"},
		{"put the battery in the box unless it is full", "unless"},
		{"put the battery under the box", "under"},
		{"put the battery between the box and the mug", "between the box"},
		{"put the wooden block in the box", "wooden"},
		{"push the block", "which way"},
		{"push the block up", "up"},
		{"press the drawer", "press the drawer"},
		{"open the box", "open the box"},
		{"put the battery in the boxes", "boxes"},
		{"how many batteries are there", "how many"},
		{"put the battery in the box then blorg", "blorg"},
		{"turn the mug upside down", "turn"},
		{"throw away the battery", "away"},
		{"throw the mug away", "throw … away"},
		{"put the mug away", "put … away"},
		{"toss the ball to the left", "toss … left"},
		{"put all the batteries except one in the box", "except one"},
		{"put all but one in the box", "except one"},
		{"put all the batteries but two in the box", "except two"},
		{"put all the batteries except one battery in the box", "except one battery"},
		{"put all the blocks except the left one in the box", "except the left one"},
		{"bring me the mug", "bring me"},
		{"put the table in the box", "the table"},
	} {
		t.Run(strings.ReplaceAll(tc.text, " ", "_"), func(t *testing.T) {
			got, err := language.Parse(tc.text)
			if err == nil {
				t.Fatalf("got %s, want an error", line(got))
			}
			if _, ok := errors.AsType[*language.Unknown](err); !ok {
				t.Errorf("got a %T, want *Unknown", err)
			}
			if !strings.Contains(err.Error(), tc.names) || !strings.HasPrefix(err.Error(), "I do not understand") {
				t.Errorf("got %q, want it to name %q", err, tc.names)
			}
		})
	}
}

// FuzzParse: no sentence breaks the parser; what it understood is whole, and says the same when it is read again.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"put all the batteries in the white box", "stack the red block on the blue block, then push it left by 5 cm", "open the drawer and put it in",
		"it", "put it in it", "and then", "pull the the the", "put 3 in 3 cm", "put everything except everything except it on it", "half a m", "ﬀ’’'s",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := language.Parse(text)
		if err != nil {
			return
		}
		if len(got) == 0 {
			t.Fatal("nothing understood and no error")
		}
		for i := range got {
			c := &got[i]
			if len(c.Objects) == 0 {
				t.Errorf("clause %d, %s, has no object", i, c.Verb)
			}
			if c.Verb == language.Put && c.Place == nil {
				t.Errorf("clause %d goes nowhere", i)
			}
			if c.Verb == language.Push && c.Direction == "" {
				t.Errorf("clause %d is pushed in no direction", i)
			}
			for k := range c.Objects {
				if b := c.Objects[k].Back; b != nil && b.Clause >= i {
					t.Errorf("clause %d: a word means clause %d", i, b.Clause)
				}
			}
		}
		again, err := language.Parse(text)
		if err != nil || line(again) != line(got) {
			t.Errorf("read again: %s, %v; the first time %s", line(again), err, line(got))
		}
	})
}
