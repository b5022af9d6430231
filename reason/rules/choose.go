package rules

import (
	"fmt"
	"slices"

	"github.com/rein-robotics/rein/reason/rules/language"
	"github.com/rein-robotics/rein/vision/detect"
)

// loose are the kinds that "thing" means: what can be carried.
var loose = []detect.Kind{detect.Battery, detect.Can, detect.Block, detect.Ball, detect.Mug, detect.Other}

// fits says whether the selector's words, without its count and choice, describe the thing.
func fits(s *language.Selector, t *detect.Thing) bool {
	if !ofKind(s, t) || s.Except != nil && fits(s.Except, t) {
		return false
	}
	return len(s.Colours) == 0 || slices.ContainsFunc(s.Colours, t.Is)
}

func ofKind(s *language.Selector, t *detect.Thing) bool {
	if s.Any {
		return slices.Contains(loose, t.Kind)
	}
	return slices.Contains(s.Kinds, string(t.Kind))
}

// unseen is the error of a sentence that was understood but does not fit what is seen.
type unseen struct{ words string }

func (u *unseen) Error() string { return u.words }

func unseenf(format string, args ...any) error { return &unseen{fmt.Sprintf(format, args...)} }

// choose picks the things that the selector means. among says which things may be meant; nil = all.
func (s *scene) choose(sel *language.Selector, among func(i int) bool) ([]int, error) {
	var found []int
	for i := range s.things {
		if (among == nil || among(i)) && sel.Known() && fits(sel, &s.things[i]) {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return nil, unseenf("I see no %s; %s.", sel.Name(sel.Count == language.All || sel.Count > 1), s.see())
	}
	if sel.Count == language.All {
		s.sort(found, language.Nearest)
		return found, nil
	}
	found = s.surest(sel, found)
	if len(found) < sel.Count {
		return nil, unseenf("I see only %s; %s.", counted(len(found), sel.Name(false), sel.Name(true)), s.see())
	}
	s.sort(found, sel.Which)
	if sel.Which == language.Middle {
		s.sort(found, language.Leftmost)
		at := (len(found) - sel.Count) / 2
		return found[at : at+sel.Count], nil
	}
	return found[:sel.Count], nil
}

// surest keeps the things for which the colour asked is the first that comes to mind, when there are enough of them.
func (s *scene) surest(sel *language.Selector, found []int) []int {
	if len(sel.Colours) == 0 {
		return found
	}
	var sure []int
	for _, i := range found {
		if slices.Contains(sel.Colours, s.things[i].Colour) {
			sure = append(sure, i)
		}
	}
	if len(sure) >= sel.Count {
		return sure
	}
	return found
}

// sort orders things by a choice; no choice is the nearest first. Equal ones go from left to right.
func (s *scene) sort(found []int, by language.Which) {
	key := func(i int) float64 {
		t := &s.things[i]
		switch by {
		case language.Leftmost:
			return -t.World.Y
		case language.Rightmost:
			return t.World.Y
		case language.Farthest:
			return -far(t.World)
		case language.Biggest:
			return -t.Length * t.Width * t.Height
		case language.Smallest:
			return t.Length * t.Width * t.Height
		}
		return far(t.World)
	}
	slices.SortStableFunc(found, func(a, b int) int {
		switch ka, kb := key(a), key(b); {
		case ka < kb:
			return -1
		case ka > kb:
			return 1
		}
		return 0
	})
}
