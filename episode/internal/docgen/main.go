// Command docgen writes docs/episode-format.md: a text, and a table of all events from the file that declares them.
//
// Its one invariant: the table has every kind and every field that can be in a log, and no other.
package main

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"unicode"
)

//go:embed page.md
var text string

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: docgen EVENTS.GO FILE")
		os.Exit(2)
	}
	page, err := Page(os.Args[1])
	if err == nil {
		err = os.WriteFile(os.Args[2], []byte(page), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Page is the whole page. events is the file that declares the events.
func Page(events string) (string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), events, nil, parser.ParseComments)
	if err != nil {
		return "", err
	}
	var kinds, parts strings.Builder
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range g.Specs {
			if ts, ok := s.(*ast.TypeSpec); ok {
				row(&kinds, &parts, ts, g.Doc.Text())
			}
		}
	}
	return text + "| kind | fields | |\n|---|---|---|\n" + kinds.String() +
		"\nParts of events:\n\n| | fields | |\n|---|---|---|\n" + parts.String(), nil
}

// row writes a struct into the table it belongs to.
func row(kinds, parts *strings.Builder, ts *ast.TypeSpec, doc string) {
	st, ok := ts.Type.(*ast.StructType)
	if !ok || ts.Name.Name == "Tag" || ts.Name.Name == "Unknown" {
		return
	}
	event := false
	var fields []string
	for _, f := range st.Fields.List {
		if len(f.Names) == 0 {
			event = true
			continue
		}
		tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json")
		name, opt, _ := strings.Cut(tag, ",")
		text := "`" + name + "`"
		if opt != "" {
			text = "`" + name + "`?"
		}
		if c := words(f.Comment.Text()); c != "" {
			text += " (" + strings.ReplaceAll(c, "|", "\\|") + ")"
		}
		fields = append(fields, text)
	}
	doc = words(strings.ReplaceAll(doc, "|", "\\|"))
	if event {
		fmt.Fprintf(kinds, "| `%s` | %s | %s |\n", snake(ts.Name.Name), strings.Join(fields, ", "), doc)
	} else {
		fmt.Fprintf(parts, "| %s | %s | %s |\n", ts.Name.Name, strings.Join(fields, ", "), doc)
	}
}

func words(s string) string { return strings.Join(strings.Fields(s), " ") }

func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
