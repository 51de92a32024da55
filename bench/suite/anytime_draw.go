package suite

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/eke-bo/eke/bench/show"
	"github.com/eke-bo/eke/bench/stats"
)

// Anytime reads the runs of some folders and writes any-time figures: a table to w, and to the folder out all tables, the curves as numbers, and
// a picture of all tasks and of those for tuning and for validation. Of two runs with the same key, that of the first folder counts. Names are what some
// policies are called there.
func Anytime(w io.Writer, out string, folders []string, e Experiment, against string, names map[string]string) error {
	g, err := readGrid(folders, e, against)
	if err != nil {
		return err
	}
	g.rename(names)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	f := show.Folder{Dir: out}
	var tables bytes.Buffer
	tables.WriteString("<!-- written by bench/suite: eke-bench anytime -->\n\n")
	numbers := [][]string{{"tasks", "policy", "money", "regret", "low", "high", "low_alone", "high_alone"}}
	for i, p := range g.parts() {
		a := p.anytime(normalised)
		if len(a.policies) == 0 || a.tasks == 0 {
			continue
		}
		fmt.Fprintf(w, "%s%s\n\n", p.title(), a.onlyOn(len(p.rows)))
		p.anytimeTable(a).Text(w)
		fmt.Fprintln(w)
		fmt.Fprintf(&tables, "## %s\n\n", p.title())
		for _, s := range p.anytimeSections(a) {
			fmt.Fprintf(&tables, "### %s\n\n%s\n\n", s.heading, s.words)
			s.table.Markdown(&tables, s.left)
		}
		name := p.setName()
		numbers = append(numbers, a.numbers(name)...)
		picture, err := p.anytimePicture(a)
		if err != nil {
			return err
		}
		file := "anytime"
		if i > 0 {
			file += "-" + name
		}
		if err := f.PNG(file+".png", picture); err != nil {
			return err
		}
		if err := f.SVG(file+".svg", picture); err != nil {
			return err
		}
	}
	if len(f.Written) == 0 {
		return fmt.Errorf("%s: no task of the set %s has runs of the policies", strings.Join(folders, ", "), e.Set)
	}
	if err := f.Write("anytime.md", append(bytes.TrimRight(tables.Bytes(), "\n"), '\n')); err != nil {
		return err
	}
	var lines bytes.Buffer
	if err := csv.NewWriter(&lines).WriteAll(numbers); err != nil {
		return err
	}
	if err := f.Write("anytime.csv", lines.Bytes()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "written to %s: %s\n", out, strings.Join(f.Written, ", "))
	return err
}

// onlyOn says on how many of the tasks the policies are compared, if not on all.
func (a anytime) onlyOn(all int) string {
	if a.tasks == all {
		return ""
	}
	return fmt.Sprintf(", of which all of these policies have played %d", a.tasks)
}

// setName is the name of the part of the tasks.
func (g *grid) setName() string {
	if g.whole {
		return All
	}
	return setOf(g.rows[0].Info)
}

// readGrid sorts the runs of some folders. To tasks of LCBench it adds the runs without a fidelity.
func readGrid(folders []string, e Experiment, against string) (*grid, error) {
	var runs []Run
	known := map[Key]bool{}
	for _, dir := range folders {
		list, err := Folder(dir).Read()
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			if !known[r.Key()] {
				known[r.Key()] = true
				runs = append(runs, r)
			}
		}
	}
	policies := e.Policies
	g, err := newGrid(among(runs, e), e, against)
	if err != nil {
		return nil, err
	}
	if full := strings.Replace(e.Set, LCBench, LCBenchFull, 1); strings.HasPrefix(e.Set, LCBench) && sets[full].tasks != nil {
		e.Set, e.Policies, e.Only = full, policies, nil
		f, err := newGrid(among(runs, e), e, against)
		if err != nil {
			return nil, err
		}
		g.joinFull(f)
	}
	return g, nil
}

// among leaves out runs of other problems, so that policies which played only those do not take part.
func among(runs []Run, e Experiment) []Run {
	problems, err := e.Problems()
	if err != nil {
		return runs // newGrid says so, too
	}
	names := map[string]bool{}
	for _, info := range problems {
		names[info.Name] = true
	}
	return slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return !names[r.Problem] })
}

