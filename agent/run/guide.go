package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/skill"
)

// Guide is written experience with a kind of task, for the planner.
type Guide struct {
	Name        string
	Description string // when to read it; its first line stands in the index
	Body        string // Markdown
}

// guideView is a guide as the planner is given it.
type guideView struct {
	Name        string `json:"name"`
	Kind        string `json:"kind"` // guide
	Description string `json:"description"`
	Text        string `json:"text"`
}

// compileGuides checks the guides and puts their index into the system prompt.
func (s *Settings) compileGuides() error {
	for i, g := range s.Guides {
		if g.Name == "" || g.Description == "" {
			return fmt.Errorf("guide %q: a guide needs a name and a description", g.Name)
		}
		if slices.ContainsFunc(s.Guides[:i], func(o Guide) bool { return o.Name == g.Name }) {
			return fmt.Errorf("guide %s: there is another guide of this name", g.Name)
		}
	}
	s.SystemPrompt = s.withGuides(s.SystemPrompt)
	return nil
}

// withGuides is a system prompt with the index of the guides.
func (s *Settings) withGuides(prompt string) string {
	index := guideIndex(s.Guides)
	if index == "" {
		return prompt
	}
	return strings.TrimSpace(prompt+"\n\n"+index) + "\n"
}

// indexSize is how long the index of the guides may be, bytes.
const indexSize = 4096

// guideIndex names the guides with the first lines of their descriptions, in the order of their names, as far as the
// budget goes: at least one, and how many are left out.
func guideIndex(all []Guide) string {
	if len(all) == 0 {
		return ""
	}
	sorted := slices.SortedFunc(slices.Values(all), func(a, b Guide) int { return strings.Compare(a.Name, b.Name) })
	var b strings.Builder
	b.WriteString("## Guides\n\nWritten experience with this robot. Read the one that fits with the tool skill before you plan.\n\n")
	for i, g := range sorted {
		first, _, _ := strings.Cut(strings.TrimSpace(g.Description), "\n")
		line := "- " + g.Name + ": " + strings.TrimSpace(first) + "\n"
		if i > 0 && b.Len()+len(line) > indexSize {
			fmt.Fprintf(&b, "- and %d more\n", len(sorted)-i)
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// guide is the guide of a name, or a refusal.
func (s *Settings) guide(name string) (any, error) {
	i := slices.IndexFunc(s.Guides, func(g Guide) bool { return g.Name == name })
	if i < 0 {
		return nil, &skill.Refusal{Code: "bad_arguments", Message: fmt.Sprintf("name: there is no guide %q", name), Hint: "there are " + strings.Join(s.guideNames(), ", ")}
	}
	g := s.Guides[i]
	return guideView{Name: g.Name, Kind: "guide", Description: g.Description, Text: g.Body}, nil
}

func (s *Settings) guideNames() []string {
	names := make([]string, len(s.Guides))
	for i, g := range s.Guides {
		names[i] = g.Name
	}
	slices.Sort(names)
	return names
}
