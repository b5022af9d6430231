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

// Add is the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output, CachedRead: u.CachedRead + v.CachedRead,
		CachedWrite: u.CachedWrite + v.CachedWrite, Reasoning: u.Reasoning + v.Reasoning, CostUSD: u.CostUSD + v.CostUSD,
	}
}
