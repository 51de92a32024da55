package show

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A legend shared by all panels of a page: one line below them, or as many as it takes.

// Entry is a line or a dot with its meaning.
type Entry struct {
	Label string
	Style draw.LineStyle
	Dot   bool
}

const (
	legendLine   = vg.Length(17)
	remarkLine   = vg.Length(13)
	legendSwatch = vg.Length(24)
	legendGap    = vg.Length(18) // between entries
	swatchGap    = vg.Length(5)  // between a swatch and its label
)

func legendText() draw.TextStyle { return Words(Sans(LabelSize), Ink) }

func (e Entry) width() vg.Length { return legendSwatch + swatchGap + legendText().Width(e.Label) }

func rowWidth(row []Entry) vg.Length {
	sum := legendGap * vg.Length(len(row)-1)
	for _, e := range row {
		sum += e.width()
	}
	return sum
}

// legendRows breaks the entries into as many rows as they need, of about equal length.
func legendRows(entries []Entry, width vg.Length) [][]Entry {
	if len(entries) == 0 {
		return nil
	}
	for count := 1; ; count++ {
		each := (len(entries) + count - 1) / count
		var rows [][]Entry
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
func drawLegend(c draw.Canvas, rows [][]Entry, bottom vg.Length) {
	for i, row := range rows {
		y := bottom + legendLine*(vg.Length(len(rows)-1-i)+0.5)
		x := c.Center().X - rowWidth(row)/2
		for _, e := range row {
			e.draw(c, x, y)
			x += e.width() + legendGap
		}
	}
}

func (e Entry) draw(c draw.Canvas, x, y vg.Length) {
	if e.Dot {
		c.DrawGlyph(draw.GlyphStyle{Color: e.Style.Color, Radius: 3, Shape: draw.CircleGlyph{}}, vg.Point{X: x + legendSwatch/2, Y: y})
	} else {
		c.StrokeLine2(e.Style, x, y, x+legendSwatch, y)
	}
	c.FillText(legendText(), vg.Point{X: x + legendSwatch + swatchGap, Y: y + 0.12*LabelSize}, e.Label) // letters look centred a little higher
}

// LineEntry is a line of a colour and width.
func LineEntry(label string, c color.Color, width vg.Length) Entry {
	return Entry{Label: label, Style: draw.LineStyle{Color: c, Width: width}}
}

// DotEntry is a dot of a colour.
func DotEntry(label string, c color.Color) Entry {
	return Entry{Label: label, Style: draw.LineStyle{Color: c}, Dot: true}
}
