package wire

import "github.com/rein-robotics/rein/model"

// Held gives calls on the moment that they are complete, save those that may be half: at the limit of tokens a wire can
// end a call as if it were complete. Such a call waits, and those behind it, until the reply says why it stopped.
type Held struct{ calls []model.Call }

// Add takes a call that the wire calls complete.
func (h *Held) Add(c model.Call) []model.Part {
	if len(h.calls) > 0 || !Object(string(c.Args)) {
		h.calls = append(h.calls, c)
		return nil
	}
	return []model.Part{c}
}

// Release gives what waited. If the reply was cut, a last call whose arguments are no object is half and is dropped.
func (h *Held) Release(why model.StopReason) []model.Part {
	var out []model.Part
	for i, c := range h.calls {
		cut := why == model.StopMaxTokens || why == model.StopContext
		if cut && i == len(h.calls)-1 && !Object(string(c.Args)) {
			continue
		}
		out = append(out, c)
	}
	h.calls = nil
	return out
}
