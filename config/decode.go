package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"github.com/goccy/go-yaml/ast"
)

// Decode reads one YAML file strictly into a T, and fails with Errors that hold everything that is wrong. file is only
// a name for messages.
//
// Keys are the yaml tags of T's fields (`yaml:",inline"` takes the keys of a struct into the outer one); a field's check tag
// narrows its values (see checks). A *T with a SetDefaults method is given its defaults first; one with a Validate method
// is asked once its own keys are well, one with a ValidateGiven method always. A pointer takes null. A field of type Raw or json.RawMessage takes anything.
func Decode[T any](file string, data []byte) (T, error) {
	v, _, err := DecodeDocument[T](file, data)
	return v, err
}

// DecodeDocument is Decode for those who check more later: the document knows where every key stands. It is never nil.
// Neither it nor a Raw of it may be used by two goroutines at once.
func DecodeDocument[T any](file string, data []byte) (T, *Document, error) {
	var v T
	doc, errs := parse(file, data)
	d := &decoder{doc: doc, errs: errs}
	if doc.root != nil || len(errs) == 0 {
		d.top(&v, doc.root, "")
	}
	if err := d.errs.Err(); err != nil {
		var zero T
		return zero, doc, err
	}
	return v, doc, nil
}

// maxNodes bounds what aliases can blow a small file up to.
const maxNodes = 200_000

// defaulter is a struct with values for the keys that a file leaves out.
type defaulter interface{ SetDefaults() }

// validator is a struct with rules between its keys.
type validator interface{ Validate(c *Check) }

// halfValidator is a struct that can judge what is given also when other keys of it are wrong: those are zero, or as their
// defaults. What is left out is not its to miss.
type halfValidator interface{ ValidateGiven(c *Check) }

// Check collects what Validate finds.
type Check struct {
	d    *decoder
	path string
}

// Errorf notes an error at a key of the struct ("poses.home"; "" = the struct itself).
func (c *Check) Errorf(field, hint, format string, args ...any) {
	c.d.fail(join(c.path, field), hint, format, args...)
}

// decoder fills values and collects errors.
type decoder struct {
	doc   *Document
	errs  Errors
	depth int
	nodes int
	// flooded: there were more nodes than maxNodes, and it was told.
	flooded bool
}

func (d *decoder) fail(path, hint, format string, args ...any) {
	d.errs = append(d.errs, d.doc.Errorf(path, hint, format, args...))
}

func (d *decoder) wrongKind(n ast.Node, path, want string) {
	if kindOf(n) == KindNone {
		d.fail(path, "write "+want, "the value is missing")
		return
	}
	d.fail(path, "", "%s is wanted, not %s", want, kindOf(n))
}

// enter counts depth and nodes; false means that it is too much, which it has told.
func (d *decoder) enter(path string) bool {
	d.nodes++
	switch {
	case d.nodes > maxNodes && !d.flooded:
		d.flooded = true
		d.fail(path, "use fewer aliases", "more than %d values", maxNodes)
		return false
	case d.nodes > maxNodes:
		return false
	case d.depth >= MaxDepth:
		d.fail(path, "an alias may stand for the value that holds it", "nested more than %d deep", MaxDepth)
		return false
	}
	d.depth++
	return true
}

func (d *decoder) leave() { d.depth-- }

// top decodes a whole document or a Raw; an empty one is an empty map.
func (d *decoder) top(ptr any, n ast.Node, path string) {
	v := reflect.ValueOf(ptr).Elem()
	if empty := n == nil || isNode[*ast.NullNode](n); empty && (v.Kind() == reflect.Struct || v.Kind() == reflect.Map) {
		n = ast.Mapping(nil, false)
	} else if empty {
		n = ast.Null(nil)
	} else if _, ok := d.doc.positions[path]; !ok {
		d.doc.positions[path] = d.pos(n)
	}
	d.value(v, n, path)
}

// value decodes n into v.
func (d *decoder) value(v reflect.Value, n ast.Node, path string) {
	if !d.enter(path) {
		return
	}
	defer d.leave()
	if done := d.special(v, n, path); done {
		return
	}
	n = d.resolve(n, path)
	if n == nil {
		return // told by resolve
	}
	if v.Kind() == reflect.Pointer {
		if kindOf(n) == KindNone {
			v.SetZero()
			return
		}
		p := reflect.New(v.Type().Elem())
		d.value(p.Elem(), n, path)
		v.Set(p)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.structure(v, n, path)
	case reflect.Map:
		d.mapping(v, n, path)
	case reflect.Slice, reflect.Array:
		d.list(v, n, path)
	case reflect.Interface:
		if x := d.any(n, path); x != nil {
			v.Set(reflect.ValueOf(x))
		}
	default:
		d.scalar(v, n, path)
	}
}

