package config

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Kind is what a value in a file is.
type Kind string

// The kinds of values. A number is one that looks like one and is not in quotes.
const (
	KindNone   Kind = "nothing"
	KindMap    Kind = "a map"
	KindList   Kind = "a list"
	KindText   Kind = "a text"
	KindNumber Kind = "a number"
	KindBool   Kind = "true or false"
)

// Raw is a part of a file that is decoded later, by whoever knows what it means: a field of this type takes any value.
// The zero Raw is a value that is not in the file.
type Raw struct {
	doc  *Document
	node ast.Node
	path string
}

// IsZero says that the file does not hold the value, or holds null.
func (r Raw) IsZero() bool { return r.Kind() == KindNone }

// Pos is where the value stands.
func (r Raw) Pos() Pos {
	if r.doc == nil {
		return Pos{}
	}
	return r.doc.At(r.path)
}

// Errorf is an error at the value.
func (r Raw) Errorf(hint, format string, args ...any) Error {
	if r.doc == nil {
		return (&Document{}).Errorf("", hint, format, args...)
	}
	return r.doc.Errorf(r.path, hint, format, args...)
}

// Kind is what the value is. A broken alias has none.
func (r Raw) Kind() Kind {
	if r.node == nil {
		return KindNone
	}
	d := decoder{doc: r.doc}
	return kindOf(d.resolve(r.node, r.path))
}

// Unmarshaler is a type that reads values of more than one kind. An error of type Error or Errors keeps its place.
type Unmarshaler interface {
	UnmarshalConfig(r Raw) error
}

// DecodeRaw decodes r strictly, as Decode does a file. A zero Raw decodes like an empty map.
func DecodeRaw[T any](r Raw) (T, error) {
	var v T
	doc := r.doc
	if doc == nil {
		doc = &Document{positions: map[string]Pos{}}
	}
	d := &decoder{doc: doc}
	d.top(&v, r.node, r.path)
	return v, d.errs.Err()
}

// JSON is the value as JSON, keys in the order of the file. A value that JSON cannot say is an error.
func (r Raw) JSON() (json.RawMessage, error) {
	if r.node == nil {
		return json.RawMessage("null"), nil
	}
	d := &decoder{doc: r.doc}
	var b bytes.Buffer
	d.json(&b, r.node, r.path)
	return b.Bytes(), d.errs.Err()
}

// json writes n as JSON.
func (d *decoder) json(b *bytes.Buffer, n ast.Node, path string) {
	if !d.enter(path) {
		b.WriteString("null")
		return
	}
	defer d.leave()
	n = d.resolve(n, path)
	switch kindOf(n) {
	case KindMap:
		b.WriteByte('{')
		for i, e := range d.entries(n, path) {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(quote(e.key))
			b.WriteByte(':')
			d.json(b, e.value, e.path)
		}
		b.WriteByte('}')
	case KindList:
		b.WriteByte('[')
		for i, v := range n.(*ast.SequenceNode).Values {
			if i > 0 {
				b.WriteByte(',')
			}
			d.json(b, v, item(path, i))
		}
		b.WriteByte(']')
	case KindNumber:
		if text, ok := d.number(n, path); ok {
			b.WriteString(jsonNumber(text))
			return
		}
		b.WriteByte('0')
	case KindText:
		b.Write(quote(textOf(n)))
	case KindBool:
		v, _ := d.bool(n, path)
		b.Write(quoteBool(v))
	default:
		b.WriteString("null")
	}
}

// jsonNumber is a number of this package as JSON writes it: without a plus.
func jsonNumber(text string) string {
	text = strings.TrimPrefix(text, "+")
	if _, ok := new(big.Float).SetString(text); !ok {
		return "0"
	}
	return text
}

func quote(s string) []byte {
	q, _ := json.Marshal(s) // a string always encodes
	return q
}

func quoteBool(v bool) []byte {
	if v {
		return []byte("true")
	}
	return []byte("false")
}
