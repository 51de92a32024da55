package report

import (
	"fmt"

	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/say"
)

// goes tells a direction in words.
var goes = map[insight.Direction]string{
	insight.Rises: "↗ rises", insight.Falls: "↘ falls", insight.Peaks: "∩ highest inside", insight.Dips: "∪ lowest inside",
	insight.Flat: "→ flat", insight.Varies: "∿ up and down",
}

// importanceChart draws a row for each parameter: its shares in value and cost, alone and with others.
func importanceChart(objective string, list []insight.Importance) *canvas {
	const width, row, head = 900, 34, 30
	const name, bars, gap, words = 170, 215, 30, 105
	bottom := head + row*float64(len(list))
	c := newCanvas(width, bottom+22, "chart wide", "how much each parameter matters to "+objective+" and to cost")
	columns := []struct {
		class, title string
		left         float64
		share        func(insight.Importance) insight.Share
	}{
		{"value", "on " + say.Short(objective, 24), name, func(i insight.Importance) insight.Share { return i.Value }},
		{"cost", "on cost", name + bars + words + gap, func(i insight.Importance) insight.Share { return i.Cost }},
	}
	for _, col := range columns {
		c.text("name", col.left, 14, col.title, 40)
		c.open("lines")
		for _, part := range []float64{0, 0.5, 1} {
			x := col.left + bars*part
			c.line("", x, head-6, x, bottom)
			c.text("mid", x, bottom+14, say.Percent(part), 8)
		}
		c.close()
	}
	for k, imp := range list {
		y := head + row*float64(k)
		c.text("label end", name-12, y+16, imp.Parameter, 22)
		for _, col := range columns {
			s := col.share(imp)
			tip := fmt.Sprintf("%s: %s by itself, %s together with others", imp.Parameter, say.Percent(s.First), say.Percent(s.Total))
			c.open(col.class)
			c.rect("total", col.left, y+3, bars*s.Total, 18, tip)
			c.rect("first", col.left, y+3, bars*s.First, 18, tip)
			c.close()
			c.text("faint", col.left+bars+10, y+16, goes[s.Direction], 20)
		}
	}
	return c
}
