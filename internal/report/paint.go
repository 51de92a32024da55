package report

import (
	"cmp"
	"errors"
	"image/color"
	"image/png"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// look is how a shape is painted, in colours of the page.
type look struct {
	fill, stroke string // model: that of the group, value or cost
	width        float64
	opacity      float64
	dashes       []float64
}

// looks has the shapes of the pictures by class, as the page's style has them. A shape without a class looks like its
// group.
var looks = map[string]look{
	"lines":          {stroke: "rule"},
	"base":           {stroke: "axis"},
	"past":           {fill: "past"},
	"limit":          {stroke: "ink", dashes: []float64{2, 3}},
	"diagonal":       {stroke: "axis", dashes: []float64{5, 4}},
	"at":             {stroke: "best", width: 1.5, dashes: []float64{4, 3}},
	"bestline":       {stroke: "value", width: 2.5},
	"ahead":          {stroke: "value", width: 1.6, dashes: []float64{5, 4}},
	"m done":         {fill: "q4", stroke: "card"},
	"m better":       {fill: "value", stroke: "card"},
	"m beyond":       {fill: "card", stroke: "cost", width: 1.8},
	"m failed":       {stroke: "bad", width: 2},
	"m cut":          {fill: "bad"},
	"m early":        {fill: "soft"},
	"m abandoned":    {stroke: "soft", width: 1.6},
	"value m done":   {fill: "value", stroke: "card"},
	"cost m done":    {fill: "cost", stroke: "card"},
	"bar":            {stroke: "model", opacity: 0.4},
	"whisker":        {stroke: "model", width: 5, opacity: 0.35},
	"band":           {fill: "model", opacity: 0.2},
	"curve":          {stroke: "model", width: 2.2},
	"learning":       {stroke: "value", width: 1.6, opacity: 0.8},
	"learning early": {stroke: "soft", width: 1.6, opacity: 0.35},
	"learning top":   {stroke: "best", width: 3},
	"rug":            {stroke: "soft", opacity: 0.6},
	"total":          {fill: "model", opacity: 0.35},
	"first":          {fill: "model"},
}

// colours are those of the page in daylight, which its style names first.
var colours = func() map[string]color.NRGBA {
	list := map[string]color.NRGBA{}
	for _, m := range regexp.MustCompile(`--(\w+): #(\w{6});`).FindAllStringSubmatch(style, -1) {
		if _, known := list[m[1]]; !known {
			rgb, _ := strconv.ParseUint(m[2], 16, 32) // six digits, or the pattern would not match
			list[m[1]] = color.NRGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255}
		}
	}
	return list
}()

// writePNG paints the picture into a file.
func (c *canvas) writePNG(path string) error {
	to := newBrush(c.width, c.height)
	var groups []string
	for _, s := range c.shapes {
		switch s.element {
		case "g":
			groups = append(groups, s.class)
		case "/g":
			groups = groups[:len(groups)-1]
		case "text":
			to.paintText(s)
		default:
			to.paint(s, strings.Join(groups, " "))
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, to.picture), f.Close())
}

func (b *brush) paint(s shape, group string) {
	l, ok := looks[strings.TrimSpace(group+" "+s.class)]
	if !ok {
		l = looks[cmp.Or(s.class, group)]
	}
	line := s.line()
	if l.fill != "" {
		b.fill(l.colour(l.fill, group), line)
	}
	if l.stroke != "" {
		b.stroke(l.colour(l.stroke, group), line, cmp.Or(l.width, 1), l.dashes)
	}
}

func (l look) colour(name, group string) color.Color {
	if name == "model" {
		name = group
	}
	c := colours[name]
	c.A = uint8(255 * cmp.Or(l.opacity, 1))
	return c
}

// line is the shape as points. If it is closed, it ends where it begins.
func (s shape) line() (points []point) {
	for i := 0; i < len(s.points); i += 2 {
		points = append(points, point{place(s.points[i]), place(s.points[i+1])})
	}
	if s.element == "circle" {
		points = circle(points[0], s.radius)
	}
	if s.element == "circle" || s.closed {
		points = append(points, points[0])
	}
	return points
}

func (b *brush) paintText(s shape) {
	colour, size := "soft", 12.0
	is := func(class string) bool { return strings.Contains(" "+s.class+" ", " "+class+" ") }
	switch {
	case is("here"):
		colour = "best"
	case is("name"), is("label"):
		colour = "ink"
	case is("title"):
		colour, size = "ink", 15
	case is("empty"):
		size = 15
	}
	part := 0.0
	switch {
	case is("end"):
		part = 1
	case is("mid"):
		part = 0.5
	}
	b.write(colours[colour], s.text, point{place(s.points[0]), place(s.points[1])}, size, part)
}
