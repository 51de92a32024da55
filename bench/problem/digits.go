package problem

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
)

// digitsFile has 1797 handwritten digits, one per row: 8×8 grey levels from 0 to 16, and the label (E. Alpaydin, C. Kaynak,
// Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, 1998).
//
//go:embed data/digits.csv.gz
var digitsFile []byte

const (
	side    = 8  // pixels per side
	pixels  = 64 // side²
	classes = 10
)

// images are pictures, one after the other, with their labels.
type images struct {
	grey   []float64 // pixels of each picture, from 0 to 1
	labels []int
}

// len returns the number of pictures.
func (m images) len() int { return len(m.labels) }

// slice returns the pictures from i to j.
func (m images) slice(i, j int) images {
	return images{m.grey[i*pixels : j*pixels], m.labels[i:j]}
}

// pick copies the pictures of the given numbers.
func (m images) pick(order []int) images {
	var out images
	for _, i := range order {
		out.grey = append(out.grey, m.grey[i*pixels:(i+1)*pixels]...)
		out.labels = append(out.labels, m.labels[i])
	}
	return out
}

// digits returns 1000 pictures to learn from, and the 797 others, which are used to judge a network. The file is ordered by
// writer, so it is shuffled first.
var digits = sync.OnceValues(func() (train, validation images) {
	all, err := readDigits(digitsFile)
	if err != nil {
		panic(fmt.Sprintf("problem: the digits in the binary: %v", err))
	}
	order := rand.New(rand.NewPCG(0, 0x64696769)).Perm(all.len())
	return all.pick(order[:1000]), all.pick(order[1000:])
})

func readDigits(file []byte) (images, error) {
	plain, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return images{}, err
	}
	rows, err := csv.NewReader(plain).ReadAll()
	if err != nil {
		return images{}, err
	}
	var all images
	for i, row := range rows {
		if len(row) != pixels+1 {
			return images{}, fmt.Errorf("row %d has %d fields", i+1, len(row))
		}
		for _, field := range row[:pixels] {
			grey, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return images{}, err
			}
			all.grey = append(all.grey, grey/16)
		}
		label, err := strconv.Atoi(row[pixels])
		if err != nil {
			return images{}, err
		}
		all.labels = append(all.labels, label)
	}
	return all, nil
}
