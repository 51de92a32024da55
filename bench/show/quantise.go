package show

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

// Paletted turns pictures into pictures of at most 256 colours, the same for all. Flat regions have few colours and keep them
// exactly. The rare colours, at the edges of letters and lines, become the nearest of those. Files are then a third as large, and a
// GIF needs it.
func Paletted(pictures []image.Image) []*image.Paletted {
	counts := map[color.RGBA]int{}
	for _, p := range pictures {
		eachPixel(p, func(_, _ int, c color.RGBA) { counts[c]++ })
	}
	popular := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		popular = append(popular, c)
	}
	slices.SortFunc(popular, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	palette := spread(popular)
	nearest := map[color.RGBA]uint8{}
	for _, c := range popular {
		nearest[c] = uint8(palette.Index(c))
	}
	var list []*image.Paletted
	for _, p := range pictures {
		out := image.NewPaletted(p.Bounds(), palette)
		eachPixel(p, func(x, y int, c color.RGBA) { out.SetColorIndex(x, y, nearest[c]) })
		list = append(list, out)
	}
	return list
}

// spread picks at most 256 colours. Half of them are the most popular, which fill whole regions. The others follow by popularity,
// none closer to another than the number requires.
func spread(popular []color.RGBA) color.Palette {
	for apart := 1; ; apart *= 2 {
		var palette color.Palette
		for i, c := range popular {
			near := func(p color.Color) bool { return distance2(p.(color.RGBA), c) < apart }
			if i < 128 || len(palette) <= 256 && !slices.ContainsFunc(palette, near) {
				palette = append(palette, c)
			}
		}
		if len(palette) <= 256 {
			return palette
		}
	}
}

// distance2 is the square of the distance between two colours.
func distance2(a, b color.RGBA) int {
	r, g, u := int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B)
	return r*r + g*g + u*u
}

// eachPixel visits an opaque picture.
func eachPixel(p image.Image, visit func(x, y int, c color.RGBA)) {
	box := p.Bounds()
	if plain, ok := p.(*image.RGBA); ok { // the type of canvases; three times as fast
		for y := box.Min.Y; y < box.Max.Y; y++ {
			for x := box.Min.X; x < box.Max.X; x++ {
				visit(x, y, plain.RGBAAt(x, y))
			}
		}
		return
	}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			r, g, b, _ := p.At(x, y).RGBA()
			visit(x, y, color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 0xff})
		}
	}
}
