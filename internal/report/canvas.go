package report

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/say"
)

// canvas collects the shapes of a picture, which SVG writes and writePNG paints. Colours follow from the classes: in the
// page's style, and in the looks of the pictures.
type canvas struct {
	width, height float64
	class         string
	label         string // what it shows, for those who cannot see it
	shapes        []shape
}

// shape is an element of a picture: path, circle, text, g for the begin of a group, or /g for its end.
type shape struct {
	element, class string
	points         []float64 // x and y in turn
	closed         bool
	radius         float64
	text, tip      string // a tip is seen on hovering
}

func newCanvas(width, height float64, class, label string) *canvas {
	return &canvas{width: width, height: height, class: class, label: label}
}

func (c *canvas) add(s shape) { c.shapes = append(c.shapes, s) }

// open and close group what is drawn between them.
func (c *canvas) open(class string) { c.add(shape{element: "g", class: class}) }
func (c *canvas) close()            { c.add(shape{element: "/g"}) }

func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	c.path(class, []float64{x1, y1, x2, y2}, false, "")
}

func (c *canvas) rect(class string, x, y, w, h float64, tip string) {
	right, bottom := x+math.Max(w, 0), y+math.Max(h, 0)
	c.path(class, []float64{x, y, right, y, right, bottom, x, bottom}, true, tip)
}

// path draws a line through points, x and y in turn.
func (c *canvas) path(class string, points []float64, closed bool, tip string) {
	if len(points) >= 4 {
		c.add(shape{element: "path", class: class, points: points, closed: closed, tip: tip})
	}
}

// mark draws a trial as its kind looks.
func (c *canvas) mark(kind string, x, y, r float64, tip string) {
	switch kind {
	case "failed": // a cross, in one stroke
		c.path("m failed", []float64{x - r, y - r, x + r, y + r, x, y, x + r, y - r, x - r, y + r}, false, tip)
	case "cut":
		c.path("m cut", []float64{x - r, y - r, x + r, y - r, x, y + r}, true, tip)
	case "beyond", "best":
		c.path("m "+kind, []float64{x, y - 1.3*r, x + 1.3*r, y, x, y + 1.3*r, x - 1.3*r, y}, true, tip)
	default:
		c.add(shape{element: "circle", class: "m " + kind, points: []float64{x, y}, radius: r, tip: tip})
	}
}

// text writes a label, cut to at most n characters; all of it is seen on hovering.
func (c *canvas) text(class string, x, y float64, s string, n int) {
	t := shape{element: "text", class: class, points: []float64{x, y}, text: say.Short(s, n)}
	if t.text != s {
		t.tip = s
	}
	c.add(t)
}

// put draws another picture at a place of this one.
func (c *canvas) put(part *canvas, x, y float64) {
	for _, s := range part.shapes {
		s.points = slices.Clone(s.points)
		for i := range s.points {
			s.points[i] += []float64{x, y}[i%2]
		}
		c.add(s)
	}
}

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
