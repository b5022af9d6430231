package config

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// What numbers look like. The library is more lenient: it reads 030 as 24 and 1_000 as 1000.
var (
	wholePattern  = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]*)$`)
	numberPattern = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	commaPattern  = regexp.MustCompile(`^[+-]?[0-9]+,[0-9]+$`)
	zeroPattern   = regexp.MustCompile(`^[+-]?0[0-9]+(\.[0-9]+)?$`)
	scorePattern  = regexp.MustCompile(`^[+-]?[0-9]+(_[0-9]+)+(\.[0-9]+)?$`)
	dotPattern    = regexp.MustCompile(`^[+-]?\.[0-9]+$`)
	bareDot       = regexp.MustCompile(`^[+-]?[0-9]+\.$`)
)

// kindOf is what a resolved node is.
func kindOf(n ast.Node) Kind {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return KindNone
	case *ast.MappingNode, *ast.MappingValueNode:
		return KindMap
	case *ast.SequenceNode:
		return KindList
	case *ast.BoolNode:
		return KindBool
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return KindNumber
	case *ast.StringNode:
		if !quoted(n) && numberPattern.MatchString(n.Value) {
			return KindNumber // 1e3, which the library takes for a text
		}
		return KindText
	case *ast.LiteralNode:
		return KindText
	}
	return KindNone
}

func quoted(n *ast.StringNode) bool {
	return n.Token != nil && (n.Token.Type == token.SingleQuoteType || n.Token.Type == token.DoubleQuoteType)
}

// textOf is a text's value.
func textOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	}
	return ""
}

// written is a scalar as it stands in the file.
func written(n ast.Node) string {
	if t := n.GetToken(); t != nil {
		return strings.TrimSpace(t.Value)
	}
	return ""
}

// number is the text of a plain decimal number; anything else is an error with a hint.
func (d *decoder) number(n ast.Node, path string) (string, bool) {
	text := written(n)
	if kindOf(n) == KindNumber && numberPattern.MatchString(text) {
		return text, true
	}
	switch {
	case kindOf(n) == KindNone:
		d.fail(path, "write a number", "the value is missing")
	case isQuoted(n) && numberPattern.MatchString(text):
		d.fail(path, "remove the quotes", "a number is wanted, not the text %q", text)
	case commaPattern.MatchString(text):
		d.fail(path, "write "+strings.Replace(text, ",", ".", 1), "%s has a decimal comma", text)
	case zeroPattern.MatchString(text):
		d.fail(path, "write "+withoutZeros(text), "%s has a leading zero", text)
	case scorePattern.MatchString(text):
		d.fail(path, "write "+strings.ReplaceAll(text, "_", ""), "%s has an underscore", text)
	case dotPattern.MatchString(text):
		d.fail(path, "write "+strings.Replace(text, ".", "0.", 1), "%s has no digit before the point", text)
	case isNode[*ast.NanNode](n) || isNode[*ast.InfinityNode](n):
		d.fail(path, "write a finite number", "%s is not a number that can be used", text)
	case bareDot.MatchString(text):
		d.fail(path, "write "+strings.TrimSuffix(text, "."), "%s has no digit behind the point", text)
	case kindOf(n) == KindNumber:
		d.fail(path, "write it in decimal", "%s is not a decimal number", text)
	default:
		d.wrongKind(n, path, "a number")
	}
	return "", false
}

// whole is the text of a whole number.
func (d *decoder) whole(n ast.Node, path string) (string, bool) {
	text, ok := d.number(n, path)
	if ok && !wholePattern.MatchString(text) {
		d.fail(path, "write a number without a fraction", "a whole number is wanted, not %s", text)
		return "", false
	}
	return text, ok
}

// bool is true or false, written so.
func (d *decoder) bool(n ast.Node, path string) (v, ok bool) {
	switch text := written(n); {
	case kindOf(n) == KindBool && (text == "true" || text == "false"):
		return text == "true", true
	case kindOf(n) == KindBool:
		d.fail(path, "write "+strings.ToLower(text), "%s is not written so here", text)
	case !isQuoted(n) && isYesNo(text):
		d.fail(path, "write true or false", "%s is a text, not true or false", text)
	default:
		d.wrongKind(n, path, "true or false")
	}
	return false, false
}

// text is a text; a plain word that YAML takes for something else is an error.
func (d *decoder) text(n ast.Node, path string) (string, bool) {
	switch kindOf(n) {
	case KindText:
		return textOf(n), true
	case KindNumber, KindBool:
		d.fail(path, "write "+strconv.Quote(written(n)), "a text is wanted, and %s without quotes is %s", written(n), kindOf(n))
	default:
		d.wrongKind(n, path, "a text")
	}
	return "", false
}

func isYesNo(s string) bool {
	switch strings.ToLower(s) {
	case "yes", "no", "on", "off", "y", "n":
		return true
	}
	return false
}

func isQuoted(n ast.Node) bool {
	s, ok := n.(*ast.StringNode)
	return ok && quoted(s)
}

func isNode[N ast.Node](n ast.Node) bool {
	_, ok := n.(N)
	return ok
}

func withoutZeros(text string) string {
	sign := ""
	if text[0] == '+' || text[0] == '-' {
		sign, text = text[:1], text[1:]
	}
	text = strings.TrimLeft(text, "0")
	if text == "" || text[0] == '.' {
		text = "0" + text
	}
	return sign + text
}
