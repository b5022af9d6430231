package language_test

import (
	"fmt"

	"github.com/rein-robotics/rein/reason/rules/language"
)

func ExampleParse() {
	clauses, err := language.Parse("Put all the batteries in the white box, then press the button.")
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range clauses {
		c := &clauses[i]
		fmt.Println(c.Verb, c.Objects[0].Phrase())
	}
	_, err = language.Parse("juggle the balls")
	fmt.Println(err)
	// Output:
	// put all batteries
	// press the button
	// I do not understand “juggle the balls”: I know put, stack, pick up, push, open, close and press.
}
