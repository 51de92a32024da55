package report

import (
	"cmp"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
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
	"m beaten":       {fill: "soft", opacity: 0.35},
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

// brush paints into a picture. It takes pixels of the page, of which each has dots by dots in the picture.
type brush struct {
	picture *image.RGBA
	raster  vector.Rasterizer
}

// dots is how many dots of a picture are side by side in a pixel of the page.
const dots = 2

func newBrush(width, height float64) *brush {
	b := &brush{picture: image.NewRGBA(image.Rect(0, 0, int(math.Ceil(dots*width)), int(math.Ceil(dots*height))))}
	draw.Draw(b.picture, b.picture.Bounds(), image.White, image.Point{}, draw.Src)
	return b
}

type point struct{ x, y float64 }

// fill paints polygons in one go: where they overlap, the colour is not laid on twice. They turn the same way round, or else they
// would cancel each other.
func (b *brush) fill(c color.Color, polygons ...[]point) {
	low, high := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, polygon := range polygons {
		for _, p := range polygon {
			low = point{math.Min(low.x, p.x), math.Min(low.y, p.y)}
			high = point{math.Max(high.x, p.x), math.Max(high.y, p.y)}
		}
	}
	part := b.picture.Bounds() // small, since the work is proportional to it
	edge := func(x float64, round func(float64) float64, most int) int {
		return int(min(max(round(dots*x), 0), float64(most)))
	}
	part.Min = image.Pt(edge(low.x, math.Floor, part.Max.X), edge(low.y, math.Floor, part.Max.Y))
	part.Max = image.Pt(edge(high.x, math.Ceil, part.Max.X), edge(high.y, math.Ceil, part.Max.Y))
	if part.Empty() {
		return
	}
	b.raster.Reset(part.Dx(), part.Dy())
	for _, polygon := range polygons {
		for i, p := range polygon {
			x, y := float32(dots*p.x)-float32(part.Min.X), float32(dots*p.y)-float32(part.Min.Y)
			if i == 0 {
				b.raster.MoveTo(x, y)
			} else {
				b.raster.LineTo(x, y)
			}
		}
		b.raster.ClosePath()
	}
	b.raster.Draw(b.picture, part, image.NewUniform(c), image.Point{})
}

// stroke paints a line through points, with round joints.
func (b *brush) stroke(c color.Color, line []point, width float64, dashes []float64) {
	if len(dashes) == 0 {
		b.fill(c, outline(line, width)...)
		return
	}
	var parts [][]point
	for _, dash := range dashed(line, dashes) {
		parts = append(parts, outline(dash, width)...)
	}
	b.fill(c, parts...)
}

// outline returns polygons that cover a line: a rectangle for each of its segments, and a circle where two of them meet.
func outline(line []point, width float64) (polygons [][]point) {
	for i := 1; i < len(line); i++ {
		p, q := line[i-1], line[i]
		length := math.Hypot(q.x-p.x, q.y-p.y)
		if length == 0 {
			continue
		}
		nx, ny := -(q.y-p.y)/length*width/2, (q.x-p.x)/length*width/2
		polygons = append(polygons, []point{{p.x - nx, p.y - ny}, {q.x - nx, q.y - ny}, {q.x + nx, q.y + ny}, {p.x + nx, p.y + ny}})
		if i > 1 {
			polygons = append(polygons, circle(p, width/2))
		}
	}
	return polygons
}

func circle(at point, radius float64) (polygon []point) {
	const corners = 32
	for i := range corners {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		polygon = append(polygon, point{at.x + radius*cos, at.y + radius*sin})
	}
	return polygon
}

// dashed cuts a line into dashes. The lengths are those of a dash and of the gap after it.
func dashed(line []point, lengths []float64) (dashes [][]point) {
	drawn, left := true, lengths[0]
	dash := []point{line[0]}
	for i := 1; i < len(line); i++ {
		p, q := line[i-1], line[i]
		length := math.Hypot(q.x-p.x, q.y-p.y)
		for at := 0.0; at < length; {
			step := min(left, length-at)
			at += step
			left -= step
			here := point{p.x + (q.x-p.x)*at/length, p.y + (q.y-p.y)*at/length}
			if drawn {
				dash = append(dash, here)
			}
			if left > 0 {
				continue
			}
			if drawn {
				dashes = append(dashes, dash)
			}
			dash, drawn, left = []point{here}, !drawn, lengths[0]
			if !drawn {
				left = lengths[1]
			}
		}
	}
	if drawn && len(dash) > 1 {
		dashes = append(dashes, dash)
	}
	return dashes
}

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
