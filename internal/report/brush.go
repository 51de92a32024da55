package report

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/vector"
)

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
