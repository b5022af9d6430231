package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
)

// structDoc is a struct that is read from YAML.
type structDoc struct {
	name   string
	doc    string
	fields []fieldDoc
}

// fieldDoc is one key.
type fieldDoc struct {
	key, doc, check string
	field           string // the Go field
	typ             ast.Expr
	inline          bool
}

// structsOf reads the structs with yaml tags of one package.
func structsOf(dir string) (map[string]structDoc, error) {
	fset := token.NewFileSet()
	out := map[string]structDoc{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				addStructs(out, g)
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no struct in %s: %w", dir, fs.ErrNotExist)
	}
	return out, nil
}

func addStructs(out map[string]structDoc, g *ast.GenDecl) {
	for _, s := range g.Specs {
		ts, ok := s.(*ast.TypeSpec)
		if !ok {
			continue
		}
		st, ok := ts.Type.(*ast.StructType)
		if !ok {
			continue
		}
		doc := ts.Doc.Text()
		if doc == "" {
			doc = g.Doc.Text()
		}
		sd := structDoc{name: ts.Name.Name, doc: words(doc)}
		for _, f := range st.Fields.List {
			if fd, ok := fieldOf(f); ok {
				sd.fields = append(sd.fields, fd)
			}
		}
		if len(sd.fields) > 0 {
			out[sd.name] = sd
		}
	}
}

func fieldOf(f *ast.Field) (fieldDoc, bool) {
	if f.Tag == nil {
		return fieldDoc{}, false
	}
	tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
	name, opt, _ := strings.Cut(tag.Get("yaml"), ",")
	fd := fieldDoc{key: name, check: tag.Get("check"), typ: f.Type, inline: opt == "inline"}
	if len(f.Names) > 0 {
		fd.field = f.Names[0].Name
	}
	fd.doc = words(f.Doc.Text())
	if fd.doc == "" {
		fd.doc = words(f.Comment.Text())
	}
	return fd, fd.inline || name != "" && name != "-"
}

// words is text in one line.
func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// typeWords says a type in words, and names the struct to go on with.
func typeWords(e ast.Expr) (text, next string) {
	switch t := e.(type) {
	case *ast.StarExpr:
		return typeWords(t.X)
	case *ast.ArrayType:
		inner, next := typeWords(t.Elt)
		if n, ok := t.Len.(*ast.BasicLit); ok {
			return n.Value + " × " + inner, next
		}
		return "list of " + inner, next
	case *ast.MapType:
		inner, next := typeWords(t.Value)
		return "map of " + inner, next
	case *ast.SelectorExpr:
		if t.Sel.Name == "RawMessage" || t.Sel.Name == "Raw" {
			return "anything", ""
		}
		return "map", t.Sel.Name
	case *ast.Ident:
		return identWords(t.Name)
	}
	return "anything", ""
}

func identWords(name string) (text, next string) {
	switch name {
	case "string":
		return "text", ""
	case "float64":
		return "number", ""
	case "int", "int64":
		return "whole number", ""
	case "bool":
		return "true or false", ""
	case "any", "Raw":
		return "anything", ""
	case "Rules":
		return "map, or list of map", "Rule"
	}
	return "map", name
}

// checkWords says a check tag in words.
func checkWords(tag string) string {
	var out []string
	for c := range strings.SplitSeq(tag, ",") {
		word, arg, _ := strings.Cut(c, "=")
		switch word {
		case "required":
			out = append(out, "required")
		case "min":
			out = append(out, "at least "+arg)
		case "max":
			out = append(out, "at most "+arg)
		case "above":
			out = append(out, "more than "+arg)
		case "below":
			out = append(out, "less than "+arg)
		case "oneof":
			out = append(out, "`"+strings.ReplaceAll(strings.TrimPrefix(arg, "|"), "|", "`, `")+"`")
		case "name":
			out = append(out, "a name")
		case "size":
			out = append(out, "not empty")
		}
	}
	return strings.Join(out, "; ")
}