// rename gives policies other names.
func (g *grid) rename(names map[string]string) {
	to := func(policy string) string {
		if name, ok := names[policy]; ok {
			return name
		}
		return policy
	}
	for i, policy := range g.policies {
		g.policies[i] = to(policy)
	}
	g.against = to(g.against)
	for i, r := range g.rows {
		runs := map[string]map[int]Run{}
		for policy, list := range r.runs {
			runs[to(policy)] = list
		}
		g.rows[i].runs = runs
	}
}

// shownParts are the fractions of the money that tables have.
var shownParts = []float64{0.25, 0.5, 1}

func partNames() (list []string) {
	for _, part := range shownParts {
		list = append(list, show.Fixed(100*part, 0)+" %")
	}
	return list
}

// atPart is the point of a curve.
func atPart(curve []stats.Interval, part float64) stats.Interval {
	return curve[int(math.Round(part*curvePoints))-1]
}

// regretText writes a normalised regret with its interval.
func regretText(i stats.Interval) string {
	if math.IsNaN(i.Low) {
		return show.Fixed(i.Mean, 3)
	}
	return fmt.Sprintf("%s [%s, %s]", show.Fixed(i.Mean, 3), show.Fixed(i.Low, 3), show.Fixed(i.High, 3))
}

// anytimeTable has a row for each policy, the best at the end first.
func (g *grid) anytimeTable(a anytime) *show.Table {
	t := &show.Table{Header: slices.Concat([]string{"policy", "runs"}, partNames(), []string{"mean rank", "money that " + g.against + " needs for that", "seconds a suggestion"})}
	_, rows := g.shared()
	ranks := ranksAt(rows, a.policies, 1)
	for _, i := range a.order() {
		cells := []string{a.policies[i], fmt.Sprint(a.runs[i])}
		for _, part := range shownParts {
			cells = append(cells, regretText(orAlone(atPart(a.curves[i], part), atPart(a.alone[i], part))))
		}
		rank, money := show.Missing, show.Missing
		if len(ranks) > 0 {
			rank = within(ranks[i])
		}
		if a.against >= 0 && i != a.against {
			money = share(orAlone(a.money[i], a.moneyAlone[i]))
		}
		t.Add(append(cells, rank, money, show.Fixed(g.average(a.policies[i], func(r Run) float64 { return r.Seconds / float64(max(r.Trials, 1)) }), 3))...)
	}
	return t
}

// orAlone is the interval over tasks or, of a single task, over its replications.
func orAlone(overTasks, alone stats.Interval) stats.Interval {
	if math.IsNaN(overTasks.Low) {
		return alone
	}
	return overTasks
}

