package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

func written(t *testing.T, d Data) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	pictures  = regexp.MustCompile(`(?s)<svg.*?</svg>`)
	notFinite = regexp.MustCompile(`\bNaN\b|[+-]Inf\b|\bInf\b|ZgotmplZ|%!`)
	network   = regexp.MustCompile(`(?i)https?:|\ssrc=|<link|@import|url\(`)
)

// checkPage looks for what no report may have.
func checkPage(t *testing.T, html string) {
	t.Helper()
	if bad := notFinite.FindString(html); bad != "" {
		at := notFinite.FindStringIndex(html)[0]
		t.Errorf("%q in the page: …%s…", bad, html[max(at-200, 0):min(at+100, len(html))])
	}
	if bad := network.FindString(html); bad != "" {
		t.Errorf("%q in the page, which needs nothing else", bad)
	}
	for _, svg := range pictures.FindAllString(html, -1) {
		for d := xml.NewDecoder(strings.NewReader(svg)); ; {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("a picture is malformed: %v", err)
			}
		}
	}
	if n := strings.Count(html, "<script"); n != 1 {
		t.Errorf("%d scripts, want 1", n)
	}
}

// quick is the training study with a policy that takes no time.
func quick() *study.Study {
	s := training()
	s.Policy.Name, s.Policy.Design = "ei-puc", 12
	s.Budget.Total = 25
	return s
}

func TestReportOfAStudy(t *testing.T) {
	d := spend(t, quick(), train, 16)
	html := written(t, d)
	checkPage(t, html)
	best, _ := d.Record.Best(study.Minimize)
	rate := best.Setting[d.Study.Parameters[0].Name]
	for _, want := range []string{
		fmt.Sprintf(`<dd title="%s">%s</dd>`, rate, say.Value(rate)), // as everywhere, and in full for those who need it
		"small transformer", "validation loss, as low as possible", fmt.Sprintf("Best: trial %d", best.Number), say.Number(best.Value),
		"GPU-hours", "out of memory", "What each parameter does", "Around the best setting", "Forecasts and results",
		"All trials side by side", "within the 80% band", "not used", "stopped at a limit", scriptHash()[:40],
	} {
		if !strings.Contains(html, want) && !strings.Contains(html, strings.ReplaceAll(want, "+", "&#43;")) {
			t.Errorf("no %q in the page", want)
		}
	}
	if n := strings.Count(html, "<tr"); n != 1+len(d.Record.Trials) {
		t.Errorf("%d rows for %d trials", n, len(d.Record.Trials))
	}
	if again := written(t, d); again != html {
		t.Error("the same study gives two pages")
	}
}

// A result from elsewhere that is the best was not paid by the study, and no trial is called the best.
func TestReportOfKnownResults(t *testing.T) {
	for cost, want := range map[float64]string{9.25: "cost 9.25 GPU-hours, not paid by this study", 0: ""} {
		d := spend(t, quick(), train, 6)
		r := study.NewRecord(d.Study.Budget.Total, false)
		r.Trials, r.Ledger = d.Record.Trials, d.Record.Ledger
		k := study.Known{Setting: r.Trials[0].Setting, Point: r.Trials[0].Point, Value: -1, Cost: cost}
		if err := r.Apply(study.Event{Seq: 1, Kind: study.EventKnown, At: r.Trials[0].Asked, Known: &k}); err != nil {
			t.Fatal(err)
		}
		html := written(t, Data{Study: d.Study, Record: r, Version: "test"})
		checkPage(t, html)
		if !strings.Contains(html, "Best: a known result") || !strings.Contains(html, want) || strings.Contains(html, "of what was spent") {
			t.Errorf("cost %v: no %q in the page", cost, want)
		}
		if strings.Contains(html, "the best so far,") || !strings.Contains(html, `class="bestline"`) || cost == 0 && strings.Contains(html, ">cost ") {
			t.Errorf("cost %v: a trial is the best, there is no line, or the result has a cost", cost)
		}
	}
}

