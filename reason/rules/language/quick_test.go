package language_test

import (
	"encoding/json"
	"github.com/rein-robotics/rein/reason/rules/language"
	"testing"
)

func TestQuick(t *testing.T) {
	for _, s := range []string{
		"put all the batteries in the white box", "stack the red block on the blue block", "push the green block to the left", "press the button", "open the drawer", "put the mug in the drawer", "put the banana in the box",
		"Please put the red and the blue block into the box, then press the button.", "pick up the mug and put it in the drawer and close it", "slide the nearest battery left by 10 cm", "push the button", "push the drawer closed",
		"put everything except the mug in the white box", "put the block on the left next to the mug", "take the battery out of the box", "move the red block to the left of the blue block", "don't open the drawer", "juggle the balls", "put the battery", "put the red block in the box and the blue block on the table", "stack the blocks", "pull the drawer open", "put the wooden block in the box",
		"open the drawer, put the mug in it, then close the drawer", "put two of the batteries in the box", "push the red block closer", "put the battery in the box if it is red", "put the two red and blue blocks in the box", "put the closest battery in the box", "put the red block onto the drawer"} {
		c, err := language.Parse(s)
		if err != nil {
			t.Log(s, "=>", err)
			continue
		}
		b, _ := json.Marshal(c)
		t.Log(s, "=>", string(b))
	}
}