// anytimeSections are all tables of a part of the tasks.
func (g *grid) anytimeSections(a anytime) []section {
	_, rows := g.shared()
	ranks := &show.Table{Header: append([]string{"policy"}, partNames()...)}
	alone := &show.Table{Header: append([]string{"policy"}, partNames()...)}
	logs := &show.Table{Header: append([]string{"policy"}, partNames()...)}
	money := &show.Table{Header: []string{"policy", "normalised regret", "these tasks alone", "log10 regret", "tasks apart: median and quartiles", "tasks where all of it is not enough"}}
	log := g.anytime(logarithmic)
	byPart := make([][]stats.Interval, len(shownParts))
	for k, part := range shownParts {
		byPart[k] = ranksAt(rows, a.policies, part)
	}
	for _, i := range a.order() {
		rankCells, aloneCells, logCells := []string{a.policies[i]}, []string{a.policies[i]}, []string{a.policies[i]}
		for k, part := range shownParts {
			rank := show.Missing
			if len(byPart[k]) > 0 {
				rank = within(byPart[k][i])
			}
			rankCells, aloneCells = append(rankCells, rank), append(aloneCells, regretText(atPart(a.alone[i], part)))
			logCells = append(logCells, within(orAlone(atPart(log.curves[i], part), atPart(log.alone[i], part))))
		}
		ranks.Add(rankCells...)
		alone.Add(aloneCells...)
		logs.Add(logCells...)
		if a.against >= 0 && i != a.against {
			apart, more := quartiles(a.taskMoney[i])
			money.Add(a.policies[i], share(a.money[i]), share(a.moneyAlone[i]), share(orAlone(log.money[i], log.moneyAlone[i])), apart, fmt.Sprintf("%d of %d", more, a.tasks))
		}
	}
	list := []section{
		{"Any time", fmt.Sprintf("Normalised regret with 25, 50 and 100 %% of the money: the distance between the optimum and the reported best, in units of that of a median setting; the mean over the %d tasks on which all of these policies have runs. "+
			"Only values at the highest fidelity count. Mean rank at the end, over the replications that all have, 1 being best. Money: the fraction with which %s has, by its mean curve, what the policy has at the end. Brackets are 95 %% bootstrap intervals over tasks.", a.tasks, g.against), g.anytimeTable(a), 1},
		{"Mean rank", "In the replications that all have; intervals over tasks.", ranks, 1},
		{"Normalised regret, these tasks alone", "With intervals over replications.", alone, 1},
		{"Mean log10 regret", "With intervals over tasks. Large where a policy sometimes reaches the optimum, which the mean of regrets does not show.", logs, 1},
	}
	if a.against >= 0 {
		list = append(list, section{"Money", "The fraction of the money with which " + g.against + " has what the policy has at the end, by mean curves of normalised regret and of log10 regret; and by the mean curve of each task, the median and the quartiles over tasks. More: all of it is not enough.", money, 1})
		list = append(list, g.aheadSection())
	}
	if len(g.crowds()) > 0 {
		list = append(list, section{"Workers", "Mean normalised regret of one worker and of many, with all of the money; and when 1/W of the time has passed that one worker needs, by which W workers have spent nearly all. The differences are of log10 regret, pair by pair; above zero, many workers are worse. " +
			"The last column is the time after which many workers have what one has at the end, as a fraction of what one needs. Trials under way when the money ends do not count.", g.workersTable(), 1})
	}
	for _, f := range g.families() {
		if p := f.anytime(normalised); p.tasks > 0 && len(p.policies) > 0 {
			list = append(list, section{"Family: " + f.rows[0].Family, fmt.Sprintf("The same for the %d tasks of the family.", p.tasks), f.anytimeTable(p), 1})
		}
	}
	return list
}

func (g *grid) aheadSection() section {
	t := &show.Table{Header: []string{"task", "policy", "ahead by", "pairs"}}
	list, compared := g.ahead()
	for _, a := range list {
		t.Add(a.problem, a.policy, within(a.by), fmt.Sprint(a.runs))
	}
	return section{"Ahead of " + g.against, fmt.Sprintf("Where a policy is ahead of %s in log10 regret at the end with a 95 %% bootstrap interval over replications that excludes zero: %d of %d pairs of a task and a policy. By chance alone it would be one in forty.", g.against, len(list), compared), t, 2}
}

// quartiles writes the median of fractions of the money and its quartiles, and counts those that are infinite.
func quartiles(parts []float64) (text string, more int) {
	sorted := slices.Sorted(slices.Values(parts))
	for _, v := range sorted {
		if math.IsInf(v, 1) {
			more++
		}
	}
	at := func(p float64) float64 { return stat.Quantile(p, stat.Empirical, sorted, nil) }
	return share(stats.Interval{Mean: at(0.5), Low: at(0.25), High: at(0.75)}), more
}

// numbers are the curves, a line for each point.
func (a anytime) numbers(tasks string) (lines [][]string) {
	text := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	for i, policy := range a.policies {
		for k := range curvePoints {
			c, alone := a.curves[i][k], a.alone[i][k]
			lines = append(lines, []string{tasks, policy, text(float64(k+1) / curvePoints), text(c.Mean), text(c.Low), text(c.High), text(alone.Low), text(alone.High)})
		}
	}
	return lines
}

