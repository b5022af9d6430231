package eval

import "math"

// Share is a part of a count, with how sure one can be of it.
type Share struct {
	Yes  float64 `json:"yes"`  // how many were so; a fraction when several answers stand for one tick
	N    int     `json:"n"`    // of how many
	Low  float64 `json:"low"`  // Wilson interval of 95 %, 0 to 1
	High float64 `json:"high"` // 1 when there is nothing to count
}

// z is the 97.5 % quantile of the normal distribution.
const z = 1.959963984540054

// ShareOf is the share of k in n with its Wilson interval of 95 %.
func ShareOf(k float64, n int) Share {
	if n <= 0 {
		return Share{High: 1}
	}
	p, m := k/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return Share{Yes: k, N: n, Low: max(0, mid-half), High: min(1, mid+half)}
}

// Rate is the share from 0 to 1; 0 of nothing.
func (s Share) Rate() float64 {
	if s.N == 0 {
		return 0
	}
	return s.Yes / float64(s.N)
}

// tally is a share that is counted tick by tick: the answers of one tick together weigh 1.
type tally struct{ yes, all map[Key]int }

func (t *tally) add(k Key, yes bool) {
	if t.all == nil {
		t.yes, t.all = map[Key]int{}, map[Key]int{}
	}
	t.all[k]++
	if yes {
		t.yes[k]++
	}
}

func (t *tally) share(order []Key) Share {
	sum := 0.0
	for _, k := range order { // in one order: floats add up to the same sum
		if n := t.all[k]; n > 0 {
			sum += float64(t.yes[k]) / float64(n)
		}
	}
	return ShareOf(sum, len(t.all))
}
