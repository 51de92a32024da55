package report

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// markup is HTML that is being written. It is not written by html/template: with that in the program, the linker has to keep every
// method of every type, which makes the program a tenth larger.
type markup struct{ strings.Builder }

// safe is HTML that was escaped already, or that is our own.
type safe string

// add writes HTML with values in it. They are escaped, wherever they stand: as text or in quotes. Only what is safe is not.
func (m *markup) add(pattern string, values ...any) {
	for i, value := range values {
		if _, ok := value.(safe); !ok {
			values[i] = html.EscapeString(strings.ReplaceAll(fmt.Sprint(value), "\x00", "\uFFFD"))
		}
	}
	fmt.Fprintf(m, pattern, values...)
}

func (p page) html() string {
	m := &markup{}
	m.add(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src '%s'; base-uri 'none'; form-action 'none'">
<title>%s – eke</title>
<style>%s</style>
</head>
<body>
<main>
<header>
<h1>%s</h1>
<p class="goal">%s</p>
</header>
`, scriptHash(), p.Title, safe(style), p.Title, p.Goal)
	p.writeTop(m)
	p.writeMoney(m)
	if len(p.Front) > 0 {
		m.card("Front", p.Dots)
		for _, c := range p.Front {
			m.add("<div class=\"scroll\">%s</div>\n", c.SVG())
		}
		if p.Beyond != "" {
			m.add("<p class=\"say\">%s.</p>\n", p.Beyond)
		}
		m.add("</section>\n")
	}
	if len(p.Metrics) > 0 {
		m.card("Other numbers", "The value of every trial against the other numbers that it reported. Dashed lines are limits; trials that do not count are faded.")
		m.add(`<div class="grid two">`)
		for _, c := range p.Metrics {
			m.add("<figure>%s</figure>", c.SVG())
		}
		m.add("</div>\n</section>\n")
	}
	if p.Learning != nil {
		m.card("Learning curves", "Each line is a trial that reported values on its way. Grey lines were stopped early; the best is orange.")
		m.add("<div class=\"scroll\">%s</div>\n</section>\n", p.Learning.SVG())
	}
	p.writeModels(m)
	if p.Parallel != nil {
		m.card("All trials side by side", "Each line is a trial ("+p.Rays+"). The stronger its colour, the better its value; the best is orange.")
		m.add("<div class=\"scroll\">%s</div>\n</section>\n", p.Parallel.SVG())
	}
	p.Table.write(m)
	m.add("\n<footer>")
	if p.Created != "" {
		m.add("%s · ", p.Created)
	}
	m.add("eke")
	if p.Version != "" {
		m.add(" %s", p.Version)
	}
	m.add("</footer>\n</main>\n<script>%s</script>\n</body>\n</html>\n", safe(script))
	return m.String()
}

// card opens a section of the page.
func (m *markup) card(title, about string) {
	m.add("\n<section class=\"card\">\n<h2>%s</h2>\n", title)
	if about != "" {
		m.add("<p class=\"say\">%s</p>\n", about)
	}
}

func (p page) writeTop(m *markup) {
	m.add("\n<section class=\"top\">\n<div class=\"card best\">\n")
	switch {
	case p.Ends != nil:
		p.Ends.write(m)
	case p.Best != nil:
		p.Best.write(m)
	default:
		m.add("<h2>Best</h2>\n<p class=\"big faint\">none yet</p>\n<p class=\"faint\">%s</p>\n", p.NoBest)
	}
	m.add("</div>\n<div class=\"card\">\n<h2>Budget</h2>\n%s\n<ul class=\"parts\">", p.Gauge.SVG())
	for _, part := range p.Parts {
		m.add(`<li><i class="%s"></i>%s <b>%s</b></li>`, part.Kind, part.Name, part.Amount)
	}
	m.add("</ul>\n<dl class=\"facts\">")
	for _, f := range p.Facts {
		m.add("<div><dt>%s</dt><dd>%s</dd></div>", f.Name, f.Text)
	}
	m.add("</dl>\n</div>\n</section>\n")
}

func (b *bestTrial) write(m *markup) {
	m.add("<h2>Best: %s</h2>\n<p class=\"big\">%s <small>%s</small></p>\n", b.Title, b.Value, b.Objective)
	if b.Band != "" {
		m.add("<p class=\"faint\">expected, %s</p>\n", b.Band)
	}
	if b.Seen != "" {
		m.add("<p class=\"faint\">%s</p>\n", b.Seen)
	}
	if b.Hurts != "" {
		m.add("<p class=\"faint\">%s</p>\n", b.Hurts)
	}
	if b.Cost != "" {
		m.add("<p class=\"faint\">cost %s", b.Cost)
		if b.Share != "" {
			m.add(", %s", b.Share)
		}
		m.add("</p>\n")
	}
	if b.Metrics != "" {
		m.add("<p class=\"faint\">%s</p>\n", b.Metrics)
	}
	m.add("<dl class=\"setting\">")
	for _, s := range b.Setting {
		m.add(`<div><dt>%s</dt><dd title="%s">%s</dd></div>`, s.Name, s.Exact, s.Text)
	}
	m.add("</dl>\n")
}

func (p page) writeMoney(m *markup) {
	m.card(p.Heading, "")
	if p.Ahead != "" {
		m.add("<p class=\"say\">The band ahead: %s.</p>\n", p.Ahead)
	}
	m.add("<div class=\"scroll\">%s</div>\n", p.Money.SVG())
	if len(p.Marks) > 0 {
		m.add(`<ul class="keys"><li><i class="rule"></i>%s</li>`, p.Line)
		for _, k := range p.Marks {
			m.add("<li>%s%s</li>", k.Picture.SVG(), k.Text)
		}
		m.add("</ul>\n")
	}
	m.add("</section>\n")
}

// writeModels writes what the models have learnt, and how well they forecast.
func (p page) writeModels(m *markup) {
	if p.Importance != nil {
		m.card("What each parameter does", "The share of the variation over all settings that the models attribute to each parameter: by itself (solid), and together with others (pale). "+
			"The words say how value and cost change around the best setting as the parameter grows. "+p.Learnt)
		m.add("<div class=\"scroll\">%s</div>\n</section>\n", p.Importance.SVG())
	}
	if len(p.Slices) > 0 {
		m.card("Around the best setting", "One parameter varies; all others stay as in the best trial. Bands hold 80% of the likely outcomes. The strokes at the bottom mark values that were tried; of a choice, there is one for each trial. "+p.Learnt)
		m.add(`<div class="grid">`)
		for _, slice := range p.Slices {
			m.add("<figure>%s</figure>", slice.SVG())
		}
		m.add("</div>\n</section>\n")
	}
	if p.Missing != "" {
		m.card("What the models have learnt", "Nothing to show: "+p.Missing+".")
		m.add("</section>\n")
	}
	if len(p.Forecasts) > 0 {
		m.card("Forecasts and results", "What was expected of each trial when it was chosen, and its result. On the dashed line the forecast was right. Bars hold 80% of the outcomes that were thought likely.")
		m.add(`<div class="grid two">`)
		for _, f := range p.Forecasts {
			m.add("<figure>%s<figcaption>%s</figcaption></figure>", f.Picture.SVG(), f.Caption)
		}
		m.add("</div>\n</section>\n")
	}
}

func (t table) write(m *markup) {
	m.add("\n<section class=\"card trials\">\n<h2>Trials</h2>\n")
	if len(t.Rows) == 0 {
		m.add("<p class=\"say\">There are no trials yet.</p>\n</section>\n")
		return
	}
	m.add(`<div class="controls" hidden>
<input type="search" id="filter" placeholder="filter, e.g. adam" aria-label="show trials that contain this text">
<select id="state" aria-label="show trials in this state"><option value="">all states</option>`)
	for _, state := range t.States {
		m.add("<option>%s</option>", state)
	}
	m.add("</select>\n<span id=\"count\" class=\"faint\" aria-live=\"polite\">%s</span>\n</div>\n<div class=\"scroll tall\">\n<table id=\"trials\">\n<thead><tr>", t.Count)
	for _, c := range t.Columns {
		m.add(`<th%s scope="col">%s</th>`, where(c.Number, ` class="n"`), c.Name)
	}
	m.add("</tr></thead>\n<tbody>\n")
	for _, r := range t.Rows {
		m.add(`<tr class="%s%s" data-state="%s">`, r.State, where(r.Best, " winner"), r.State)
		for _, c := range r.Cells {
			if c.Number {
				m.add(`<td data-v="%s">%s</td>`, c.Sort, c.Text)
			} else {
				m.add("<td>%s</td>", c.Text)
			}
		}
		m.add("</tr>\n")
	}
	m.add("</tbody>\n</table>\n</div>\n</section>\n")
}

// where is a piece of HTML, if a condition holds.
func where(holds bool, piece safe) safe {
	if holds {
		return piece
	}
	return ""
}

// table is the list of all trials.
type table struct {
	Columns []column
	Rows    []row
	Count   string        // of all
	States  []study.State // that occur, to choose from
}

type column struct {
	Name   string
	Number bool
}

type row struct {
	State study.State
	Best  bool
	Cells []cell
}

// cell is a text; in a column of numbers, with the number to sort it by, if there is one.
type cell struct {
	Text   string
	Number bool
	Sort   string
}

// longestNote bounds what a trial's note takes: it may be a program's whole complaint.
const longestNote = 300

// mostMetrics is how many metrics have columns of their own.
const mostMetrics = 20

func newTable(s *study.Study, r *study.Record, best advisor.Best) table {
	t := table{Count: say.Count(len(r.Trials), "trial"), Columns: []column{{"#", true}, {"state", false}, {s.Objective.Name, true}, {say.Axis("cost", s.Cost), true}}}
	for _, p := range s.Inputs() {
		t.Columns = append(t.Columns, column{p.Name, isNumeric(p)})
	}
	metrics := study.MetricNames(r.Trials)
	metrics = metrics[:min(len(metrics), mostMetrics)]
	for _, name := range metrics {
		t.Columns = append(t.Columns, column{name, true})
	}
	t.Columns = append(t.Columns, column{"note", false})
	for _, trial := range r.Trials {
		if !slices.Contains(t.States, trial.State) {
			t.States = append(t.States, trial.State)
		}
		t.Rows = append(t.Rows, newRow(s, trial, best, metrics))
	}
	return t
}

func isNumeric(p space.Param) bool { return p.Kind == space.KindFloat || p.Kind == space.KindInt }

func newRow(s *study.Study, t study.Trial, best advisor.Best, metrics []string) row {
	state, note := string(t.State), t.Note
	if why, _, not := strings.Cut(best.NotCounted(t), ":"); not {
		state += ", " + why
	}
	value, charged := cell{say.Nothing, true, ""}, cell{say.Nothing, true, ""}
	if t.State == study.Done {
		value = cell{say.Number(t.Value), true, sortKey(t.Value)}
	}
	if t.State.Ended() {
		charged = cell{say.Bare(s.Cost, t.Charged), true, sortKey(t.Charged)}
	}
	r := row{State: t.State, Best: t.HasCounted() && best.Has(t), Cells: []cell{{strconv.Itoa(t.Number), true, strconv.Itoa(t.Number)}, {Text: state}, value, charged}}
	for _, p := range s.Inputs() {
		v := t.Setting[p.Name]
		c := cell{Text: say.Value(v), Number: isNumeric(p)}
		if x, ok := v.Number(); ok && c.Number {
			c.Sort = sortKey(x)
		}
		r.Cells = append(r.Cells, c)
	}
	for _, name := range metrics {
		c := cell{say.Nothing, true, ""}
		if x, known := t.Metrics[name]; known {
			c = cell{say.Number(x), true, sortKey(x)}
		}
		r.Cells = append(r.Cells, c)
	}
	r.Cells = append(r.Cells, cell{Text: say.Short(note, longestNote)})
	return r
}

// sortKey is short: what looks the same may stand in any order.
func sortKey(v float64) string { return strconv.FormatFloat(v, 'g', 7, 64) }

// markKey explains a mark of the chart of money.
type markKey struct {
	Picture *canvas
	Text    string
}

// markKeys explains those marks that occur, and says how many are not where their values are: the axis does not reach there.
func markKeys(steps []say.Step, y scale) (list []markKey) {
	seen := map[say.Mark]bool{}
	for _, t := range steps {
		seen[t.Mark] = true
	}
	seen[say.Better] = seen[say.Better] || seen[say.Best] // both are drawn alike
	for _, mark := range say.Marks {
		if seen[mark] && mark != say.Best {
			c := newCanvas(14, 14, "key", mark.String())
			c.mark(kindOf(mark), 7, 7, 4, "")
			list = append(list, markKey{c, mark.String()})
		}
	}
	if beyond := slices.DeleteFunc(say.Values(steps), y.holds); len(beyond) > 0 {
		list = append(list, markKey{newCanvas(14, 14, "key", "at the edge"), say.Count(len(beyond), "value") + " beyond the axis, drawn at its edge"})
	}
	return list
}
