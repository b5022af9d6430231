package wasmpatch_test

import (
	"bytes"
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/rein-robotics/rein/sim/mujoco/wasmpatch"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// vec encodes a list: its length, then its items.
func vec(items ...[]byte) []byte {
	return append([]byte{byte(len(items))}, bytes.Join(items, nil)...)
}

func str(s string) []byte { return append([]byte{byte(len(s))}, s...) }

func section(id byte, body []byte) []byte {
	return append([]byte{id, byte(len(body))}, body...)
}

// module is a small program: an imported function note(i32), which is in the table; count(a, b), which adds a*b to a global; get, which returns the
// global; danger and noise, which add 1000; apply(i), which calls the function of the table that is imported, with i.
func module(mutate map[byte][]byte) []byte {
	const i32 = 0x7f
	bump := []byte{0, 0x23, 0, 0x41, 0xe8, 0x07, 0x6a, 0x24, 0, 0x0b} // global += 1000
	code := func(b []byte) []byte { return append([]byte{byte(len(b))}, b...) }
	secs := map[byte][]byte{
		1: vec([]byte{0x60, 1, i32, 0}, []byte{0x60, 2, i32, i32, 0}, []byte{0x60, 0, 1, i32}, []byte{0x60, 0, 0}, []byte{0x60, 3, i32, i32, i32, 0}),
		2: vec(append(append(str("env"), str("note")...), 0, 0)),
		3: vec([]byte{1}, []byte{2}, []byte{3}, []byte{3}, []byte{0}),
		4: vec([]byte{0x70, 0, 2}),
		6: vec([]byte{i32, 1, 0x41, 0, 0x0b}),
		7: vec(append(str("get"), 0, 2), append(str("__indirect_function_table"), 1, 0)),
		9: vec([]byte{0, 0x41, 0, 0x0b, 2, 0, 2}),
		10: vec(
			code([]byte{0, 0x23, 0, 0x20, 0, 0x20, 1, 0x6c, 0x6a, 0x24, 0, 0x0b}),
			code([]byte{0, 0x23, 0, 0x0b}),
			code(bump), code(bump),
			code([]byte{0, 0x20, 0, 0x41, 0, 0x11, 0, 0, 0x0b})),
	}
	maps.Copy(secs, mutate)
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, id := range []byte{1, 2, 3, 4, 6, 7, 9, 10} {
		if secs[id] != nil {
			out = append(out, section(id, secs[id])...)
		}
	}
	names, ok := mutate[0]
	if !ok {
		list := vec(append([]byte{0}, str("note")...), append([]byte{1}, str("count")...), append([]byte{3}, str("glue::danger")...),
			append([]byte{4}, str("noise")...), append([]byte{5}, str("apply")...))
		names = append(str("name"), section(1, list)...)
	}
	if names != nil {
		out = append(out, section(0, names)...)
	}
	return append(out, section(0, append(str(".debug"), 1, 2, 3))...)
}

func plan() wasmpatch.Plan {
	return wasmpatch.Plan{
		Export: []string{"noise", "glue::danger", "apply", "count"},
		Trap:   func(name string) bool { return strings.HasPrefix(name, "glue::") },
		Empty:  []string{"noise"},
		Loop:   wasmpatch.Loop{Name: "counts", Body: "count"},
	}
}

func TestPatchedModuleRuns(t *testing.T) {
	patched, err := wasmpatch.Patch(module(nil), plan())
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(patched, []byte(".debug")) || bytes.Contains(patched, []byte("note\x01")) {
		t.Error("a custom section is still there")
	}
	ctx := t.Context()
	runtime := wazero.NewRuntime(ctx)
	defer runtime.Close(context.WithoutCancel(ctx))
	var noted []uint32
	_, err = runtime.NewHostModuleBuilder("env").NewFunctionBuilder().
		WithFunc(func(v uint32) { noted = append(noted, v) }).Export("note").Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := runtime.Instantiate(ctx, patched)
	if err != nil {
		t.Fatal(err)
	}
	get := func() uint64 {
		v, err := mod.ExportedFunction("get").Call(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return v[0]
	}
	call := func(name string, params ...uint64) error {
		_, err := mod.ExportedFunction(name).Call(ctx, params...)
		return err
	}
	for _, step := range []struct {
		name   string
		params []uint64
		want   uint64
		traps  bool
	}{
		{"count", []uint64{2, 3}, 6, false},
		{"counts", []uint64{2, 3, 0}, 6, false},
		{"counts", []uint64{2, 3, 1}, 12, false},
		{"counts", []uint64{1, 1, 100}, 112, false},
		{"noise", nil, 112, false},
		{"glue::danger", nil, 112, true},
		{"apply", []uint64{7}, 112, false},
	} {
		if err := call(step.name, step.params...); (err != nil) != step.traps {
			t.Errorf("%s%v: error %v, wanted one: %v", step.name, step.params, err, step.traps)
		}
		if got := get(); got != step.want {
			t.Errorf("after %s%v the count is %d, wanted %d", step.name, step.params, got, step.want)
		}
	}
	if len(noted) != 1 || noted[0] != 7 {
		t.Errorf("the imported function in the table got %v, wanted [7]", noted)
	}
	if got := mod.ExportedFunctionDefinitions()["count"]; got == nil || len(got.ParamTypes()) != 2 || got.ParamTypes()[0] != api.ValueTypeI32 {
		t.Errorf("count is exported as %v", got)
	}
}

func TestPatchIsDeterministic(t *testing.T) {
	first, err := wasmpatch.Patch(module(nil), plan())
	if err != nil {
		t.Fatal(err)
	}
	reversed := plan()
	reversed.Export = []string{"count", "apply", "glue::danger", "noise", "count"}
	second, err := wasmpatch.Patch(module(nil), reversed)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("the order of the plan changes the result")
	}
}

func TestModulesThatCannotBePatched(t *testing.T) {
	whole := module(nil)
	for _, tc := range []struct {
		name string
		wasm []byte
		plan wasmpatch.Plan
		word string
	}{
		{"empty", nil, plan(), "not a WebAssembly module"},
		{"text", []byte("(module)"), plan(), "not a WebAssembly module"},
		{"cut-off", whole[:len(whole)-1], plan(), "ends too early"},
		{"no-names", module(map[byte][]byte{0: nil}), plan(), "no name section"},
		{"other-names", whole, wasmpatch.Plan{Export: []string{"mj_step", "mj_forward"}}, "no function mj_forward"},
		{"no-loop-type", module(map[byte][]byte{1: vec([]byte{0x60, 1, 0x7f, 0})}), plan(), "no function type"},
		{"other-elements", module(map[byte][]byte{9: vec([]byte{1, 0, 1, 0})}), plan(), "not known here"},
		{"long-number", append([]byte("\x00asm\x01\x00\x00\x00\x01"), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), plan(), "too long"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := wasmpatch.Patch(tc.wasm, tc.plan)
			if err == nil || !strings.Contains(err.Error(), tc.word) {
				t.Errorf("error %v, wanted one that says %q", err, tc.word)
			}
		})
	}
}

// FuzzPatch looks for panics and for results that cannot be read again.
func FuzzPatch(f *testing.F) {
	f.Add(module(nil))
	f.Add([]byte("\x00asm\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, wasm []byte) {
		patched, err := wasmpatch.Patch(wasm, plan())
		if err != nil {
			return
		}
		if _, err := wasmpatch.Patch(patched, wasmpatch.Plan{}); err == nil || !strings.Contains(err.Error(), "no name section") {
			t.Errorf("patching the result again: %v, wanted only the missing names", err)
		}
	})
}
