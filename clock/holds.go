package clock

import (
	"slices"
	"sync"
)

// Holds counts who is thinking. The zero value is ready for use; it may be shared by several goroutines.
type Holds struct {
	mu     sync.Mutex
	out    []*hold
	change func(held bool) // called under mu when the first hold is taken and when the last one is given back
}

type hold struct{ what string }

// Take notes one more holder; the returned function gives the hold back, once.
func (h *Holds) Take(what string) (release func()) {
	one := &hold{what: what}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.out = append(h.out, one)
	if len(h.out) == 1 && h.change != nil {
		h.change(true)
	}
	return func() { h.giveBack(one) }
}

func (h *Holds) giveBack(one *hold) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.Index(h.out, one)
	if i < 0 {
		return
	}
	h.out = slices.Delete(h.out, i, i+1)
	if len(h.out) == 0 && h.change != nil {
		h.change(false)
	}
}

// Who names the holders, in the order in which they took their holds.
func (h *Holds) Who() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	names := make([]string, len(h.out))
	for i, one := range h.out {
		names[i] = one.what
	}
	return names
}
