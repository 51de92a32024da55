package policy

import "math"

// Hyperband (Li, Jamieson, DeSalvo, Rostamizadeh, Talwalkar 2018, algorithm 1) is successive halving from several levels in turn, since
// nobody knows how early a bad point can be told. A bracket that begins s levels below the top has ⌈L/(s+1)·ηˢ⌉ points, with L the
// number of levels, and the best third of each level goes on to the next. The brackets begin at the lowest level and end
// with points that are evaluated at the top at once; then they begin again.
//
// The budget is money. A bracket that the money left does not pay for has fewer points, so that its best still reaches the top.

// bracket is a part of a round of successive halving: how many points it has on each level. It has none below its first.
type bracket []int

// newBracket returns the bracket that begins s levels below the top, with a part of its points.
func newBracket(levels, s int, part float64) bracket {
	b := make(bracket, levels)
	n := int(math.Ceil(float64(levels) / float64(s+1) * math.Pow(halving, float64(s))))
	n = max(int(part*float64(n)), 1)
	for k := levels - 1 - s; k < levels; k++ {
		b[k] = max(n, 1)
		n /= halving
	}
	return b
}

// price is what the bracket costs at prices of the levels.
func (b bracket) price(prices []float64) (sum float64) {
	for k, n := range b {
		sum += float64(n) * prices[k]
	}
	return sum
}

// hyperband walks through the brackets. The evaluations of a level, oldest first, are those of the brackets in turn, so the log says where
// it is. If a bracket waits for evaluations under way, the next one begins.
func hyperband(d *decision) ([]float64, float64) {
	levels := d.byLevel()
	left, prices := d.Initial, levelPrices(levels)
	for round := 0; ; round++ {
		s := len(levels) - 1 - round%len(levels)
		b := newBracket(len(levels), s, 1)
		if prices != nil {
			b = newBracket(len(levels), s, math.Min(left/b.price(prices), 1))
		}
		if x, level, ok := b.next(d, levels, len(levels)-1-s); ok {
			return x, level
		}
		for k, n := range b {
			n = min(n, len(levels[k]))
			for _, e := range levels[k][:n] {
				if !math.IsNaN(e.lnCost) {
					left -= math.Exp(e.lnCost)
				}
			}
			levels[k] = levels[k][n:]
		}
	}
}

// next returns what the bracket does next, if there is anything: from its first level up, what is missing on a level.
func (b bracket) next(d *decision, levels [][]evaluated, first int) (x []float64, level float64, ok bool) {
	for k := first; k < len(b); k++ {
		if len(levels[k]) >= b[k] {
			continue
		}
		if k == first {
			return nil, d.Levels[k], true
		}
		if list := best(levels[k-1][:b[k-1]], b[k], levels[k:]); len(list) > 0 {
			return list[0].x, d.Levels[k], true
		}
		return nil, 0, false
	}
	return nil, 0, false
}

// levelPrices returns the mean cost on each level. What is not known yet is a third of that of the next level, or three times that of the
// last one. It is nil if no cost is known.
func levelPrices(levels [][]evaluated) []float64 {
	prices, known := make([]float64, len(levels)), -1
	for k, list := range levels {
		n := 0.0
		for _, e := range list {
			if !math.IsNaN(e.lnCost) {
				prices[k], n = prices[k]+math.Exp(e.lnCost), n+1
			}
		}
		if n > 0 {
			prices[k] /= n
			known = k
		}
	}
	if known < 0 {
		return nil
	}
	for k := range prices {
		if k > 0 && prices[k] == 0 {
			prices[k] = halving * prices[k-1]
		}
	}
	for k := len(prices) - 2; k >= 0; k-- {
		if prices[k] == 0 {
			prices[k] = prices[k+1] / halving
		}
	}
	return prices
}
