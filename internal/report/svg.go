package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/say"
)

// canvas collects the elements of a picture. Colours come from the page's style by class, so that they follow
// light and dark; all text is escaped here and nowhere else.
type canvas struct {
	b             strings.Builder
	width, height float64
}

func newCanvas(width, height float64) *canvas { return &canvas{width: width, height: height} }

// px writes a place with a tenth of a pixel.
func px(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	return strconv.FormatFloat(math.Round(10*v)/10, 'f', -1, 64)
}

// open and close group what is drawn between them.
func (c *canvas) open(class string) { fmt.Fprintf(&c.b, `<g class="%s">`, class) }
func (c *canvas) close()            { c.b.WriteString("</g>\n") }

func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&c.b, `<path%s d="M%s %sL%s %s"/>`, classed(class), px(x1), px(y1), px(x2), px(y2))
}

func (c *canvas) rect(class string, x, y, w, h float64, tip string) {
	fmt.Fprintf(&c.b, `<rect%s x="%s" y="%s" width="%s" height="%s"`, classed(class), px(x), px(y), px(math.Max(w, 0)), px(math.Max(h, 0)))
	c.end("rect", tip)
}

// path draws a line through points, x and y in turn.
func (c *canvas) path(class string, points []float64, closed bool, tip string) {
	if len(points) < 4 {
		return
	}
	fmt.Fprintf(&c.b, `<path%s d="`, classed(class))
	for i := 0; i+1 < len(points); i += 2 {
		c.b.WriteByte("ML"[min(i, 1)])
		c.b.WriteString(px(points[i]) + " " + px(points[i+1]))
	}
	if closed {
		c.b.WriteByte('Z')
	}
	c.b.WriteByte('"')
	c.end("path", tip)
}

// mark draws a trial as its kind looks.
func (c *canvas) mark(kind string, x, y, r float64, tip string) {
	switch kind {
	case "failed":
		fmt.Fprintf(&c.b, `<path class="m failed" d="M%s %sl%s %sm0 %sl%s %s"`, px(x-r), px(y-r), px(2*r), px(2*r), px(-2*r), px(-2*r), px(2*r))
		c.end("path", tip)
	case "cut":
		fmt.Fprintf(&c.b, `<path class="m cut" d="M%s %sh%sl%s %sZ"`, px(x-r), px(y-r), px(2*r), px(-r), px(2*r))
		c.end("path", tip)
	case "beyond", "best":
		fmt.Fprintf(&c.b, `<path class="m %s" d="M%s %sl%s %sl%s %sl%s %sZ"`, kind, px(x), px(y-1.3*r), px(1.3*r), px(1.3*r), px(-1.3*r), px(1.3*r), px(-1.3*r), px(-1.3*r))
		c.end("path", tip)
	default:
		fmt.Fprintf(&c.b, `<circle class="m %s" cx="%s" cy="%s" r="%s"`, kind, px(x), px(y), px(r))
		c.end("circle", tip)
	}
}

// end closes an element; what is to be shown on hovering is its title, which needs no script.
func (c *canvas) end(element, tip string) {
	if tip == "" {
		c.b.WriteString("/>")
		return
	}
	fmt.Fprintf(&c.b, "><title>%s</title></%s>", html.EscapeString(tip), element)
}

// text writes a label, cut to at most n characters; all of it is seen on hovering.
func (c *canvas) text(class string, x, y float64, s string, n int) {
	fmt.Fprintf(&c.b, `<text%s x="%s" y="%s">%s`, classed(class), px(x), px(y), html.EscapeString(say.Short(s, n)))
	if say.Short(s, n) != s {
		fmt.Fprintf(&c.b, "<title>%s</title>", html.EscapeString(s))
	}
	c.b.WriteString("</text>")
}

func classed(class string) string {
	if class == "" {
		return ""
	}
	return ` class="` + class + `"`
}

// svg returns the picture; label is what it shows, for those who cannot see it.
func (c *canvas) svg(class, label string) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg%s viewBox="0 0 %s %s" role="img" aria-label="%s">`,
		classed(class), px(c.width), px(c.height), html.EscapeString(label)) + "\n" + c.b.String() + "</svg>")
}
