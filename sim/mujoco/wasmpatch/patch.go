// Package wasmpatch rewrites a WebAssembly module so that its C functions can be called from outside: it exports functions by the names in the name
// section, replaces bodies that must not run, adds a stepping loop, wraps the imported functions of tables and drops what only debuggers read.
//
// Its one invariant: the same input and the same Plan give the same bytes. It is pure. Start with Patch.
package wasmpatch

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Plan says what to change. Names are those of the name section.
type Plan struct {
	Export []string          // functions to export under their own names
	Trap   func(string) bool // functions whose bodies become one `unreachable`
	Empty  []string          // functions without results whose bodies become empty
	Loop   Loop              // a function to add; the zero Loop adds none
}

// Loop is an added function (a, b, n) that calls Body(a, b) n times, n taken as unsigned.
type Loop struct {
	Name string // exported name of the new function
	Body string // a function of two integers without results
}

// Patch returns a new module; wasm is not changed. A name of the plan that the module lacks is an error, so that another build of the same
// program is noticed here and not later.
func Patch(wasm []byte, plan Plan) ([]byte, error) {
	secs, err := sections(wasm)
	if err != nil {
		return nil, fmt.Errorf("patching the module: %w", err)
	}
	p := patcher{plan: plan}
	if err := p.survey(secs); err != nil {
		return nil, fmt.Errorf("patching the module: %w", err)
	}
	out := append(make([]byte, 0, len(wasm)/2), wasm[:8]...)
	for _, s := range secs {
		body, err := p.rewrite(s)
		if err != nil {
			return nil, fmt.Errorf("patching section %d of the module: %w", s.id, err)
		}
		if body == nil {
			continue
		}
		out = append(out, s.id)
		out = binary.AppendUvarint(out, uint64(len(body)))
		out = append(out, body...)
	}
	return out, nil
}

// patcher is what one Patch knows of its module.
type patcher struct {
	plan    Plan
	names   map[uint32]string
	index   map[string]uint32
	imports []uint32   // type of every imported function
	types   []funcType // of the type section
	defined uint32     // number of functions the module itself has
	added   []addedFunc
	wrapped map[uint32]uint32 // imported function → added function that calls it
}

// addedFunc is a function appended to the module.
type addedFunc struct {
	typ  uint32
	body []byte
}

// add appends a function and returns its index.
func (p *patcher) add(typ uint32, body []byte) uint32 {
	p.added = append(p.added, addedFunc{typ, body})
	return uint32(len(p.imports)) + p.defined + uint32(len(p.added)) - 1
}

// survey reads what rewriting needs to know beforehand and decides which functions are added.
func (p *patcher) survey(secs []section) error {
	var elements []byte
	for _, s := range secs {
		var err error
		switch s.id {
		case secType:
			p.types, err = funcTypes(s.body)
		case secImport:
			p.imports, err = importedFuncs(s.body)
		case secFunction:
			r := reader{b: s.body}
			p.defined, err = r.u32(), r.err
		case secElement:
			elements = s.body
		case secCustom:
			var names map[uint32]string
			var ok bool
			if names, ok, err = funcNames(s.body); ok {
				p.names = names
			}
		}
		if err != nil {
			return err
		}
	}
	if p.names == nil {
		return errors.New("it has no name section")
	}
	if err := p.resolve(); err != nil {
		return err
	}
	return p.wrap(elements)
}

// resolve turns the names of the plan into indices.
func (p *patcher) resolve() error {
	p.index = make(map[string]uint32, len(p.names))
	for i, name := range p.names {
		if old, ok := p.index[name]; !ok || i < old {
			p.index[name] = i
		}
	}
	need := slices.Concat(p.plan.Export, p.plan.Empty)
	if p.plan.Loop.Name != "" {
		need = append(need, p.plan.Loop.Body)
	}
	var missing []error
	for _, name := range need {
		if _, ok := p.index[name]; !ok {
			missing = append(missing, fmt.Errorf("it has no function %s", name))
		}
	}
	if len(missing) > 0 || p.plan.Loop.Name == "" {
		return errors.Join(missing...)
	}
	typ := slices.IndexFunc(p.types, func(t funcType) bool {
		return string(t.params) == "\x7f\x7f\x7f" && len(t.results) == 0
	})
	if typ < 0 {
		return errors.New("it has no function type of three integers for the loop")
	}
	p.index[p.plan.Loop.Name] = p.add(uint32(typ), loop(p.index[p.plan.Loop.Body]))
	return nil
}