// With several objectives the report opens with the front, not with the best by one of them.
func TestReportOpensWithTheFront(t *testing.T) {
	s := quick()
	s.Objectives = []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "latency", Goal: study.Minimize}}}
	r := study.NewRecord(s.Budget.Total, false)
	for _, y := range [][2]float64{{1, 5}, {2, 6}, {3, 1}} { // the second is worse than the first in both
		if err := r.Apply(study.Event{Seq: r.Version + 1, Kind: study.EventKnown, Known: &study.Known{Value: y[0], Cost: 1, Metrics: study.Metrics{"latency": y[1]}}}); err != nil {
			t.Fatal(err)
		}
	}
	html := written(t, Data{Study: s, Record: r})
	for _, want := range []string{"Front: 2 results", "validation loss 1 to 3, latency 1 to 5", "best latency</dt><dd>a known result: validation loss 3, latency 1"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	if strings.Contains(html, "<h2>Best:") || !strings.Contains(html, "Best validation loss against money spent") {
		t.Error("the page has a best trial")
	}
	worst := 0.5
	s.Objectives[1].Worst = &worst
	if html := written(t, Data{Study: s, Record: r}); !strings.Contains(html, "none yet") || !strings.Contains(html, "not on the front, being beyond worst") {
		t.Error("the page does not say why there is no front")
	}
}

// With noise in a limited quantity, a result that was seen beyond its limit may be on the front by the models. The chart has it.
func TestReportDrawsTheFrontByTheModels(t *testing.T) {
	s := quick()
	s.Objectives = []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "latency", Goal: study.Minimize}}}
	r := study.NewRecord(s.Budget.Total, false)
	for i, y := range [][2]float64{{1, 5}, {2, 4}, {3, 3}} {
		k := study.Known{Value: y[0], Cost: 1, Point: []float64{float64(i)}, Metrics: study.Metrics{"latency": y[1]}}
		if err := r.Apply(study.Event{Seq: r.Version + 1, Kind: study.EventKnown, Known: &k}); err != nil {
			t.Fatal(err)
		}
	}
	f := advisor.SeenFront(s, r)
	r.Known[0].Violates, r.Known[1].Violates = []string{"memory"}, []string{"memory"}
	f.Trials, f.Outcomes = f.Trials[1:], f.Outcomes[1:] // the first does not count by the models either
	c := frontChart(s, r, f, nil, 0, 1)
	if html := string(c.SVG()); strings.Count(html, "a known result: ") != 2 {
		t.Errorf("%d results are in the chart:\n%s", strings.Count(html, "a known result: "), html)
	}
}

// The reason of a policy is not that of the trial which it chose last.
func TestReportSaysWhyThePolicy(t *testing.T) {
	s := quick()
	why, err := json.Marshal(advisor.Why{Policy: "log-ei-puc", Picked: "the most improvement for the money; expected to gain 16 over the best; with money for about 3 more trials, prices count less"})
	if err != nil {
		t.Fatal(err)
	}
	html := written(t, Data{Study: s, Record: made(t, s, 8, why, func(i int) (float64, float64) { return float64(i), 1 })})
	if row := regexp.MustCompile(`Why this policy</dt><dd>([^<]*)<`).FindStringSubmatch(html); len(row) < 2 || row[1] == "" || strings.Contains(row[1], ";") {
		t.Errorf("the row is %q", row)
	}
}

