package report

// frame is the inside of a chart, with a scale on each side.
type frame struct {
	left, top, right, bottom float64
	x, y                     scale
}

func newFrame(left, top, right, bottom float64, x, y scale) frame {
	return frame{left, top, right, bottom, x.between(left, right), y.between(bottom, top)}
}

// yAxis draws horizontal lines with their labels, and the name above.
func (f frame) yAxis(c *canvas, name string, n int) {
	c.open("lines")
	for _, t := range f.y.ticks(n) {
		c.line("", f.left, t.at, f.right, t.at)
		c.text("end", f.left-6, t.at+3.5, t.label, 12)
	}
	c.close()
	c.text("name", 2, f.top-9, name, 44)
}

// xAxis draws the bottom line, ticks with their labels, and the name below.
func (f frame) xAxis(c *canvas, name string, n int) { f.xMarks(c, name, f.x.ticks(n), 12) }

func (f frame) xMarks(c *canvas, name string, marks []tick, letters int) {
	c.open("lines")
	c.line("base", f.left, f.bottom, f.right, f.bottom)
	for i, t := range marks {
		class := "mid"
		if i == len(marks)-1 && f.right-t.at < 12 {
			class = "end" // a long label in the corner would be cut off
		}
		c.line("base", t.at, f.bottom, t.at, f.bottom+4)
		c.text(class, min(t.at, f.right+4), f.bottom+16, t.label, letters)
	}
	c.close()
	c.text("name mid", (f.left+f.right)/2, f.bottom+32, name, 60)
}