// wrap adds a function for every imported one in a table, because wazero cannot look an imported one up there.
func (p *patcher) wrap(elements []byte) error {
	p.wrapped = map[uint32]uint32{}
	if elements == nil {
		return nil
	}
	_, err := mapElements(elements, func(f uint32) uint32 {
		if f >= uint32(len(p.imports)) {
			return f
		}
		w, ok := p.wrapped[f]
		if !ok && p.imports[f] < uint32(len(p.types)) {
			w = p.add(p.imports[f], forward(f, len(p.types[p.imports[f]].params)))
			p.wrapped[f] = w
		}
		return w
	})
	return err
}

// rewrite returns the new content of a section, nil to drop it.
func (p *patcher) rewrite(s section) ([]byte, error) {
	switch s.id {
	case secCustom:
		return nil, nil
	case secFunction:
		return p.functions(s.body)
	case secExport:
		return p.exports(s.body)
	case secElement:
		return mapElements(s.body, func(f uint32) uint32 {
			if w, ok := p.wrapped[f]; ok {
				return w
			}
			return f
		})
	case secCode:
		return p.code(s.body)
	}
	return s.body, nil
}

// functions appends the types of the added functions to the function section.
func (p *patcher) functions(body []byte) ([]byte, error) {
	r := reader{b: body}
	n := r.u32()
	out := binary.AppendUvarint(nil, uint64(n)+uint64(len(p.added)))
	out = append(out, r.b...)
	for _, f := range p.added {
		out = binary.AppendUvarint(out, uint64(f.typ))
	}
	return out, r.err
}

// exports appends the wanted functions, sorted, to the export section.
func (p *patcher) exports(body []byte) ([]byte, error) {
	r := reader{b: body}
	n := r.u32()
	rest := r.b
	have := map[string]bool{}
	for range n {
		have[r.name()] = true
		r.byte()
		if r.u32(); r.err != nil {
			return nil, r.err
		}
	}
	type export struct {
		name  string
		index uint32
	}
	var add []export
	for _, name := range p.plan.Export {
		if !have[name] {
			have[name] = true
			add = append(add, export{name, p.index[name]})
		}
	}
	if name := p.plan.Loop.Name; name != "" {
		add = append(add, export{name, p.index[name]})
	}
	slices.SortFunc(add, func(a, b export) int { return cmp.Compare(a.name, b.name) })
	out := binary.AppendUvarint(nil, uint64(n)+uint64(len(add)))
	out = append(out, rest...)
	for _, e := range add {
		out = binary.AppendUvarint(out, uint64(len(e.name)))
		out = append(out, e.name...)
		out = append(out, 0)
		out = binary.AppendUvarint(out, uint64(e.index))
	}
	return out, nil
}

// code replaces bodies and appends those of the added functions.
func (p *patcher) code(body []byte) ([]byte, error) {
	r := reader{b: body}
	n := r.u32()
	out := binary.AppendUvarint(make([]byte, 0, len(body)), uint64(n)+uint64(len(p.added)))
	for i := range n {
		fn := r.bytes(r.u32())
		if r.err != nil {
			return nil, r.err
		}
		name := p.names[uint32(len(p.imports))+i]
		switch {
		case slices.Contains(p.plan.Empty, name):
			fn = []byte{0, opEnd}
		case p.plan.Trap != nil && p.plan.Trap(name):
			fn = []byte{0, opUnreachable, opEnd}
		}
		out = appendBytes(out, fn)
	}
	for _, f := range p.added {
		out = appendBytes(out, f.body)
	}
	return out, nil
}

func appendBytes(out, b []byte) []byte {
	return append(binary.AppendUvarint(out, uint64(len(b))), b...)
}
