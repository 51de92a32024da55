package report

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/study"
)

// Data is what a report is made of.
type Data struct {
	Study   *study.Study
	Record  *study.Record
	Best    *advisor.Best    // nil: the best observation, if there is one
	Front   *advisor.Front   // of several objectives; nil: that of what was seen
	Insight *insight.Insight // nil: the report says nothing of models
	Rest    *study.Rest      // what the rest of the money is expected to buy; nil: the report does not say
	Changes *study.Changes   // what went into changes; nil: they cost nothing
	Created time.Time        // when the report is made; zero: it does not say
	Version string           // of eke; empty: it does not say
}

// best returns the best setting.
func (d Data) best() (best advisor.Best, found bool) {
	if d.Best != nil {
		return *d.Best, true
	}
	best.Trial, found = d.Record.Best(d.Study.Objective.Goal)
	return best, found
}

// front returns the front of several objectives.
func (d Data) front() advisor.Front {
	if d.Front != nil || !d.Study.Several() {
		return *cmp.Or(d.Front, &advisor.Front{})
	}
	return advisor.SeenFront(d.Study, d.Record)
}

func (d Data) check() error {
	if d.Study == nil || d.Record == nil {
		return errors.New("report: a report needs a study and its record")
	}
	return nil
}

var (
	//go:embed style.css
	style string
	//go:embed script.js
	script string
)

// Write writes the report as one HTML file that needs nothing else: no network, no fonts and, to be read,
// no script.
func Write(w io.Writer, d Data) error {
	if err := d.check(); err != nil {
		return err
	}
	_, err := io.WriteString(w, newPage(d).html()) // the whole page at once: half a report is worse than none
	return err
}

// scriptHash lets the browser run this script and no other, should one ever slip in.
func scriptHash() string {
	sum := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// PNGs writes the main charts into a folder and returns the files' paths: those for which there is something to
// draw.
func PNGs(dir string, d Data) (paths []string, err error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	write := func(name string, c *canvas) {
		path := filepath.Join(dir, name+".png")
		if err = errors.Join(err, c.writePNG(path)); err == nil {
			paths = append(paths, path)
		}
	}
	list := chartsOf(d)
	write("best", moneyPicture(d.Study.Name, list))
	for _, f := range list.Forecasts {
		write("forecast-"+f.name, titled(f.Caption, f.Picture))
	}
	for i, c := range list.Front {
		name := "front"
		if i > 0 {
			name = fmt.Sprintf("front-%d", i+1)
		}
		write(name, titled(d.Study.Name, c))
	}
	if len(list.Metrics) > 0 {
		write("metrics", slicesPicture(list.Metrics))
	}
	if list.Learning != nil {
		write("learning", titled(d.Study.Name, list.Learning))
	}
	if list.Importance != nil {
		write("importance", list.Importance)
	}
	if len(list.Slices) > 0 {
		write("slices", slicesPicture(list.Slices))
	}
	return paths, err
}

// letter is about the width of a letter or a digit.
const letter = 6.7

// titled puts a title above a chart.
func titled(title string, chart *canvas) *canvas {
	const head = 30
	c := newCanvas(chart.width, chart.height+head, chart.class, chart.label)
	c.text("title mid", chart.width/2, 20, title, int(chart.width/8))
	c.put(chart, 0, head)
	return c
}

// moneyPicture is the chart of money with the meaning of its marks below.
func moneyPicture(title string, list charts) *canvas {
	c := titled(title, list.Money)
	const left = 62.0
	x, y := left, c.height+8
	put := func(text string, mark func()) { // on the next line if there is no more room
		wide := letter * float64(len(text))
		if x+18+wide > c.width {
			x, y = left, y+18
		}
		mark()
		c.text("", x+18, y, text, 90)
		x += 40 + wide
	}
	if len(list.Marks) > 0 {
		put(list.Line, func() { c.line("bestline", x, y-4, x+14, y-4) })
	}
	for _, k := range list.Marks {
		put(k.Text, func() { c.put(k.Picture, x, y-11) })
	}
	c.height = y + 12
	return c
}

// slicesPicture puts slices side by side.
func slicesPicture(slices []*canvas) *canvas {
	across := min(len(slices), 4)
	width, height := slices[0].width+12, slices[0].height+12
	c := newCanvas(width*float64(across), height*float64((len(slices)+across-1)/across), "chart", "the models around the best setting")
	for k, slice := range slices {
		c.put(slice, width*float64(k%across), height*float64(k/across))
	}
	return c
}
