package measure

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

// ShareOf is the share of k in n things that are independent of each other, with its Wilson interval of 95 %.
func ShareOf(k float64, n int) Share { return shareOf(k, n, 1) }

// shareOf is the share of k in n of which only one in alike says something of its own; alike is at least 1.
func shareOf(k float64, n int, alike float64) Share {
	if n <= 0 {
		return Share{High: 1}
	}
	p, m := k/float64(n), float64(n)/alike
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

// share is that of the counted ticks of order. The ticks of one action are alike: its interval is that of fewer.
func (t *tally) share(order []Key) Share {
	var list []group
	at := map[Key]int{}
	sum := 0.0
	for _, k := range order { // in one order: floats add up to the same sum
		n := t.all[k]
		if n == 0 {
			continue
		}
		part := float64(t.yes[k]) / float64(n)
		sum += part
		action := k.ofAction()
		i, known := at[action]
		if !known {
			i, at[action] = len(list), len(list)
			list = append(list, group{})
		}
		list[i].n++
		list[i].yes += part
	}
	return shareOf(sum, len(t.all), alike(list))
}

// group is the counted ticks of one action, and how many of them were so.
type group struct{ yes, n float64 }

// alike is the design effect of ticks that come in groups, at least 1: the variance of their share by groups over that of
// as many independent ticks. Two groups of the mean size are counted besides, one in which all is so and one in which
// nothing is: else few groups that happen to agree would seem to say that all others do, too.
func alike(list []group) float64 {
	yes, n := 0.0, 0.0
	for _, g := range list {
		yes += g.yes
		n += g.n
	}
	if int(n) <= len(list) { // one of each
		return 1
	}
	mean := n / float64(len(list))
	p := (yes + mean) / (n + 2*mean)
	square := func(g group) float64 { return (g.yes - p*g.n) * (g.yes - p*g.n) }
	sum := square(group{mean, mean}) + square(group{0, mean})
	for _, g := range list {
		sum += square(g)
	}
	return max(1, sum/((n+2*mean)*p*(1-p)))
}
