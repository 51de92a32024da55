package paper

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ours is the default of eke.
var ours = Contender{"4-bmsei-p", "default"}

// look is how a contender appears in all pictures and tables. Each family has a colour. Policies that look two steps
// ahead are dashed.
type look struct {
	Contender
	label string
	color color.RGBA
	twice bool // looks two steps ahead: only in the supplement's figure
}

var looks = []look{
	{Contender{"random", "paper"}, "Random", color.RGBA{0x9a, 0xa0, 0xa6, 0xff}, false},
	{Contender{"ei", "paper"}, "EI", color.RGBA{0xe8, 0xa0, 0x1d, 0xff}, false},
	{Contender{"ei-puc", "paper"}, "EI-PUC", color.RGBA{0x5a, 0xb4, 0xe5, 0xff}, false},
	{Contender{"ei-puc-cc", "paper"}, "EI-PUC-CC", color.RGBA{0x1f, 0x5f, 0xa8, 0xff}, false},
	{Contender{"2-bmsei-p", "paper"}, "2-B-MS-EI path", color.RGBA{0x2a, 0x9d, 0x6f, 0xff}, true},
	{Contender{"2-bmsei", "paper"}, "2-B-MS-EI tree", color.RGBA{0x7b, 0x3f, 0xa0, 0xff}, true},
	{Contender{"4-bmsei-p", "paper"}, "4-B-MS-EI path", color.RGBA{0x2a, 0x9d, 0x6f, 0xff}, false},
	{Contender{"4-bmsei", "paper"}, "4-B-MS-EI tree", color.RGBA{0x7b, 0x3f, 0xa0, 0xff}, false},
	{ours, "eke", color.RGBA{0xd6, 0x28, 0x39, 0xff}, false},
}

func (l look) line() draw.LineStyle {
	style := draw.LineStyle{Color: l.color, Width: 1.4}
	if l.twice {
		style.Dashes = []vg.Length{4, 2.5}
	}
	if l.Contender == ours {
		style.Width = 2.2
	}
	return style
}

// lookOf returns the contender's look. A contender that is in no figure has only a label.
func lookOf(c Contender) look {
	if i := slices.IndexFunc(looks, func(l look) bool { return l.Contender == c }); i >= 0 {
		return looks[i]
	}
	return look{Contender: c, label: c.String()}
}

// contendersIn lists the contenders of all races, in the legend's order and then by name.
func contendersIn(list []race) []Contender {
	var all []Contender
	for _, k := range list {
		for c := range k.runs {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	rank := func(c Contender) int {
		if i := slices.IndexFunc(looks, func(l look) bool { return l.Contender == c }); i >= 0 {
			return i
		}
		return len(looks)
	}
	slices.SortFunc(all, func(a, b Contender) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.String(), b.String()))
	})
	return all
}
