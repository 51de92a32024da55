package problem

import (
	"bytes"
	"slices"
)

const (
	cnnBest       = 0
	cnnBestSource = ""
)

var cnnBestAt = []float64{}

// searchCNN looks for the largest value of the problem cnn. A forest is constant between its thresholds, so that one coordinate has only
// so many places to be in, and all can be tried. From every network of the table that is done coordinate by coordinate until none
// gets better; and from the best that gives, for every two coordinates at once.
func searchCNN() (best candidate, evaluations int) {
	const inPairs = 3
	f := cnnForests().error
	rows, _ := readTable(bytes.NewReader(cnnFile)) // cnnForests has read it before
	s := &cellSearch{forest: f, places: f.places(len(cnnBox))}
	var found []candidate
	for _, r := range rows {
		c := candidate{at: r.unit()}
		c.value = s.value(c.at)
		for s.line(&c) {
		}
		found = append(found, c)
	}
	slices.SortStableFunc(found, byValue)
	best = found[0]
	for _, c := range found[:inPairs] {
		for s.pairs(&c) {
			for s.line(&c) {
			}
		}
		if c.value > best.value {
			best = c
		}
	}
	return best, s.evaluations
}

// places returns, for each coordinate of the unit cube, a place between every two neighbouring thresholds.
func (f *forest) places(dim int) [][]float64 {
	all := make([][]float64, dim)
	for j := range all {
		all[j] = []float64{0, 1}
	}
	for _, t := range f.trees {
		for _, n := range t {
			if n.feature >= 0 {
				all[n.feature] = append(all[n.feature], n.threshold)
			}
		}
	}
	for j, v := range all {
		slices.Sort(v)
		v = slices.Compact(v)
		for i := range v[1:] {
			v[i] = v[i]/2 + v[i+1]/2
		}
		all[j] = v[:len(v)-1]
	}
	return all
}

// cellSearch tries the places of a forest's coordinates.
type cellSearch struct {
	forest      *forest
	places      [][]float64
	evaluations int
}

func (s *cellSearch) value(at []float64) float64 {
	s.evaluations++
	return -s.forest.predict(at)
}

// line moves each coordinate in turn to its best place, and says whether that gained anything.
func (s *cellSearch) line(c *candidate) (better bool) {
	for j := range c.at {
		better = s.move(c, j) || better
	}
	return better
}

// move moves one coordinate to its best place.
func (s *cellSearch) move(c *candidate, j int) (better bool) {
	trial := slices.Clone(c.at)
	for _, place := range s.places[j] {
		trial[j] = place
		if v := s.value(trial); v > c.value {
			c.value, c.at[j], better = v, place, true
		}
	}
	return better
}

// pairs moves each two coordinates in turn to their best places, and says whether that gained anything.
func (s *cellSearch) pairs(c *candidate) (better bool) {
	for i := range c.at {
		for j := range i {
			trial := candidate{at: slices.Clone(c.at), value: c.value}
			for _, place := range s.places[i] {
				trial.at[i] = place
				if s.move(&trial, j) {
					c.value, better = trial.value, true
					copy(c.at, trial.at)
				}
			}
		}
	}
	return better
}
