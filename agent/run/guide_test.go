package run

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/tool"
)

func TestInfoAndSkill(t *testing.T) {
	set := func(s *Settings) {
		functions(t)(s)
		s.Functions = append(s.Functions, function(t, "weigh", tool.Reads).WithDetails("Put it on the scale first."))
		s.Guides = []Guide{{Name: "boxes", Description: "How to fill boxes.\nAnd more.", Body: "Largest first."}}
	}
	tests := map[string]struct {
		tool, args string
		want       []string
	}{
		"function":      {"info", `{"name":"weigh"}`, []string{`"kind":"function"`, "Put it on the scale first.", `"parameters"`}},
		"skill_tool":    {"info", `{"name":"reach"}`, []string{`"kind":"skill"`, `"commands":["arm"]`, "Moves the arm."}},
		"builtin":       {"info", `{"name":"observe"}`, []string{`"kind":"built_in"`, "fresh images"}},
		"guide_by_info": {"info", `{"name":"boxes"}`, []string{`"kind":"guide"`, "Largest first."}},
		"unknown":       {"info", `{"name":"fly"}`, []string{"unknown_tool", "weigh", "boxes"}},
		"guide":         {"skill", `{"name":"boxes"}`, []string{"Largest first.", "How to fill boxes."}},
		"no_guide":      {"skill", `{"name":"reach"}`, []string{"bad_arguments", "there are boxes"}},
		"no_name":       {"skill", `{}`, []string{"bad_arguments", "name is missing"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := begun(t, set)
			d.reply(asks(tc.tool, tc.args))
			for _, w := range tc.want {
				if got := d.results(); len(got) != 1 || !strings.Contains(got[0], w) {
					t.Errorf("got %v, want %q in it", got, w)
				}
			}
		})
	}
}

func TestIndexOfTheGuides(t *testing.T) {
	many := func(n, size int) (out []Guide) {
		for i := range n {
			out = append(out, Guide{Name: fmt.Sprintf("g%03d", n-i), Description: strings.Repeat("x", size) + "\nsecond line"})
		}
		return out
	}
	tests := map[string]struct {
		guides []Guide
		want   []string
		not    []string
	}{
		"none":       {nil, nil, []string{"Guides"}},
		"two":        {many(2, 10), []string{"- g001: xxxxxxxxxx\n- g002: xxxxxxxxxx\n"}, []string{"second line", "more"}},
		"too_many":   {many(100, 80), []string{"- g001: ", "more\n"}, []string{"g100"}},
		"one_is_big": {many(2, 5000), []string{"- g001: ", "- and 1 more\n"}, []string{"g002"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, func(s *Settings) { s.SystemPrompt, s.Guides = "You plan.", tc.guides })
			got := d.s.set.SystemPrompt
			for _, w := range append(tc.want, "You plan.") {
				if !strings.Contains(got, w) {
					t.Errorf("%q is missing in:\n%s", w, got)
				}
			}
			for _, w := range tc.not {
				if strings.Contains(got, w) {
					t.Errorf("%q stands in:\n%s", w, got)
				}
			}
			if name != "one_is_big" && len(got) > indexSize+100 {
				t.Errorf("got %d bytes", len(got))
			}
		})
	}
}

func TestGuidesThatCannotBe(t *testing.T) {
	tests := map[string][]Guide{
		"twice":          {{Name: "a", Description: "x"}, {Name: "a", Description: "y"}},
		"no_name":        {{Description: "x"}},
		"no_description": {{Name: "a"}},
	}
	for name, guides := range tests {
		t.Run(name, func(t *testing.T) {
			set := &Settings{Guides: guides}
			if err := set.compile(); err == nil || !strings.Contains(err.Error(), "guide ") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A changed system prompt still names the guides: the tool that reads them is on the list.
func TestGuidesSurviveAChangedPrompt(t *testing.T) {
	d := begun(t, func(s *Settings) { s.Guides = []Guide{{Name: "stacking", Description: "How to stack."}} })
	d.give(Prompted{Text: "Be quick."})
	if got := d.s.planner.SystemPrompt; !strings.HasPrefix(got, "Be quick.") || !strings.Contains(got, "- stacking: How to stack.") {
		t.Errorf("got %q", got)
	}
}