// anytimePicture has regret against money on the left, and on the right what fraction of the money the reference needs for the end of each other policy.
func (g *grid) anytimePicture(a anytime) (show.Page, error) {
	curves := show.NewPlot("Regret against money", "fraction of the budget spent", "normalised regret, mean over tasks")
	curves.Y.Tick.Marker = decadeTicks{}
	least, most := 0.0, 0.0 // of log10, which the axis has
	x := []float64{0}
	for k := range curvePoints {
		x = append(x, float64(k+1)/curvePoints)
	}
	order := a.order()
	for _, i := range slices.Backward(order) {
		y, low, high := []float64{0}, []float64{0}, []float64{0} // a median setting
		for k, c := range a.curves[i] {
			band := a.alone[i][k]
			if math.IsNaN(band.Low) {
				band.Low, band.High = c.Mean, c.Mean
			}
			y, low, high = append(y, math.Log10(c.Mean)), append(low, math.Log10(band.Low)), append(high, math.Log10(band.High))
		}
		least, most = math.Min(least, slices.Min(y)), math.Max(most, slices.Max(y))
		band, err := show.Band(x, low, high, g.color(a.policies[i]), 0.13)
		if err != nil {
			return show.Page{}, err
		}
		line, err := show.Line(x, y, g.style(a.policies[i]))
		if err != nil {
			return show.Page{}, err
		}
		curves.Add(band, line)
	}
	curves.X.Min, curves.X.Max = 0, 1
	curves.Y.Min, curves.Y.Max = least-0.1, most
	plots, remarks := []*plot.Plot{curves}, []string{fmt.Sprintf("Left: the mean over %d tasks. 1 is the regret of a median setting. Bands: 95 %% intervals over replications.", a.tasks)}
	if a.against >= 0 && len(order) > 1 {
		rows, err := g.anytimeMoney(a, order)
		if err != nil {
			return show.Page{}, err
		}
		plots, remarks = append(plots, rows.Plot), append(remarks, "Right: with 95 % intervals over tasks. An arrow: all of the money may not be enough.")
	}
	var legend []show.Entry
	for _, i := range order {
		legend = append(legend, show.Entry{Label: a.policies[i], Style: g.style(a.policies[i])})
	}
	return show.Panels{Plots: [][]*plot.Plot{plots}, Width: 400, Height: max(270, vg.Length(90+15*len(order))), Legend: legend, Remarks: remarks}.Page(), nil
}

// anytimeMoney shows what fraction of the money the reference needs for the end of each other policy.
func (g *grid) anytimeMoney(a anytime, order []int) (*show.Rows, error) {
	order = slices.DeleteFunc(slices.Clone(order), func(i int) bool { return i == a.against })
	var labels []string
	for _, i := range order {
		labels = append(labels, a.policies[i])
	}
	rows := show.NewRows("Money needed for what others have at the end", "fraction of the budget that "+g.against+" needs", labels)
	for _, x := range []float64{1. / 3, 1} {
		if err := rows.Upright(x); err != nil {
			return nil, err
		}
	}
	const beyond = 1.12 // where the picture ends
	for place, i := range order {
		d := orAlone(a.money[i], a.moneyAlone[i])
		c := g.color(a.policies[i])
		if math.IsNaN(d.Low) {
			d.Low, d.High = d.Mean, d.Mean
		}
		if math.IsInf(d.High, 1) {
			if err := rows.Arrow(place, min(d.Low, beyond-0.1), beyond, 0.02, c); err != nil {
				return nil, err
			}
			d.High = beyond
		}
		if math.IsInf(d.Mean, 1) {
			continue // the arrow says it
		}
		if err := rows.Interval(place, d.Mean, d.Low, d.High, c); err != nil {
			return nil, err
		}
	}
	rows.X.Min, rows.X.Max = 0, beyond
	rows.X.Padding = 2 // as beside it
	return rows, nil
}

// decadeTicks puts ticks at 1, 2 and 5 times powers of ten, on an axis of log10.
type decadeTicks struct{}

// Ticks implements plot.Ticker.
func (decadeTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	multiples := []float64{1, 2, 5}
	if high-low > 2 {
		multiples = multiples[:1]
	}
	for e := math.Floor(low); e <= math.Ceil(high); e++ {
		for _, m := range multiples {
			if v := e + math.Log10(m); v >= low-1e-9 && v <= high+1e-9 {
				ticks = append(ticks, plot.Tick{Value: v, Label: show.Number(m * math.Pow(10, e))})
			}
		}
	}
	return ticks
}
