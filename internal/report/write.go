package report

import (
	"image"
	"image/color"
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// letters is the font of the pictures. It is read once it is needed.
var letters = sync.OnceValue(func() *opentype.Font {
	read, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		panic(err) // it is a part of the program
	}
	return read
})

// write writes a text at a point of its baseline: the text begins there if part is 0, has its middle there if it is 0.5, and ends
// there if it is 1.
func (b *brush) write(c color.Color, text string, at point, size, part float64) {
	face, err := opentype.NewFace(letters(), &opentype.FaceOptions{Size: dots * size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic(err) // it fails for no options
	}
	dot := func(x float64) fixed.Int26_6 { return fixed.Int26_6(64 * dots * x) }
	pen := font.Drawer{Dst: b.picture, Src: image.NewUniform(c), Face: face, Dot: fixed.Point26_6{X: dot(at.x), Y: dot(at.y)}}
	text = legible(text)
	pen.Dot.X -= fixed.Int26_6(part * float64(pen.MeasureString(text)))
	pen.DrawString(text)
}

// legible leaves out characters that the font does not have, such as ↗. The words beside them say the same.
func legible(text string) string {
	var glyphs sfnt.Buffer
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if i, err := letters().GlyphIndex(&glyphs, r); err != nil || i == 0 {
			return -1
		}
		return r
	}, text))
}
