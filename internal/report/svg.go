package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// SVG writes the picture for the page. All text is escaped here and nowhere else.
func (c *canvas) SVG() template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg%s viewBox="0 0 %s %s" role="img" aria-label="%s">`+"\n", classed(c.class), px(c.width), px(c.height), html.EscapeString(c.label))
	for _, s := range c.shapes {
		s.write(&b)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

func (s shape) write(b *strings.Builder) {
	switch s.element {
	case "/g":
		b.WriteString("</g>\n")
		return
	case "g":
		b.WriteString("<g" + classed(s.class) + ">")
		return
	case "path":
		fmt.Fprintf(b, `<path%s d="`, classed(s.class))
		for i := 0; i+1 < len(s.points); i += 2 {
			b.WriteString("ML"[min(i, 1):min(i, 1)+1] + px(s.points[i]) + " " + px(s.points[i+1]))
		}
		if s.closed {
			b.WriteByte('Z')
		}
		b.WriteByte('"')
	case "circle":
		fmt.Fprintf(b, `<circle%s cx="%s" cy="%s" r="%s"`, classed(s.class), px(s.points[0]), px(s.points[1]), px(s.radius))
	case "text":
		fmt.Fprintf(b, `<text%s x="%s" y="%s"`, classed(s.class), px(s.points[0]), px(s.points[1]))
	}
	if s.text == "" && s.tip == "" {
		b.WriteString("/>")
		return
	}
	b.WriteString(">" + html.EscapeString(s.text))
	if s.tip != "" { // a title is shown on hovering, and needs no script
		b.WriteString("<title>" + html.EscapeString(s.tip) + "</title>")
	}
	b.WriteString("</" + s.element + ">")
}

func classed(class string) string {
	if class == "" {
		return ""
	}
	return ` class="` + class + `"`
}

// px writes a place with a tenth of a pixel.
func px(v float64) string { return strconv.FormatFloat(math.Round(10*place(v))/10, 'f', -1, 64) }

// place is a place that can be drawn.
func place(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}
