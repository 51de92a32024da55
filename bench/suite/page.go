package suite

import (
	"bytes"
	_ "embed"
	"html/template"

	"github.com/eke-bo/eke/bench/show"
)

//go:embed page.html.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// pagePart is the tuning or the validation problems.
type pagePart struct {
	Title    string
	Figures  []pageFigure
	Sections []pageSection
}

type pageFigure struct {
	Heading, Words string
	Picture        template.HTML
}

type pageSection struct {
	Heading, Words string
	Table          template.HTML
}

// newPage returns a page that needs no other files.
func newPage(parts []*grid) ([]byte, error) {
	var list []pagePart
	for _, g := range parts {
		p := pagePart{Title: g.title()}
		for _, f := range []struct {
			heading, words string
			draw           func() (show.Page, error)
			detail         bool // not of all problems together
		}{
			{"Mean rank", "Over the problems on which all policies have runs in common; 1 is best.", g.rankFigure, false},
			{"Pair by pair, over all problems", "Replications with the same number have the same function, costs, noise and first points.", g.differenceFigure, false},
			{"Pair by pair, problem by problem", "Grey: not clearly different from zero.", g.forestFigure, true},
			{"Regret against money", "Mean over replications. The unit is the regret of a median setting. Regrets below 10⁻⁶ are not distinguished.", g.curveFigure, true},
			{"Wasted money", "On noiseless problems. The dashed line is at 3 %.", g.wasteFigure, false},
			{"Forecasts", "Bands of 50, 80 and 95 %, in the first third of a study and after. On the dashed line they hold as often as they should; below it they are too narrow.", g.calibrationFigure, false},
		} {
			if g.whole && f.detail {
				continue
			}
			picture, err := f.draw()
			if err != nil {
				return nil, err
			}
			if picture.Draw == nil {
				continue
			}
			svg, err := inline(picture)
			if err != nil {
				return nil, err
			}
			p.Figures = append(p.Figures, pageFigure{f.heading, f.words, svg})
		}
		for _, s := range g.sections() {
			p.Sections = append(p.Sections, pageSection{s.heading, s.words, s.table.HTML(s.left)})
		}
		list = append(list, p)
	}
	var out bytes.Buffer
	err := pageTemplate.Execute(&out, list)
	return out.Bytes(), err
}

// inline returns a picture as an element of a page.
func inline(p show.Page) (template.HTML, error) {
	svg, err := p.SVG()
	if err != nil {
		return "", err
	}
	_, element, _ := bytes.Cut(svg, []byte("<svg")) // without the XML declaration
	return template.HTML("<svg" + string(element)), nil
}