// special decodes the types that take more than one kind of value.
func (d *decoder) special(v reflect.Value, n ast.Node, path string) bool {
	raw := Raw{doc: d.doc, node: n, path: path}
	switch p := v.Addr().Interface().(type) {
	case *Raw:
		if d.resolve(n, path) != nil {
			*p = raw
		}
	case *json.RawMessage:
		data, err := raw.JSON()
		d.errs = d.errs.Join(d.doc.At(path), err)
		*p = data
	case Unmarshaler:
		if d.resolve(n, path) != nil {
			d.errs = d.errs.Join(d.doc.At(path), p.UnmarshalConfig(raw))
		}
	default:
		return false
	}
	return true
}

// structure decodes a map into a struct.
func (d *decoder) structure(v reflect.Value, n ast.Node, path string) {
	if kindOf(n) != KindMap {
		d.wrongKind(n, path, "a map")
		return
	}
	before := len(d.errs)
	setDefaults(v)
	fields := fieldsOf(v.Type())
	seen := map[string]bool{}
	for _, e := range d.entries(n, path) {
		f, ok := fields[e.key]
		if !ok {
			d.unknownKey(e, fields)
			continue
		}
		seen[e.key] = true
		fv := v.FieldByIndex(f.index)
		errs := len(d.errs)
		d.value(fv, e.value, e.path)
		if len(d.errs) == errs {
			d.check(fv, f.checks, e.path)
		}
	}
	for _, name := range sortedKeys(fields) {
		if fields[name].required && !seen[name] {
			d.fail(path, "add "+name+":", "the key %q is missing", name)
		}
	}
	sound := len(d.errs) == before
	if val, ok := v.Addr().Interface().(halfValidator); ok {
		val.ValidateGiven(&Check{d: d, path: path})
	}
	if val, ok := v.Addr().Interface().(validator); ok && sound {
		val.Validate(&Check{d: d, path: path})
	}
}

// mapping decodes into a map with text keys.
func (d *decoder) mapping(v reflect.Value, n ast.Node, path string) {
	if kindOf(n) == KindNone {
		return
	}
	if kindOf(n) != KindMap {
		d.wrongKind(n, path, "a map")
		return
	}
	m := reflect.MakeMap(v.Type())
	for _, e := range d.entries(n, path) {
		ev := reflect.New(v.Type().Elem()).Elem()
		d.value(ev, e.value, e.path)
		m.SetMapIndex(reflect.ValueOf(e.key).Convert(v.Type().Key()), ev)
	}
	v.Set(m)
}

// list decodes into a slice, or into an array that wants just so many.
func (d *decoder) list(v reflect.Value, n ast.Node, path string) {
	seq, ok := n.(*ast.SequenceNode)
	switch {
	case kindOf(n) == KindNone && v.Kind() == reflect.Slice:
		return
	case !ok:
		d.wrongKind(n, path, "a list")
		return
	case v.Kind() == reflect.Array && len(seq.Values) != v.Len():
		d.fail(path, "decimals are written with a point, and a comma separates", "%d values are wanted, not %d", v.Len(), len(seq.Values))
		return
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values)))
	}
	for i, en := range seq.Values {
		p := item(path, i)
		d.doc.positions[p] = d.pos(en)
		d.value(v.Index(i), en, p)
	}
}

// any decodes what the file holds: a map[string]any, a []any, a string, a float64, a bool or nil.
func (d *decoder) any(n ast.Node, path string) any {
	var err bool
	into := func(ptr any) any {
		v, before := reflect.ValueOf(ptr).Elem(), len(d.errs)
		d.value(v, n, path)
		err = len(d.errs) > before
		return v.Interface()
	}
	var x any
	switch kindOf(n) {
	case KindMap:
		x = into(new(map[string]any))
	case KindList:
		x = into(new([]any))
	case KindNumber:
		x = into(new(float64))
	case KindBool:
		x = into(new(bool))
	case KindText:
		x = into(new(string))
	}
	if err {
		return nil
	}
	return x
}

// scalar decodes one word.
func (d *decoder) scalar(v reflect.Value, n ast.Node, path string) {
	switch v.Kind() {
	case reflect.String:
		if s, ok := d.text(n, path); ok {
			v.SetString(s)
		}
	case reflect.Bool:
		if b, ok := d.bool(n, path); ok {
			v.SetBool(b)
		}
	case reflect.Float64:
		if s, ok := d.number(n, path); ok {
			f, err := strconv.ParseFloat(s, 64)
			if err != nil {
				d.fail(path, "", "%s is too large a number", s)
			}
			v.SetFloat(f)
		}
	case reflect.Int, reflect.Int64:
		if s, ok := d.whole(n, path); ok {
			i, err := strconv.ParseInt(s, 10, 64)
			if err != nil {
				d.fail(path, "", "%s is too large a number", s)
			}
			v.SetInt(i)
		}
	default:
		panic(fmt.Sprintf("config: a field of type %s cannot be decoded", v.Type()))
	}
}

func setDefaults(v reflect.Value) {
	if def, ok := v.Addr().Interface().(defaulter); ok {
		def.SetDefaults()
	}
}

func join(path, key string) string {
	switch {
	case key == "":
		return path
	case path == "":
		return key
	}
	return path + "." + key
}

func item(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
