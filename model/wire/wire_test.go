package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rein-robotics/rein/model"
	"github.com/rein-robotics/rein/model/wire"
)

func names(parts []model.Part) (out []string) {
	for _, p := range parts {
		out = append(out, p.(model.Call).Name)
	}
	return out
}

func TestHeld(t *testing.T) {
	whole := func(n string) model.Call { return model.Call{Name: n, Args: json.RawMessage(`{}`)} }
	half := func(n string) model.Call { return model.Call{Name: n, Args: json.RawMessage(`{"a":`)} }
	tests := map[string]struct {
		calls []model.Call
		why   model.StopReason
		early []string
		late  []string
	}{
		"whole":             {[]model.Call{whole("a"), whole("b")}, model.StopMaxTokens, []string{"a", "b"}, nil},
		"half_at_the_limit": {[]model.Call{whole("a"), half("b")}, model.StopMaxTokens, []string{"a"}, nil},
		"half_in_a_window":  {[]model.Call{half("b")}, model.StopContext, nil, nil},
		"malformed":         {[]model.Call{whole("a"), half("b")}, model.StopToolUse, []string{"a"}, []string{"b"}},
		"malformed_first":   {[]model.Call{half("a"), whole("b")}, model.StopMaxTokens, nil, []string{"a", "b"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var h wire.Held
			var early []string
			for _, c := range tc.calls {
				early = append(early, names(h.Add(c))...)
			}
			late := names(h.Release(tc.why))
			if diff := cmp.Diff([][]string{early, late}, [][]string{tc.early, tc.late}); diff != "" {
				t.Error(diff)
			}
			if again := h.Release(tc.why); again != nil {
				t.Errorf("given twice: %v", again)
			}
		})
	}
}

// Whatever comes, calls keep their order, and at most the last is dropped.
func TestHeldKeepsTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOf(rapid.SampledFrom([]string{`{}`, `{"a":1}`, `{"a":`, ``, `[1]`, `null`})).Draw(t, "args")
		why := rapid.SampledFrom([]model.StopReason{model.StopToolUse, model.StopMaxTokens, model.StopContext, model.StopEndTurn}).Draw(t, "why")
		var h wire.Held
		var got []string
		for i, a := range args {
			got = append(got, names(h.Add(model.Call{Name: string(rune('a' + i)), Args: json.RawMessage(a)}))...)
		}
		got = append(got, names(h.Release(why))...)
		for i, n := range got {
			if n != string(rune('a'+i)) {
				t.Fatalf("got %v", got)
			}
		}
		if len(got) < len(args)-1 {
			t.Fatalf("of %d calls %d are left", len(args), len(got))
		}
	})
}

// An error in a stream is an error whatever it looks like.
func FuzzInStream(f *testing.F) {
	for _, s := range []string{``, `null`, `"oh"`, `{"error":{"type":"overloaded_error"}}`, `{"error":{"error":"x"}}`, `{"code":429}`, `{"detail":[1]}`, `{"error":null}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if e := wire.InStream(raw, model.Endpoint{}); e.Class == "" || e.Error() == "" {
			t.Errorf("%q: %+v", raw, e)
		}
	})
}
