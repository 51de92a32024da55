package sobol

import "testing"

func TestTableIsWhole(t *testing.T) {
	all := primitives()
	if len(all) != MaxDim {
		t.Fatalf("%d dimensions, want %d", len(all), MaxDim)
	}
	seen := make(map[uint64]int)
	for d, p := range all[1:] {
		s := p.degree()
		if s < all[d].degree() {
			t.Errorf("dimension %d: degree %d after %d", d+2, s, all[d].degree())
		}
		for i, m := range p.initial {
			if m%2 == 0 || m >= 1<<(i+1) {
				t.Errorf("dimension %d: m%d = %d is not odd and below 2^%d", d+2, i+1, m, i+1)
			}
		}
		polynomial := uint64(1)<<s | p.inner<<1 | 1
		if first, again := seen[polynomial]; again {
			t.Errorf("dimensions %d and %d share a polynomial", first, d+2)
		}
		seen[polynomial] = d + 2
		if !isPrimitive(polynomial, s) {
			t.Errorf("dimension %d: polynomial %b is not primitive", d+2, polynomial)
		}
	}
}

// isPrimitive reports whether x has order 2ˢ−1 modulo the polynomial of degree s.
func isPrimitive(polynomial uint64, s int) bool {
	order, power := 0, uint64(1)
	for {
		power <<= 1
		if power>>s == 1 {
			power ^= polynomial
		}
		order++
		if power == 1 {
			return order == 1<<s-1
		}
		if order > 1<<s {
			return false
		}
	}
}
