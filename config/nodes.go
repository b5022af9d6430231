package config

import (
	"sort"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// entry is one key of a map and its value.
type entry struct {
	key   string
	path  string
	at    Pos // of the key
	value ast.Node
}

// entries are the keys of a map in the order of the file, those of merges after the map's own, which win.
func (d *decoder) entries(n ast.Node, path string) []entry {
	var out []entry
	var merges []ast.Node
	seen := map[string]Pos{}
	kvs := keyValues(n)
	d.nodes += len(kvs)
	for _, kv := range kvs {
		if kv.Key.IsMergeKey() {
			merges = append(merges, kv.Value)
			continue
		}
		key, ok := d.key(kv.Key)
		if !ok {
			continue
		}
		if first, twice := seen[key]; twice {
			d.errs = append(d.errs, Error{
				Pos: d.pos(kv.Key), Hint: "keep one of them",
				Msg: "the key \"" + key + "\" stands twice; the first is at line " + itoa(first.Line),
			})
			continue
		}
		seen[key] = d.pos(kv.Key)
		out = append(out, d.entry(path, key, kv))
	}
	for _, m := range merges {
		out = d.merge(out, seen, m, path)
	}
	return out
}

// entry notes where the key's value stands: a word itself, a map or a list at its key.
func (d *decoder) entry(path, key string, kv *ast.MappingValueNode) entry {
	e := entry{key: key, path: join(path, key), at: d.pos(kv.Key), value: kv.Value}
	d.doc.positions[e.path] = d.pos(kv.Key)
	switch kv.Value.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.AliasNode, *ast.InfinityNode, *ast.NanNode:
		d.doc.positions[e.path] = d.pos(kv.Value)
	}
	return e
}

// merge adds the keys of what << names and that are not there yet.
func (d *decoder) merge(out []entry, seen map[string]Pos, m ast.Node, path string) []entry {
	if !d.enter(path) {
		return out
	}
	defer d.leave()
	if seq, ok := m.(*ast.SequenceNode); ok {
		for _, one := range seq.Values {
			out = d.merge(out, seen, one, path)
		}
		return out
	}
	pos := d.pos(m)
	n := d.resolve(m, path)
	if n == nil {
		return out
	}
	if kindOf(n) != KindMap {
		d.errs = append(d.errs, Error{Pos: pos, Msg: "<< takes a map, not " + string(kindOf(n))})
		return out
	}
	for _, e := range d.entries(n, path) {
		if _, own := seen[e.key]; !own {
			seen[e.key] = d.doc.positions[e.path]
			out = append(out, e)
		}
	}
	return out
}

// key is the text of a key.
func (d *decoder) key(k ast.MapKeyNode) (string, bool) {
	switch n := k.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return written(n), true
	}
	d.errs = append(d.errs, Error{Pos: d.pos(k), Msg: "this cannot be a key", Hint: "a key is one word"})
	return "", false
}

// resolve follows anchors and aliases; nil means that there is nothing, which it has told.
func (d *decoder) resolve(n ast.Node, path string) ast.Node {
	for range MaxDepth {
		switch x := n.(type) {
		case *ast.AnchorNode:
			n = x.Value
		case *ast.AliasNode:
			if n = d.anchor(x); n == nil {
				d.errs = append(d.errs, Error{
					Pos: d.pos(x), Msg: "the alias *" + written(x.Value) + " stands for nothing", Hint: "an anchor &" + written(x.Value) + " must stand above it",
				})
				return nil
			}
		case *ast.TagNode:
			d.errs = append(d.errs, Error{Pos: d.pos(x), Msg: "the tag " + written(x) + " is not taken", Hint: "remove it"})
			return nil
		default:
			return n
		}
	}
	d.fail(path, "", "aliases stand for each other")
	return nil
}

// anchor is the value of the last anchor above the alias.
func (d *decoder) anchor(a *ast.AliasNode) ast.Node {
	all := d.doc.anchors[written(a.Value)]
	above := sort.Search(len(all), func(i int) bool {
		return all[i].GetToken().Position.Offset >= a.GetToken().Position.Offset
	})
	if above == 0 {
		return nil
	}
	return all[above-1].Value
}

func keyValues(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

func (d *decoder) pos(n ast.Node) Pos { return d.doc.pos(n) }

// pos is where a node begins; a map begins at its first key.
func (d *Document) pos(n ast.Node) Pos {
	var t *token.Token
	switch x := n.(type) {
	case *ast.MappingNode:
		t = x.GetToken()
		if t != nil && t.Type == token.MappingValueType && len(x.Values) > 0 {
			t = x.Values[0].Key.GetToken()
		}
	case *ast.MappingValueNode:
		t = x.Key.GetToken()
	default:
		t = n.GetToken()
	}
	if t == nil || t.Position == nil {
		return Pos{File: d.File}
	}
	return Pos{File: d.File, Line: t.Position.Line, Column: max(t.Position.Column, 1)}
}
