package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits of a file.
const (
	MaxBytes = 1 << 20
	MaxDepth = 64
	MaxKeys  = 10_000 // the parser's time grows with their square
)

// Document is one parsed file: it knows where every key stands.
type Document struct {
	File      string
	root      ast.Node // nil for an empty file
	anchors   map[string][]*ast.AnchorNode
	positions map[string]Pos // by path: "agent.monitor.close_ups", "skills[2].name"
}

// At is where the value at path stands ("" = the whole file); the nearest place above it when the path itself is not in
// the file.
func (d *Document) At(path string) Pos {
	for {
		if p, ok := d.positions[path]; ok {
			return p
		}
		i := strings.LastIndexAny(path, ".[")
		if i < 0 {
			break
		}
		path = path[:i]
	}
	if p, ok := d.positions[""]; ok {
		return p
	}
	return Pos{File: d.File}
}

// Errorf is an error at path, for checks that need more than the file.
func (d *Document) Errorf(path, hint, format string, args ...any) Error {
	return Error{Pos: d.At(path), Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// parse reads a file into nodes, or says why it is no YAML that this package takes.
func parse(file string, data []byte) (*Document, Errors) {
	d := &Document{File: file, anchors: map[string][]*ast.AnchorNode{}, positions: map[string]Pos{}}
	one := func(line, col int, hint, msg string) (*Document, Errors) {
		return d, Errors{{Pos: Pos{File: file, Line: line, Column: col}, Msg: msg, Hint: hint}}
	}
	if len(data) > MaxBytes {
		return one(0, 0, "a configuration file has at most 1 MB", tooLong(data))
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if i := invalidByte(data); i >= 0 {
		line, col := position(data, i)
		return one(line, col, "save the file as UTF-8 text", fmt.Sprintf("byte 0x%02x is not text", data[i]))
	}
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	tokens := lexer.Tokenize(string(data))
	if t := tooDeep(tokens); t != nil {
		return one(t.Position.Line, t.Position.Column, "", fmt.Sprintf("nested more than %d deep", MaxDepth))
	}
	if t := tooMany(tokens); t != nil {
		return one(t.Position.Line, t.Position.Column, "split the file", fmt.Sprintf("more than %d keys", MaxKeys))
	}
	docs, err := parseTokens(tokens)
	var syntax yaml.Error
	switch {
	case errors.As(err, &syntax) && syntax.GetToken() != nil:
		p := syntax.GetToken().Position
		return one(p.Line, max(p.Column, 1), syntaxHint(syntax.GetMessage()), syntax.GetMessage())
	case err != nil:
		return one(0, 0, "", "this is not YAML: "+firstLine(err.Error()))
	}
	return d, d.take(docs)
}

// take keeps the one document of the file.
func (d *Document) take(docs []*ast.DocumentNode) Errors {
	var es Errors
	for _, doc := range docs {
		if doc.Body == nil || doc.Body.Type() == ast.DirectiveType {
			continue
		}
		if d.root != nil {
			es = append(es, Error{
				Pos: d.pos(doc.Body), Msg: "a second document in one file",
				Hint: "remove the line with --- or ... above it, or move it to a file of its own",
			})
			break
		}
		d.root = doc.Body
	}
	if d.root != nil {
		ast.Walk(anchorVisitor{d}, d.root)
	}
	return es
}

// parseTokens is the library's parser; should it panic, that is an error of the file.
func parseTokens(tokens token.Tokens) (docs []*ast.DocumentNode, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("its nesting cannot be understood")
		}
	}()
	f, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, err
	}
	return f.Docs, nil
}

// anchorVisitor notes every anchor.
type anchorVisitor struct{ d *Document }

func (v anchorVisitor) Visit(n ast.Node) ast.Visitor {
	if a, ok := n.(*ast.AnchorNode); ok {
		name := a.Name.GetToken().Value
		v.d.anchors[name] = append(v.d.anchors[name], a)
	}
	return v
}

// tooDeep finds the token that is nested more than MaxDepth deep, in flow or block style.
func tooDeep(tokens token.Tokens) *token.Token {
	flow := 0
	var columns []int // of the block entries that are open
	for _, t := range tokens {
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			flow++
		case token.MappingEndType, token.SequenceEndType:
			flow = max(flow-1, 0)
		case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType:
			c := t.Position.Column
			if t.Type == token.MappingValueType && t.Prev != nil && t.Prev.Position.Line == t.Position.Line {
				c = t.Prev.Position.Column
			}
			for len(columns) > 0 && columns[len(columns)-1] >= c {
				columns = columns[:len(columns)-1]
			}
			if flow == 0 {
				columns = append(columns, c)
			}
		}
		if flow+len(columns) > MaxDepth {
			return t
		}
	}
	return nil
}

// tooMany finds the token of the key that is one too many.
func tooMany(tokens token.Tokens) *token.Token {
	keys := 0
	for _, t := range tokens {
		if t.Type == token.MappingKeyType || t.Type == token.MappingValueType {
			keys++
		}
		if keys > MaxKeys {
			return t
		}
	}
	return nil
}

// invalidByte is the index of the first byte that is no text, -1 when there is none.
func invalidByte(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n <= 1 || r == 0 || r == '\ufeff' {
			return i
		}
		i += n
	}
	return -1
}

func position(data []byte, i int) (line, col int) {
	before := data[:i]
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}

func syntaxHint(msg string) string {
	switch {
	case strings.Contains(msg, "tab character"):
		return "indent with spaces"
	case strings.Contains(msg, "end token"):
		return "a bracket or brace is not closed"
	}
	return ""
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
