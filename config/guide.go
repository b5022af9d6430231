package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Guide is one file guides/NAME/SKILL.md: written experience for the planner.
type Guide struct {
	Name        string // of the folder
	Description string // when to read it
	Body        string // Markdown, as it is written
}

// GuideFile is the name of a guide's file in its folder.
const GuideFile = "SKILL.md"

// guideHead is the front matter of a guide.
type guideHead struct {
	// The name of its folder.
	Name string `yaml:"name" check:"required,name"`
	// What it is about, and when to read it. The first line stands in the planner's index.
	Description string `yaml:"description" check:"required,size=1"`
}

// readGuides reads guides/*/SKILL.md.
func (f *Folder) readGuides(errs Errors) Errors {
	entries, err := fs.ReadDir(f.FS, GuidesDir)
	if errors.Is(err, fs.ErrNotExist) {
		return errs
	}
	if err != nil {
		return append(errs, Error{Pos: Pos{File: GuidesDir}, Msg: "the folder cannot be read: " + reason(err)})
	}
	for _, e := range entries {
		name := path.Join(GuidesDir, e.Name())
		switch {
		case e.IsDir():
			errs = f.readGuide(path.Join(name, GuideFile), e.Name(), errs)
		case strings.HasSuffix(e.Name(), ".md"):
			errs = append(errs, Error{Pos: Pos{File: name}, Msg: "a guide is a folder with a " + GuideFile,
				Hint: "move it to " + path.Join(GuidesDir, strings.TrimSuffix(e.Name(), ".md"), GuideFile)})
		}
	}
	return errs
}

func (f *Folder) readGuide(file, folder string, errs Errors) Errors {
	data, err := Read(f.FS, file)
	if err != nil {
		return append(errs, Error{Pos: Pos{File: file}, Msg: "the file cannot be read: " + reason(err), Hint: "a guide is a folder with a " + GuideFile})
	}
	if len(data) > MaxBytes {
		return append(errs, Error{Pos: Pos{File: file}, Msg: tooLong(data), Hint: "a guide has at most 1 MB"})
	}
	data = bytes.ReplaceAll(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	if i := invalidByte(data); i >= 0 {
		line, col := position(data, i)
		return append(errs, Error{Pos: Pos{File: file, Line: line, Column: col}, Msg: fmt.Sprintf("byte 0x%02x is not text", data[i]), Hint: "save the file as UTF-8 text"})
	}
	front, body, ok := cutFront(string(data))
	if !ok {
		return append(errs, Error{Pos: Pos{File: file, Line: 1, Column: 1}, Msg: "there is no front matter",
			Hint: "begin with a line ---, then name: and description:, then a line ---"})
	}
	head, doc, err := DecodeDocument[guideHead](file, []byte(front))
	if err != nil {
		return errs.Join(Pos{File: file}, err)
	}
	if head.Name != folder {
		errs = append(errs, doc.Errorf("name", "", "the guide is called %q and its folder %q", head.Name, folder))
	}
	if body = strings.TrimSpace(body); body == "" {
		errs = append(errs, Error{Pos: Pos{File: file}, Msg: "there is nothing after the front matter"})
	}
	if slices.ContainsFunc(f.Guides, func(g Guide) bool { return g.Name == head.Name }) {
		return append(errs, doc.Errorf("name", "", "there is another guide called %q", head.Name))
	}
	f.Guides = append(f.Guides, Guide{Name: head.Name, Description: strings.TrimSpace(head.Description), Body: body})
	return errs
}

// cutFront splits a guide. The front matter keeps its place in the file: a line with a comment stands for the first ---.
func cutFront(text string) (front, body string, ok bool) {
	lines := strings.SplitAfter(text, "\n")
	if strings.TrimRight(lines[0], " \t\n") != "---" {
		return "", "", false
	}
	for i, l := range lines[1:] {
		if strings.TrimRight(l, " \t\n") == "---" {
			return "#\n" + strings.Join(lines[1:i+1], ""), strings.Join(lines[i+2:], ""), true
		}
	}
	return "", "", false
}
