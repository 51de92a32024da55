package paper

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// page is a picture that can be drawn on any kind of canvas.
type page struct {
	width, height vg.Length
	draw          func(draw.Canvas)
}

const (
	dotsPerInch = 130
	pageMargin  = vg.Length(10)
)

// image returns the page as pixels.
func (p page) image(dpi int) image.Image {
	canvas := vgimg.NewWith(vgimg.UseWH(p.width, p.height), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))
	p.draw(draw.New(canvas))
	return canvas.Image()
}

// folder is where pictures and tables go, and remembers which.
type folder struct {
	dir     string
	written []string
}

func (f *folder) write(name string, content []byte) error {
	if err := os.WriteFile(filepath.Join(f.dir, name), content, 0o644); err != nil {
		return err
	}
	f.written = append(f.written, name)
	return nil
}

// has says whether a file was drawn before.
func (f *folder) has(name string) bool {
	_, err := os.Stat(filepath.Join(f.dir, name))
	return err == nil
}

func (f *folder) png(name string, p page) error {
	var out bytes.Buffer
	if err := png.Encode(&out, paletted([]image.Image{p.image(dotsPerInch)})[0]); err != nil {
		return err
	}
	return f.write(name, out.Bytes())
}

func (f *folder) svg(name string, p page) error {
	canvas := vgsvg.New(p.width, p.height)
	p.draw(draw.New(canvas))
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return err
	}
	// Where this font is not installed its kin must do, not the browser's serif.
	named := bytes.ReplaceAll(out.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif"))
	return f.write(name, named)
}

// panels lays plots out in rows, their axes aligned, below a heading and above a legend; either may be missing.
// A nil plot leaves its place empty.
type panels struct {
	plots         [][]*plot.Plot
	width, height vg.Length // of one plot
	heading       string
	remarks       []string // below the legend
	legend        []entry
}

func (p panels) page() page {
	width := p.width*vg.Length(len(p.plots[0])) + 2*pageMargin
	rows := legendRows(p.legend, width-2*pageMargin)
	foot := vg.Length(len(rows))*legendLine + vg.Length(len(p.remarks))*remarkLine
	if foot > 0 {
		foot += 8
	}
	head := vg.Length(0)
	if p.heading != "" {
		head = 1.9 * headerSize
	}
	height := p.height*vg.Length(len(p.plots)) + head + foot + 2*pageMargin
	return page{width, height, func(c draw.Canvas) {
		if p.heading != "" {
			style := words(bold(headerSize), ink)
			c.FillText(style, vg.Point{X: pageMargin, Y: height - pageMargin - 0.6*headerSize}, p.heading)
		}
		middle := draw.Crop(c, pageMargin, -pageMargin, pageMargin+foot, -pageMargin-head)
		tiles := draw.Tiles{Rows: len(p.plots), Cols: len(p.plots[0]), PadX: 12, PadY: 10}
		for i, row := range plot.Align(p.plots, tiles, middle) {
			for j, canvas := range row {
				if p.plots[i][j] != nil {
					p.plots[i][j].Draw(canvas)
				}
			}
		}
		drawLegend(c, rows, pageMargin+vg.Length(len(p.remarks))*remarkLine)
		for i, remark := range p.remarks {
			at := vg.Point{X: pageMargin, Y: pageMargin + remarkLine*(vg.Length(len(p.remarks)-1-i)+0.5)}
			c.FillText(words(sans(tickSize), faint), at, remark)
		}
	}}
}

// columnsFor returns how many columns so many panels look best in: the paper's eight stand four by two.
func columnsFor(n int) int {
	if n <= 4 {
		return n
	}
	return min((n+1)/2, 4)
}

// inRows breaks a list of plots into rows, the last filled up with nil.
func inRows(plots []*plot.Plot, columns int) [][]*plot.Plot {
	var rows [][]*plot.Plot
	for len(plots) > 0 {
		row := make([]*plot.Plot, columns)
		plots = plots[copy(row, plots):]
		rows = append(rows, row)
	}
	return rows
}
