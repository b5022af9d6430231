package rules_test

import (
	"testing"

	"github.com/rein-robotics/rein/geom"
)

// refuses makes a tool refuse or fail n times, with a code; a failed action is asked for twice, at its start and its end.
func refuses(r *rig, tool, code string, n int) {
	r.before = func(name string, _ int) (string, string) {
		if name != tool || n == 0 {
			return "", ""
		}
		n--
		return code, "the arm does not get there"
	}
}

// TestEveryClauseCounts: what was given up in one clause is not forgotten while the others are done.
func TestEveryClauseCounts(t *testing.T) {
	for i, tc := range []struct {
		name, task string
		tool, code string // what goes wrong
		times      int
		success    bool
		says       []string
	}{
		{"press_refused", "press the button and push the green block left", "press_at", "out_of_reach", 9, false, []string{"button: the arm does not get there", "the green block is farther left"}},
		{"pick_refused", "pick up the red block and push the green block left", "pick_object", "out_of_reach", 9, false, []string{"red block: the arm does not get there", "the green block is farther left"}},
		{"first_push_fails", "push the red block left and push the green block left", "push_object", "failed", 6, false, []string{"red block: the arm does not get there", "the green block is farther left"}},
		{"first_push_fails_and_the_block_is_put_away", "push the red block left, then put the red block in the box", "push_object", "failed", 6, false, []string{"red block: the arm does not get there", "the red block is now in the white box"}},
		{"open_refused", "open the drawer and press the button", "pull_handle", "out_of_reach", 9, false, []string{"drawer: the arm does not get there", "the yellow button is pressed"}},
		{"later_clause_cannot_follow", "open the drawer and take the ball out of it", "pull_handle", "out_of_reach", 9, false, []string{"drawer: the arm does not get there", "take the ball"}},
		{"tried_again", "press the button and push the green block left", "press_at", "failed", 2, true, []string{"the yellow button is pressed", "the green block is farther left"}},
		{"two_pushes", "push the red block left and push the green block left", "", "", 0, true, []string{"the red block is farther left", "the green block is farther left"}},
		{"what_followed_changed_it", "open the drawer and close it", "", "", 0, true, []string{"the brown drawer was open", "the brown drawer is closed"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sample(t, i)
			r := newRig(t, home(), front())
			refuses(r, tc.tool, tc.code, tc.times)
			r.run(tc.task).want(tc.success, tc.says...)
		})
	}
}

// hideHandle puts a post before the drawer of home, over its handle.
func hideHandle(w *world) {
	w.objects = append(w.objects, &object{shape: "box", rgb: green, pos: geom.Vec{X: 0.155, Y: -0.26}, size: [3]float64{0.03, 0.08, 0.075}})
}

// TestUnseenIsNotClaimed: a picture that cannot tell is no proof.
func TestUnseenIsNotClaimed(t *testing.T) {
	sample(t, 1)
	t.Run("handle_hidden", func(t *testing.T) {
		w := home()
		r := newRig(t, w, front())
		r.looked = func() {
			if r.number == 2 {
				hideHandle(w)
			}
		}
		r.run("open the drawer and close it").want(false, "no longer see the brown drawer")
	})
	beside := func(w *world, shape string, rgb [3]float64) { // the mug has fallen beside the drawer, and looks otherwise
		m := w.objects[len(w.objects)-1]
		m.shape, m.rgb, m.pos, m.size = shape, rgb, geom.Vec{X: 0.10, Y: -0.09}, [3]float64{0.054, 0.034, 0.06}
	}
	t.Run("drawer_not_made_out", func(t *testing.T) {
		w := home()
		r := newRig(t, w, front())
		r.looked = func() {
			if r.number == 3 {
				beside(w, "box", yellow)
				w.objects[8-1].open = 0.0301
				w.objects = append(w.objects, &object{shape: "box", rgb: brown, pos: geom.Vec{X: 0.155, Y: -0.26}, yaw: 0.3, size: [3]float64{0.09, 0.11, 0.069}})
			}
		}
		r.run("put the mug in the drawer").want(false)
	})
	t.Run("fell_beside", func(t *testing.T) { // it passes for a block, and is taken and put in again
		w := home()
		r := newRig(t, w, front())
		once := false
		r.looked = func() {
			if r.number == 3 && !once {
				once = true
				beside(w, "box", purple)
			}
		}
		r.run("put the mug in the drawer").want(true)
		if last := w.objects[len(w.objects)-1]; last.rgb != purple || last.pos.Z != 0.006 {
			t.Errorf("the mug is at %v, not in the drawer", last.pos)
		}
	})
	t.Run("arm_stays_in_the_picture", func(t *testing.T) {
		r := newRig(t, home(), front())
		r.before = func(tool string, n int) (string, string) {
			switch {
			case tool == "move_to_pose":
				return "cannot_start", "not seen at rest after the last stop"
			case tool == "push_object" && n == 1:
				return "failed", "blocked, 81 mm short"
			}
			return "", ""
		}
		r.run("open the drawer and close it").want(false, "does not go away", "not seen at rest")
	})
}

// TestWords: what is said is what was done.
func TestWords(t *testing.T) {
	two := func() *world {
		w := home()
		w.objects[0].rgb, w.objects[1].rgb = green, [3]float64{0.12, 0.12, 0.12}
		return w
	}
	for i, tc := range []struct {
		name, task string
		world      *world
		says       string
	}{
		{"on_an_open_box_is_in_it", "put the red block on the white box", home(), "The red block is now in the white box."},
		{"batteries_of_two_colours", "put the green battery in the white box and the black battery in the white box", two(),
			"The green battery is now in the white box. The black battery is now in the white box."},
		{"next_to_is_near", "put the green block next to the mug", home(), "The green block is now next to the purple mug."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sample(t, i)
			newRig(t, tc.world, front()).run(tc.task).want(true, tc.says)
		})
	}
	sample(t, 1)
	t.Run("narrow_gap", func(t *testing.T) { // 67 mm between two blocks take one of 50 mm
		long := block(green, 0.20, -0.15)
		long.size = [3]float64{0.05, 0.03, 0.03}
		w := &world{objects: []*object{block(red, 0.28, -0.05), block(blue, 0.28, 0.052), long}}
		w.objects[0].yaw, w.objects[1].yaw = 0, 0
		newRig(t, w, front()).run("put the green block to the left of the red block").want(true, "left of the red block")
	})
	t.Run("far_is_not_next_to", func(t *testing.T) { // 16 cm between the middles of two blocks
		w := &world{objects: []*object{block(red, 0.25, 0.08), block(blue, 0.25, -0.08)}}
		r := newRig(t, w, front()).run("put the red block next to the blue block")
		r.want(true)
		if r.number == 0 {
			t.Error("nothing was moved")
		}
	})
}
