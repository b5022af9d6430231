package model

// Price is what a model costs, US dollars for a million tokens.
type Price struct {
	Input       float64 // not cached
	Output      float64
	CachedInput float64 // read from the cache; 0 = as Input
	CacheWrite  float64 // written to the cache; 0 = as Input
}

// Cost is what u costs, US dollars.
func (p Price) Cost(u Usage) float64 {
	read, write := p.CachedInput, p.CacheWrite
	if read == 0 {
		read = p.Input
	}
	if write == 0 {
		write = p.Input
	}
	plain := max(0, u.Input-u.CachedRead-u.CachedWrite)
	return (float64(plain)*p.Input + float64(u.CachedRead)*read + float64(u.CachedWrite)*write + float64(u.Output)*p.Output) / 1e6
}

// mostTold is the most tokens of one kind that a server is believed about one request.
const mostTold = 5e8

// Bounded is u as it may be counted. It is what a server says: less than nothing is nothing, and more than any request can
// have is a bound that every budget still notices.
func (u Usage) Bounded() Usage {
	for _, n := range []*int{&u.Input, &u.Output, &u.CachedRead, &u.CachedWrite, &u.Reasoning} {
		*n = min(max(*n, 0), mostTold)
	}
	return u
}

// Add is the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output, CachedRead: u.CachedRead + v.CachedRead,
		CachedWrite: u.CachedWrite + v.CachedWrite, Reasoning: u.Reasoning + v.Reasoning, CostUSD: u.CostUSD + v.CostUSD,
	}
}
