package report

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// SVG writes the picture for the page. All text is escaped here and nowhere else.
func (c *canvas) SVG() safe {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg%s viewBox="0 0 %s %s" role="img" aria-label="%s">`+"\n", classed(c.class), px(c.width), px(c.height), html.EscapeString(c.label))
	for _, s := range c.shapes {
		s.write(&b)
	}
	b.WriteString("</svg>")
	return safe(b.String())
}

func (s shape) write(b *strings.Builder) {
	if s.element == "/g" {
		b.WriteString("</g>\n")
		return
	}
	b.WriteString("<" + s.element + classed(s.class) + s.where())
	if s.element == "g" {
		b.WriteString(">")
		return
	}
	b.WriteString(">" + html.EscapeString(s.text))
	if s.tip != "" { // a title is shown on hovering, and needs no script
		b.WriteString("<title>" + html.EscapeString(s.tip) + "</title>")
	}
	b.WriteString("</" + s.element + ">")
}

// where returns the attributes that place a shape.
func (s shape) where() string {
	switch s.element {
	case "circle":
		return fmt.Sprintf(` cx="%s" cy="%s" r="%s"`, px(s.points[0]), px(s.points[1]), px(s.radius))
	case "text":
		return fmt.Sprintf(` x="%s" y="%s"`, px(s.points[0]), px(s.points[1]))
	case "g":
		return ""
	}
	var d strings.Builder
	for i := 0; i+1 < len(s.points); i += 2 {
		d.WriteByte("ML"[min(i, 1)])
		d.WriteString(px(s.points[i]) + " " + px(s.points[i+1]))
	}
	if s.closed {
		d.WriteByte('Z')
	}
	return ` d="` + d.String() + `"`
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