// Of a study with noise the report shows the expected value of the best setting, its band and what was seen there, and no line that
// follows lucky draws.
func TestReportWithNoise(t *testing.T) {
	d := spend(t, quick(), train, 16)
	without := written(t, d)
	results := d.Record.Results()
	chosen := results[0]
	d.Best = &advisor.Best{Trial: chosen, Estimate: &advisor.Estimate{Value: 0.5, SD: 0.1, Low: 0.4, High: 0.6, Values: []float64{0.31, 0.75}}}
	html := written(t, d)
	checkPage(t, html)
	for _, want := range []string{
		fmt.Sprintf("Best: trial %d", chosen.Number), `<p class="big">0.5 `, "expected, 80% between 0.4 and 0.6", "seen there: 0.31, 0.75",
		"Values against money spent", "expected of the best setting, with its 80% band", "at the best setting", "observed", `class="band"`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	for _, not := range []string{"best so far", "new best", "Best value against"} {
		if strings.Contains(html, not) || !strings.Contains(without, not) {
			t.Errorf("%q: with noise %v, without %v", not, strings.Contains(html, not), strings.Contains(without, not))
		}
	}
	if strings.Contains(without, "expected, 80%") || strings.Contains(without, "seen there") {
		t.Error("an estimate without noise")
	}
}

// The fan stays within the chart, whatever it promises, and the page says it in words.
func TestReportHasAFan(t *testing.T) {
	d := spend(t, quick(), train, 16)
	if strings.Contains(written(t, d), "The band ahead") {
		t.Error("a fan without a forecast")
	}
	best, _ := d.Record.Best(study.Minimize)
	for _, better := range []float64{best.Value - 0.1, -1e300, -math.MaxFloat64} {
		end := study.Outlook{Money: 5, Worse: best.Value, Median: best.Value - 0.05, Better: better, Gain: 0.05}
		d.Rest = &study.Rest{Best: best.Value, Left: 5, Outlook: end, Fan: []study.Outlook{{Money: 2, Worse: best.Value, Median: best.Value - 0.01, Better: best.Value - 0.05}, end}}
		html := written(t, d)
		checkPage(t, html)
		for _, want := range []string{"The band ahead: the remaining", `class="ahead"`, `class="band"`} {
			if !strings.Contains(html, want) {
				t.Errorf("better %v: no %q in the page", better, want)
			}
		}
		if _, err := PNGs(t.TempDir(), d); err != nil {
			t.Error(err)
		}
	}
}

func TestReportOfAlmostNothing(t *testing.T) {
	for n := range 3 {
		d := spend(t, quick(), train, n)
		checkPage(t, written(t, d))
		d.Insight = nil
		checkPage(t, written(t, d))
	}
	if err := Write(io.Discard, Data{}); err == nil {
		t.Error("a report of nothing")
	}
	if _, err := PNGs(t.TempDir(), Data{}); err == nil {
		t.Error("pictures of nothing")
	}
}

// made returns a record of trials with given values and costs, and no regard to the budget.
func made(t *testing.T, s *study.Study, n int, why []byte, f func(i int) (value, cost float64)) *study.Record {
	t.Helper()
	sp, err := s.Space()
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(s.Budget.Total, false)
	r.Trials = make([]study.Trial, n)
	for i := range r.Trials {
		x := make([]float64, sp.Dim())
		for j := range x {
			_, x[j] = math.Modf(float64(i+1) * (0.618034 + 0.1*float64(j)))
		}
		value, cost := f(i)
		at := time.Unix(int64(i), 0)
		r.Trials[i] = study.Trial{Number: i + 1, State: study.Done, Setting: sp.Decode(x), Point: sp.Snap(nil, x),
			Value: value, Charged: cost, Asked: at, Started: at, Finished: at, Why: why}
		r.Ledger.Spent = math.Min(r.Ledger.Spent+cost, math.MaxFloat64)
		r.Trials[i].Beyond = r.Ledger.Spent > r.Ledger.Total
	}
	return r
}

func TestReportOfHostileNames(t *testing.T) {
	const evil = `"><script>alert(1)</script><!--' onload=x & </title></svg>`
	s := quick()
	s.Name, s.Objective.Name, s.Cost.Unit, s.Policy.Name = evil, evil, evil, "ei"
	s.Parameters = []space.Param{
		{Name: "p", Kind: space.KindFloat, Min: 0, Max: 1},
		{Name: "choice", Kind: space.KindChoice, Values: []space.Value{space.String(evil), space.String("</td>"), space.String("c")}},
	}
	why, err := json.Marshal(advisor.Why{Policy: evil, Picked: evil, Expected: &study.Expected{Value: 1, ValueSD: 1, Cost: 2, CostMedian: 1}})
	if err != nil {
		t.Fatal(err)
	}
	r := made(t, s, 8, why, func(i int) (float64, float64) { return float64(i % 5), 1 })
	r.Trials[3].State, r.Trials[3].Note = study.Failed, evil
	d := withInsight(t, s, r)
	d.Version = evil
	// A space takes no such name, but a page must not count on that.
	s.Parameters[0].Name, d.Insight.Slices[0].Parameter, d.Insight.Importance[0].Parameter = evil, evil, evil
	for _, trial := range r.Trials {
		trial.Setting[evil] = trial.Setting["p"]
	}
	html := written(t, d)
	checkPage(t, html)
	if strings.Contains(html, "<script>alert") || strings.Contains(html, "onload=x & ") {
		t.Error("hostile text came through")
	}
	if n := strings.Count(html, "</svg>"); n != len(pictures.FindAllString(html, -1)) || n != strings.Count(html, "<svg") {
		t.Error("hostile text ended a picture")
	}
	if _, err := PNGs(t.TempDir(), d); err != nil {
		t.Error(err)
	}
}

func TestReportOfExtremes(t *testing.T) {
	most := math.MaxFloat64
	why, err := json.Marshal(advisor.Why{Policy: "ei", Expected: &study.Expected{Value: -most, ValueSD: most, Cost: most, CostSD: most, CostMedian: 1e-300}})
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(i int) (float64, float64){
		"huge":  func(i int) (float64, float64) { return (float64(i%3) - 1) * 1e308, 1e300 },
		"tiny":  func(i int) (float64, float64) { return float64(i) * 5e-324, 1e-300 },
		"equal": func(int) (float64, float64) { return 7, 1 },
		"far": func(i int) (float64, float64) {
			return math.Pow(10, float64(20*(i%3))), math.Pow(10, float64(40*(i%5)-80))
		},
		"for free": func(i int) (float64, float64) { return float64(i), 0 },
	} {
		s := quick()
		d := withInsight(t, s, made(t, s, 12, why, f))
		t.Run(name, func(t *testing.T) {
			checkPage(t, written(t, d))
			if name != "huge" && name != "far" {
				return // pictures take their time, and these two are the worst
			}
			if _, err := PNGs(t.TempDir(), d); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestReportOfManyTrials(t *testing.T) {
	s := quick()
	s.Budget.Total = 4000
	const n = 5000
	r := made(t, s, n, nil, func(i int) (float64, float64) { return math.Sin(float64(i)), 1 + math.Mod(float64(i), 7)/7 })
	in := &insight.Insight{State: insight.NotEnough, Missing: "nobody asked"}
	for i := range n {
		v := r.Trials[i].Value
		in.Forecasts = append(in.Forecasts, insight.Forecast{Trial: i + 1, State: study.Done, Value: &v, Cost: 1.5,
			Expected: study.Expected{Value: v + 0.1, ValueSD: 0.2, ValueLow: v - 0.05, ValueHigh: v + 0.7, CostLow: 1, CostMedian: 1.3, CostHigh: 2}})
	}
	begin := time.Now()
	html := written(t, Data{Study: s, Record: r, Insight: in})
	took := time.Since(begin)
	if bad := notFinite.FindString(html); bad != "" {
		t.Errorf("%q in the page", bad)
	}
	if want := "trial 1: forecast 0.1 (-0.05 to 0.7), result 0"; !strings.Contains(html, want) {
		t.Errorf("%q is not in the page", want)
	}
	t.Logf("%d trials: %.1f MB in %v", n, float64(len(html))/1e6, took)
	if len(html) > 5e6 || took > 30*time.Second { // two seconds on an idle machine, and tests run beside others
		t.Errorf("%d trials: %.1f MB in %v", n, float64(len(html))/1e6, took)
	}
}

// In a picture, a class without a look is invisible.
func TestForecastsOfAllStatesAreSeen(t *testing.T) {
	for _, state := range say.States {
		if !state.Ended() {
			continue
		}
		_, costs := guesses(study.Cost{}, []insight.Forecast{{Trial: 1, State: state, Cost: 2, Expected: study.Expected{CostLow: 1, CostMedian: 2, CostHigh: 3}}})
		marks := 0
		for _, shape := range forecastChart("cost", "cost", costs, true, false).shapes {
			if !strings.HasPrefix(shape.class, "m ") {
				continue
			}
			marks++
			if _, seen := looks[shape.class]; !seen {
				t.Errorf("%s: class %q has no look", state, shape.class)
			}
		}
		if marks != 1 {
			t.Errorf("%s: %d marks", state, marks)
		}
	}
}

// What a trial costs that is stopped, or fails, says nothing about the forecast of a whole one.
func TestCalibrationIsOfWholeTrials(t *testing.T) {
	var list []guess
	for _, g := range []struct {
		state  study.State
		actual float64
	}{{study.Done, 2}, {study.Done, 5}, {study.StoppedEarly, 0.1}, {study.Cut, 2}, {study.Failed, 0.1}, {study.Abandoned, 0.1}} {
		list = append(list, guess{state: g.state, actual: g.actual, band: band{1, 2, 3}})
	}
	for n, want := range map[int]string{
		2: "1 of 2 trials (50%) within the 80% band",
		6: "1 of 2 trials (50%) within the 80% band; not counted: 4 trials without a value",
	} {
		if got := calibration(list[:n]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, want := calibration(list[2:3]), "no trial is done; not counted: 1 trial without a value"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What the font of the pictures does not have is left out.
func TestLegible(t *testing.T) {
	for text, want := range map[string]string{"↗ rises": "rises", "→ flat": "→ flat", "1280 °C, größer, μ": "1280 °C, größer, μ", "窯": ""} {
		if got := legible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestPNGs(t *testing.T) {
	paths, err := PNGs(t.TempDir(), spend(t, quick(), train, 14))
	if err != nil || len(paths) != 5 {
		t.Fatalf("%q, %v", paths, err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(raw, []byte("\x89PNG")) || len(raw) < 5000 {
			t.Errorf("%s: %d bytes, %v", path, len(raw), err)
		}
	}
	if _, err := PNGs(t.TempDir()+"/nowhere", Data{Study: quick(), Record: study.NewRecord(1, false)}); err == nil {
		t.Error("pictures in a folder that is not there")
	}
}

// A row of the table is a row, whatever its classes are called elsewhere on the page.
func TestRowsStayRows(t *testing.T) {
	d := spend(t, training(), train, 12)
	for _, row := range regexp.MustCompile(`<tr class="([^"]*)"`).FindAllStringSubmatch(written(t, d), -1) {
		for _, class := range strings.Fields(row[1]) {
			if regexp.MustCompile(`(^|[\s,}])\.` + class + `\s*[,{]`).MatchString(style) {
				t.Errorf("the style of .%s is not for rows alone", class)
			}
		}
	}
}

// Slices show what was measured and what is expected. A wild band does not press them into one line: it is cut at the frame.
func TestSlicesAreScaledByWhatIsKnown(t *testing.T) {
	s := quick()
	r := made(t, s, 12, nil, func(i int) (float64, float64) { return 200 * float64(i+1), 1 + float64(i)/20 })
	slice := insight.Slice{Axis: insight.Axis{Parameter: "dropout", Kind: space.KindFloat, At: space.Float(0.3)}}
	for i := range 5 {
		slice.Values = append(slice.Values, space.Float(0.15*float64(i)))
		slice.Points = append(slice.Points, study.Expected{Value: 300 * float64(i+1), ValueLow: -60000, ValueHigh: 60000, CostLow: 0.01, CostMedian: 1.2, CostHigh: 500})
	}
	value, cost := sliceScales(s, r, []insight.Slice{slice})
	if value.lo < 0 || value.hi > 2600 || cost.log || cost.lo < 0.9 || cost.hi > 1.7 {
		t.Errorf("values from %v to %v, costs from %v to %v", value.lo, value.hi, cost.lo, cost.hi)
	}
	for _, shape := range sliceChart(s, s.Parameters[1], slice, nil, value, cost).shapes {
		for i := 1; i < len(shape.points) && shape.class == "band"; i += 2 {
			if y := shape.points[i]; y < 26 || y > 276 || y > 150 && y < 184 {
				t.Fatalf("the band is outside of the frame: %v", shape.points)
			}
		}
	}
	if got := learnt(&insight.Insight{Observed: 3, Looks: 21}, 4); got != "Learnt from 3 full evaluations and 21 looks." {
		t.Error(got)
	}
}

// Nothing of a picture is cut off: labels have the room that they need, and the legend as many lines. What the axis does not reach is counted.
func TestPictureIsWhole(t *testing.T) {
	s := quick()
	r := made(t, s, 20, nil, func(i int) (float64, float64) {
		if i == 9 {
			return 9e9, 1
		}
		return 1234567 - float64(i)/200, 1
	})
	for i, state := range []study.State{study.Failed, study.Cut, study.StoppedEarly, study.Abandoned} {
		r.Trials[i+2].State = state
	}
	r.Trials[7].Beyond = true
	for _, estimate := range []*advisor.Estimate{nil, {Value: 1234566.95, Low: 1234566.9, High: 1234567, Values: []float64{1234566.95}}} {
		c := moneyPicture(s.Name, chartsOf(Data{Study: s, Record: r, Best: &advisor.Best{Trial: r.Trials[19], Estimate: estimate}}))
		var all strings.Builder
		for _, shape := range c.shapes {
			if shape.element != "text" {
				continue
			}
			left, wide := shape.points[0], letter*float64(len(shape.text))
			switch {
			case strings.HasSuffix(shape.class, "end"):
				left -= wide
			case strings.HasSuffix(shape.class, "mid"):
				left -= wide / 2
			}
			if left < 0 || left+wide > c.width || shape.points[1] > c.height || shape.tip != "" {
				t.Errorf("%q is cut off", shape.text)
			}
			all.WriteString(shape.text + "\n")
		}
		for _, want := range []string{"\nabandoned\n", "\nstopped at a limit\n", "\n1 value beyond the axis, drawn at its edge\n"} {
			if !strings.Contains(all.String(), want) {
				t.Errorf("no %q in %q", want, all.String())
			}
		}
	}
}

// A number that was tried has one stroke, and a choice one for each trial. What was not tried to its end has none.
func TestStrokes(t *testing.T) {
	r := study.NewRecord(10, false)
	for i, name := range []string{"a", "a", "b", "c", "a"} {
		trial := study.Trial{Number: i + 1, State: study.Done, Setting: space.Setting{"culture": space.String(name), "heat": space.Int(int64(i / 2))}}
		if name == "c" {
			trial.State = study.Abandoned
		}
		r.Trials = append(r.Trials, trial)
	}
	r.Trials = append(r.Trials, study.Trial{Number: 6, State: study.Pending, Setting: space.Setting{"culture": space.String("c"), "heat": space.Int(9)}})
	for _, c := range []struct {
		p    space.Param
		want []float64
	}{
		{space.Param{Name: "culture", Kind: space.KindChoice, Values: []space.Value{space.String("a"), space.String("b"), space.String("c")}}, []float64{47, 50, 150, 53}},
		{space.Param{Name: "heat", Kind: space.KindInt, Max: 10}, []float64{0, 30, 60}},
	} {
		drawn, x := newCanvas(300, 100, "", ""), newParamScale(c.p, 0, 300)
		drawStrokes(drawn, frame{right: 300, bottom: 100}, x, tried(r, c.p.Name))
		var got []float64
		for _, shape := range drawn.shapes {
			if len(shape.points) == 4 {
				got = append(got, shape.points[0])
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: strokes at %v, want %v", c.p.Name, got, c.want)
		}
	}
}
