package config_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/rein-robotics/rein/config"
)

const goodGuide = "---\nname: boxes\ndescription: How to fill boxes.\n---\n# Boxes\n\nLargest first.\n---\nNot a second front.\n"

// withGuide is a configuration with one more file.
func withGuide(t *testing.T, file, text string) fstest.MapFS {
	fsys := folder(t)
	fsys[file] = &fstest.MapFile{Data: []byte(text)}
	return fsys
}

func TestGuidesAreRead(t *testing.T) {
	want := config.Guide{Name: "boxes", Description: "How to fill boxes.", Body: "# Boxes\n\nLargest first.\n---\nNot a second front."}
	tests := map[string]string{
		"plain":      goodGuide,
		"crlf":       strings.ReplaceAll(goodGuide, "\n", "\r\n"),
		"byte_order": "\ufeff" + goodGuide,
		"folded":     strings.Replace(goodGuide, "How to fill boxes.", ">-\n  How to\n  fill boxes.", 1),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			f, err := config.Load(withGuide(t, "guides/boxes/SKILL.md", text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]config.Guide{want}, f.Guides); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestGuidesThatCannotBe(t *testing.T) {
	const file = "guides/boxes/SKILL.md"
	change := func(from, to string) string { return strings.Replace(goodGuide, from, to, 1) }
	tests := map[string]struct{ file, text, want string }{
		"no_front":         {file, "# Boxes\n", file + ":1:1: there is no front matter"},
		"open_front":       {file, "---\nname: boxes\n", file + ":1:1: there is no front matter"},
		"empty":            {file, "", file + ":1:1: there is no front matter"},
		"unknown_key":      {file, change("description:", "globs: []\ndescription:"), file + ":3:1: "},
		"no_name":          {file, change("name: boxes\n", ""), "name"},
		"bad_name":         {file, change("name: boxes", "name: Boxes!"), file + ":2:7: "},
		"name_of_another":  {file, change("name: boxes", "name: bags"), `the guide is called "bags" and its folder "boxes"`},
		"no_description":   {file, change("description: How to fill boxes.\n", ""), "description"},
		"empty_text":       {file, change("description: How to fill boxes.", `description: ""`), file + ":3:14: "},
		"no_body":          {file, "---\nname: boxes\ndescription: x\n---\n\n", "nothing after the front matter"},
		"no_text":          {file, change("Largest", "\xff"), file + ":7:1: byte 0xff is not text"},
		"too_long":         {file, goodGuide + strings.Repeat("x", config.MaxBytes), "at most 1 MB"},
		"folder_without":   {"guides/boxes/skill.md", goodGuide, file + ": the file cannot be read"},
		"file_in_no_place": {"guides/boxes.md", goodGuide, "guides/boxes.md: a guide is a folder with a SKILL.md (move it to " + file + ")"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := config.Load(withGuide(t, tc.file, tc.text))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q in it", err, tc.want)
			}
		})
	}
}

func TestSubAgentsAreOffUnlessTheyAreWrittenDown(t *testing.T) {
	const c, at = "controller.yaml", "planner: {provider: rules}"
	load := func(text string) *config.SubAgents {
		f, err := config.Load(folder(t, [3]string{c, at, at + "\n  " + text}))
		if err != nil {
			t.Fatal(err)
		}
		return f.Controller.Agent.SubAgents
	}
	if s := load(""); s != nil {
		t.Errorf("got %+v", s)
	}
	if s := load("sub_agents: {}"); s == nil || s.MaxTurns != config.DefaultSubTurns || s.Background || s.MaxTokens != nil {
		t.Errorf("got %+v", s)
	}
	if s := load("sub_agents: {max_turns: 3, max_tokens: 1000, background: true}"); s == nil || s.MaxTurns != 3 || !s.Background || *s.MaxTokens != 1000 {
		t.Errorf("got %+v", s)
	}
	for _, bad := range []string{"sub_agents: {max_turns: 0}", "sub_agents: {motion: true}", "sub_agents: 3"} {
		if _, err := config.Load(folder(t, [3]string{c, at, at + "\n  " + bad})); err == nil || !strings.Contains(err.Error(), "controller.yaml:") {
			t.Errorf("%s: got %v", bad, err)
		}
	}
}

func FuzzGuide(f *testing.F) {
	f.Add(goodGuide)
	f.Add("---\n---\n")
	f.Add("---\nname: x\n--- \n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := config.Load(withGuide(t, "guides/boxes/SKILL.md", text))
		if err == nil && (len(got.Guides) != 1 || got.Guides[0].Name != "boxes" || got.Guides[0].Description == "" || got.Guides[0].Body == "") {
			t.Errorf("got %+v", got.Guides)
		}
	})
}
