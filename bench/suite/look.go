package suite

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"github.com/eke-bo/eke/bench/show"
)

// ours is the colour of the policy that the others are compared with, as in the paper's figures.
var ours = color.RGBA{0xd6, 0x28, 0x39, 0xff}

// others are the colours of the other policies, by their order.
var others = []color.RGBA{
	{0x1f, 0x5f, 0xa8, 0xff}, {0xe8, 0xa0, 0x1d, 0xff}, {0x2a, 0x9d, 0x6f, 0xff}, {0x7b, 0x3f, 0xa0, 0xff}, {0x5a, 0xb4, 0xe5, 0xff},
	{0x8c, 0x56, 0x4b, 0xff}, {0xe3, 0x77, 0xc2, 0xff}, {0x7f, 0x7f, 0x1f, 0xff}, {0x17, 0xbe, 0xcf, 0xff}, {0x9a, 0xa0, 0xa6, 0xff},
	{0x31, 0x3b, 0x72, 0xff}, {0xb5, 0x65, 0x1d, 0xff},
}

func (g *grid) color(policy string) color.RGBA {
	if policy == g.against {
		return ours
	}
	rest := slices.DeleteFunc(slices.Clone(g.policies), func(p string) bool { return p == g.against })
	return others[slices.Index(rest, policy)%len(others)]
}

func (g *grid) style(policy string) draw.LineStyle {
	style := draw.LineStyle{Color: g.color(policy), Width: 1.3}
	if policy == g.against {
		style.Width = 2.2
	}
	return style
}

// legend names all policies.
func (g *grid) legend() (list []show.Entry) {
	for _, policy := range g.policies {
		list = append(list, show.Entry{Label: policy, Style: g.style(policy)})
	}
	return list
}
