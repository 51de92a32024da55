package report

import (
	"cmp"
	"errors"
	"image/color"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// look is how a shape is painted, in colours of the page.
type look struct {
	fill, stroke string // model: that of the group, value or cost
	width        float64
	opacity      float64
	dashes       []vg.Length
}

// looks has the shapes of the pictures by class, as the page's style has them. A shape without a class looks like its
// group.
var looks = map[string]look{
	"lines":        {stroke: "rule"},
	"base":         {stroke: "axis"},
	"past":         {fill: "past"},
	"limit":        {stroke: "ink", dashes: []vg.Length{2, 3}},
	"diagonal":     {stroke: "axis", dashes: []vg.Length{5, 4}},
	"at":           {stroke: "best", width: 1.5, dashes: []vg.Length{4, 3}},
	"bestline":     {stroke: "value", width: 2.5},
	"ahead":        {stroke: "value", width: 1.6, dashes: []vg.Length{5, 4}},
	"m done":       {fill: "q4", stroke: "card"},
	"m better":     {fill: "value", stroke: "card"},
	"m beyond":     {fill: "card", stroke: "cost", width: 1.8},
	"m failed":     {stroke: "bad", width: 2},
	"m cut":        {fill: "bad"},
	"m abandoned":  {stroke: "soft", width: 1.6},
	"value m done": {fill: "value", stroke: "card"},
	"cost m done":  {fill: "cost", stroke: "card"},
	"bar":          {stroke: "model", opacity: 0.4},
	"whisker":      {stroke: "model", width: 5, opacity: 0.35},
	"band":         {fill: "model", opacity: 0.2},
	"curve":        {stroke: "model", width: 2.2},
	"rug":          {stroke: "soft", opacity: 0.6},
	"total":        {fill: "model", opacity: 0.35},
	"first":        {fill: "model"},
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

var faces = font.NewCache(liberation.Collection())

// writePNG paints the picture into a file, two dots a pixel.
func (c *canvas) writePNG(path string) error {
	img := vgimg.NewWith(vgimg.UseWH(vg.Length(c.width), vg.Length(c.height)), vgimg.UseDPI(2*72), vgimg.UseBackgroundColor(color.White))
	var groups []string
	for _, s := range c.shapes {
		switch s.element {
		case "g":
			groups = append(groups, s.class)
		case "/g":
			groups = groups[:len(groups)-1]
		case "text":
			c.paintText(img, s)
		default:
			c.paint(img, s, strings.Join(groups, " "))
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = vgimg.PngCanvas{Canvas: img}.WriteTo(f)
	return errors.Join(err, f.Close())
}

func (c *canvas) paint(to vg.Canvas, s shape, group string) {
	l, ok := looks[strings.TrimSpace(group+" "+s.class)]
	if !ok {
		l = looks[cmp.Or(s.class, group)]
	}
	path := c.outline(s)
	if l.fill != "" {
		to.SetColor(l.colour(l.fill, group))
		to.Fill(path)
	}
	if l.stroke != "" {
		to.SetColor(l.colour(l.stroke, group))
		to.SetLineWidth(vg.Length(cmp.Or(l.width, 1)))
		to.SetLineDash(l.dashes, 0)
		to.Stroke(path)
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

// point is where the i-th point of a shape is. A canvas of vg has its origin below.
func (c *canvas) point(s shape, i int) vg.Point {
	return vg.Point{X: vg.Length(place(s.points[2*i])), Y: vg.Length(c.height - place(s.points[2*i+1]))}
}

func (c *canvas) outline(s shape) (path vg.Path) {
	if s.element == "circle" {
		path.Arc(c.point(s, 0), vg.Length(s.radius), 0, 2*math.Pi)
		path.Close()
		return path
	}
	path.Move(c.point(s, 0))
	for i := 1; i < len(s.points)/2; i++ {
		path.Line(c.point(s, i))
	}
	if s.closed {
		path.Close()
	}
	return path
}

func (c *canvas) paintText(to vg.Canvas, s shape) {
	colour, size, at := "soft", 12.0, c.point(s, 0)
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
	face := faces.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size))
	switch {
	case is("end"):
		at.X -= face.Width(s.text)
	case is("mid"):
		at.X -= face.Width(s.text) / 2
	}
	to.SetColor(colours[colour])
	to.FillString(face, at, s.text)
}
