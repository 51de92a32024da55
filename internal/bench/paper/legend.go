package paper

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A legend shared by all panels of a page: one line below them, or as many as it takes.

// entry is a line or a dot with its meaning.
type entry struct {
	label string
	style draw.LineStyle
	dot   bool
}

const (
	legendLine   = vg.Length(17)
	remarkLine   = vg.Length(13)
	legendSwatch = vg.Length(24)
	legendGap    = vg.Length(18) // between entries
	swatchGap    = vg.Length(5)  // between a swatch and its label
)

func legendText() draw.TextStyle { return words(sans(labelSize), ink) }

func (e entry) width() vg.Length { return legendSwatch + swatchGap + legendText().Width(e.label) }

func rowWidth(row []entry) vg.Length {
	sum := legendGap * vg.Length(len(row)-1)
	for _, e := range row {
		sum += e.width()
	}
	return sum
}

// legendRows breaks the entries into as many rows as they need, of about equal length.
func legendRows(entries []entry, width vg.Length) [][]entry {
	if len(entries) == 0 {
		return nil
	}
	for count := 1; ; count++ {
		each := (len(entries) + count - 1) / count
		var rows [][]entry
		fits := true
		for from := 0; from < len(entries); from += each {
			row := entries[from:min(from+each, len(entries))]
			rows = append(rows, row)
			fits = fits && (rowWidth(row) <= width || each == 1)
		}
		if fits {
			return rows
		}
	}
}

// drawLegend centres the rows on the canvas, the last one standing on the given height.
func drawLegend(c draw.Canvas, rows [][]entry, bottom vg.Length) {
	for i, row := range rows {
		y := bottom + legendLine*(vg.Length(len(rows)-1-i)+0.5)
		x := c.Center().X - rowWidth(row)/2
		for _, e := range row {
			e.draw(c, x, y)
			x += e.width() + legendGap
		}
	}
}

func (e entry) draw(c draw.Canvas, x, y vg.Length) {
	if e.dot {
		c.DrawGlyph(draw.GlyphStyle{Color: e.style.Color, Radius: 3, Shape: draw.CircleGlyph{}}, vg.Point{X: x + legendSwatch/2, Y: y})
	} else {
		c.StrokeLine2(e.style, x, y, x+legendSwatch, y)
	}
	c.FillText(legendText(), vg.Point{X: x + legendSwatch + swatchGap, Y: y + 0.12*labelSize}, e.label) // letters look centred a little higher
}

func lineEntry(label string, c color.Color, width vg.Length) entry {
	return entry{label: label, style: draw.LineStyle{Color: c, Width: width}}
}

func dotEntry(label string, c color.Color) entry {
	return entry{label: label, style: draw.LineStyle{Color: c}, dot: true}
}
