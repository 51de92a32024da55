package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// Aim is one of several objectives.
type Aim struct {
	Objective

	// Worst is the worst that counts: a trial that is no better is not on the front. Nil says that it is found from the first results; it is then only where the hypervolume ends.
	Worst *float64 `json:"worst,omitempty" doc:"The worst that counts. Left out: it is found from the first results."`
}

// How many objectives a study with several may have.
const (
	leastAims = 2
	mostAims  = 3
)

// severalPolicies are the policies that know of several objectives.
var severalPolicies = []string{defaultPolicy, "log-ei-puc", "random"}

// medianHint says what to do about the median rule, which knows one objective: a trial below the median of it may be on the front all the same.
const medianHint = "leave it out, or write never; the median rule goes by one objective"

const aimsHint = "write objectives: {accuracy: {goal: maximize}, latency_ms: {goal: minimize, worst: 200}}"

// Several reports whether the study has several objectives.
func (s *Study) Several() bool { return len(s.Objectives) > 0 }

// Aims are the objectives of the study, one or several.
func (s *Study) Aims() []Aim {
	if s.Several() {
		return s.Objectives
	}
	return []Aim{{Objective: s.Objective}}
}

// AsksFor returns the names of further numbers that the study asks of a trial: of its limits, and of all objectives but the first.
func (s *Study) AsksFor() []string {
	names := s.Limits.Names()
	for _, o := range s.Objectives[min(1, len(s.Objectives)):] {
		names = append(names, o.Name)
	}
	return names
}

// Outcome returns the objectives of a trial that is done, NaN for each that is missing, and whether none is. The first is the trial's value, and the others are among its
// metrics. A trial that ended without one of them has failed, and has the first among its metrics as well.
func (s *Study) Outcome(t Trial) (list []float64, complete bool) {
	for i, o := range s.Aims() {
		x, known := t.Metrics[o.Name]
		if i == 0 && t.State == Done {
			x, known = t.Value, true
		}
		if !known {
			x = math.NaN()
		}
		list = append(list, x)
	}
	return list, t.State == Done && !slices.ContainsFunc(list, math.IsNaN)
}

// Outcomes returns the objectives of trials that are done.
func (s *Study) Outcomes(trials []Trial) [][]float64 {
	list := make([][]float64, len(trials))
	for i, t := range trials {
		list[i], _ = s.Outcome(t)
	}
	return list
}

// Missing returns the names of the objectives that metrics beside a value do not have.
func (s *Study) Missing(m Metrics) (names []string) {
	for _, o := range s.Objectives[min(1, len(s.Objectives)):] {
		if _, known := m[o.Name]; !known {
			names = append(names, o.Name)
		}
	}
	return names
}

// Whole returns the end of a trial as it counts. A trial that lacks one of several objectives has failed, and what it reported is kept as data. A value beyond
// a bound of its objective is kept, and so is a metric that was probably meant to be another; the note says so.
func (s *Study) Whole(f Finished) Finished {
	if beyond := s.PassedBounds(f.State, f.Value, f.Metrics); beyond != "" {
		f.Note = strings.Trim(beyond+"\n"+f.Note, "\n")
	}
	if name, meant := s.misnamed(f.Metrics, nil); meant != "" && f.State == Done {
		f.Note = strings.Trim("it reported "+name+", and no "+meant+"; was "+meant+" meant?\n"+f.Note, "\n")
	}
	missing := s.Missing(f.Metrics)
	if f.State != Done || len(missing) == 0 {
		return f
	}
	f.Metrics = f.Metrics.with(Metrics{s.Objective.Name: f.Value})
	f.State, f.Value = Failed, 0
	f.Note = strings.Trim(lacks(missing)+"\n"+f.Note, "\n")
	return f
}

// Kept returns the end of a trial as its program left it. The numbers of a trial that has failed are kept only if one of several objectives is among them.
func (s *Study) Kept(f Finished) Finished {
	missing := s.Missing(f.Metrics)
	if _, known := f.Metrics[s.Objective.Name]; !known {
		missing = slices.Insert(missing, 0, s.Objective.Name)
	}
	switch {
	case f.State != Failed || len(f.Metrics) == 0:
	case !s.Several() || len(missing) == len(s.Objectives):
		f.Metrics = nil
	case len(missing) > 0:
		f.Note = strings.Trim(lacks(missing)+"\n"+f.Note, "\n")
	}
	return f
}

// lacks says which objectives a trial did not report.
func lacks(missing []string) string {
	return lacksBegins + strings.Join(missing, " and no ") + lacksEnds
}

const lacksBegins, lacksEnds = "it reported no ", "; what it reported is kept"

// withoutLacks returns a note without what lacks says.
func withoutLacks(note string) string {
	isLacks := func(line string) bool {
		return strings.HasPrefix(line, lacksBegins) && strings.HasSuffix(line, lacksEnds)
	}
	return strings.Join(slices.DeleteFunc(strings.Split(note, "\n"), isLacks), "\n")
}

// Better reports whether an outcome is at least as good as another in all objectives, and better in one.
func (s *Study) Better(a, b []float64) (better bool) {
	for j, o := range s.Objectives {
		if o.Goal.Better(b[j], a[j]) || math.IsNaN(a[j]) {
			return false
		}
		better = better || o.Goal.Better(a[j], b[j])
	}
	return better
}

// Worst returns the worst that counts of each objective, and how many results it was found from; 0 if the study file says it all. What the file leaves out is the worst
// of the first results, with a tenth of their range beyond it. It is settled once there are as many results as an initial design has. Before the first result it is nil.
func (s *Study) Worst(r *Record) (worst []float64, from int) {
	all := slices.ContainsFunc(s.Objectives, func(o Aim) bool { return o.Worst == nil })
	var first [][]float64
	if all {
		first = s.firstOutcomes(r)
		if from = len(first); from == 0 {
			return nil, 0
		}
	}
	for j, o := range s.Objectives {
		if o.Worst != nil {
			worst = append(worst, *o.Worst)
			continue
		}
		low, high := first[0][j], first[0][j]
		for _, y := range first {
			if o.Goal.Better(low, y[j]) {
				low = y[j]
			}
			if o.Goal.Better(y[j], high) {
				high = y[j]
			}
		}
		beyond := math.Abs(high-low) / 10
		if beyond == 0 {
			beyond = math.Max(math.Abs(low)/10, 1e-9)
		}
		if o.Goal == Maximize {
			beyond = -beyond
		}
		worst = append(worst, math.Min(math.Max(low+beyond, -math.MaxFloat64), math.MaxFloat64))
	}
	return worst, from
}

// firstOutcomes are the outcomes of the results that came first, as many as an initial design has. Looks are among them: they are the design where there is a fidelity, and the
// first results at its top may all be in one corner.
func (s *Study) firstOutcomes(r *Record) (list [][]float64) {
	counts := func(t Trial) bool {
		t.Look = false
		return t.HasCounted()
	}
	results := slices.SortedStableFunc(r.each(counts), Trial.CompareEnds)
	varying := 0
	for _, p := range s.Parameters {
		if p.Kind != space.KindFixed {
			varying++
		}
	}
	for _, t := range results {
		if y, complete := s.Outcome(t); complete && len(list) < 2*(varying+1) {
			list = append(list, y)
		}
	}
	return list
}

// Front returns the results on the front: they count, are better than the worst that the study file gives, and no other is better than they are. A worst that was
// found from the first results leaves nothing out: it is for the hypervolume alone. They are ordered by the first objective, the best first. Of equal outcomes it has the first.
func (s *Study) Front(r *Record) (list []Trial) {
	list, _ = s.unbeaten(r)
	return list
}

// BeyondWorst returns the results that count and that no other is better than, but that are not on the front, since they are no better than
// the worst that the study file gives.
func (s *Study) BeyondWorst(r *Record) (list []Trial) {
	_, list = s.unbeaten(r)
	return list
}

// unbeaten returns the results that no other is better than: those on the front, and those beyond the worst that the study file gives, which beat nothing on the front.
func (s *Study) unbeaten(r *Record) (front, beyond []Trial) {
	var results []Trial
	var outcomes [][]float64
	for t := range r.EachResult() {
		if y, complete := s.Outcome(t); complete {
			results, outcomes = append(results, t), append(outcomes, y)
		}
	}
	for i, y := range outcomes {
		beaten := false
		for k, other := range outcomes {
			beaten = beaten || s.Better(other, y) || k < i && slices.Equal(other, y)
		}
		switch {
		case beaten:
		case len(s.NoBetter(y)) > 0:
			beyond = append(beyond, results[i])
		default:
			front = append(front, results[i])
		}
	}
	for _, list := range [][]Trial{front, beyond} {
		slices.SortStableFunc(list, func(a, b Trial) int {
			switch {
			case s.Objective.Goal.Better(a.Value, b.Value):
				return -1
			case s.Objective.Goal.Better(b.Value, a.Value):
				return 1
			}
			return 0
		})
	}
	return front, beyond
}

// NoBetter returns the objectives in which an outcome is no better than the worst that the study file gives.
func (s *Study) NoBetter(y []float64) (list []Aim) {
	for j, o := range s.Objectives {
		if o.Worst != nil && !o.Goal.Better(y[j], *o.Worst) {
			list = append(list, o)
		}
	}
	return list
}

// Preference says which result on a front is wanted.
type Preference struct {
	Weights map[string]float64 // Weights say how much each objective matters. What is left out does not matter.
	Within  []Within           // Within are limits that the result must meet.
}

// Within is a limit on an objective: at most Value, or at least if Least is true.
type Within struct {
	Objective string  // Objective is its name.
	Least     bool    // Least says that Value is the lowest that is allowed, rather than the highest.
	Value     float64 // Value is the limit.
}

// String writes the limit as "latency_ms <= 50".
func (w Within) String() string {
	return w.Objective + map[bool]string{true: " >= ", false: " <= "}[w.Least] + strconv.FormatFloat(w.Value, 'g', -1, 64)
}

func (w Within) meets(v float64) bool { return v == w.Value || (v > w.Value) == w.Least }

// Prefer returns the place of the preferred outcome on a front: of the outcomes within the limits, the one with the highest weighted sum of
// its objectives. Each objective counts from 0 for the worst on the front to 1 for the best. If no outcome is within the limits, ok is false.
func (s *Study) Prefer(outcomes [][]float64, p Preference) (best int, ok bool) {
	low, high := slices.Repeat([]float64{math.Inf(1)}, len(s.Objectives)), slices.Repeat([]float64{math.Inf(-1)}, len(s.Objectives))
	for _, y := range outcomes {
		for j, v := range y {
			low[j], high[j] = math.Min(low[j], v), math.Max(high[j], v)
		}
	}
	highest := math.Inf(-1)
	for i, y := range outcomes {
		sum, within := 0.0, true
		for j, o := range s.Objectives {
			part := 1.0
			if high[j] > low[j] {
				part = (y[j] - low[j]) / (high[j] - low[j])
				if o.Goal == Minimize {
					part = 1 - part
				}
			}
			sum += p.Weights[o.Name] * part
			for _, w := range p.Within {
				within = within && (w.Objective != o.Name || w.meets(y[j]))
			}
		}
		if within && sum > highest {
			best, ok, highest = i, true, sum
		}
	}
	return best, ok
}

// ParsePreference reads how much each objective matters, such as accuracy=0.8,latency_ms=0.2, and limits, such as latency_ms<=50. Where there are only limits, the
// objectives without one matter, all the same.
func (s *Study) ParsePreference(text string) (p Preference, err error) {
	names := make([]string, len(s.Objectives))
	for i, o := range s.Objectives {
		names[i] = o.Name
	}
	hint := "write it like " + s.ExampleWeights() + ", or like " + s.exampleWithin()
	sum, weighed, limited := 0.0, false, map[string]bool{}
	p.Weights = map[string]float64{}
	for part := range strings.SplitSeq(text, ",") {
		name, number, ok := strings.Cut(part, "=")
		bound := strings.HasSuffix(name, "<") || strings.HasSuffix(name, ">")
		w := Within{Objective: strings.TrimSpace(strings.TrimRight(name, "<>")), Least: strings.HasSuffix(name, ">")}
		w.Value, err = strconv.ParseFloat(strings.TrimSpace(number), 64)
		_, twice := p.Weights[w.Objective]
		switch finite := ok && err == nil && !math.IsNaN(w.Value) && !math.IsInf(w.Value, 0); {
		case bound && !finite:
			return p, fault.New(fault.BadRequest, hint, "%s is not the name of an objective and its limit, which is a number", quoteShort(part))
		case !bound && (!finite || w.Value < 0):
			return p, fault.New(fault.BadRequest, hint, "%s is not the name of an objective and its weight, which is 0 or more", quoteShort(part))
		case !slices.Contains(names, w.Objective):
			return p, fault.New(fault.BadRequest, "name one of "+strings.Join(names, ", "), "%s is no objective of the study", quoteShort(w.Objective))
		case bound:
			p.Within, limited[w.Objective] = append(p.Within, w), true
			continue
		case twice:
			return p, fault.New(fault.BadRequest, hint, "%s is there twice", w.Objective)
		}
		p.Weights[w.Objective], sum, weighed = w.Value, sum+w.Value, true
	}
	if weighed && sum == 0 {
		return p, fault.New(fault.BadRequest, hint, "no objective matters: all weights are 0")
	}
	for _, name := range names {
		if !weighed && (!limited[name] || len(limited) == len(names)) {
			p.Weights[name] = 1
		}
	}
	return p, nil
}

// exampleWithin shows how a limit is written.
func (s *Study) exampleWithin() string {
	o := s.Objectives[len(s.Objectives)-1]
	return fmt.Sprintf("'%s%s50'", o.Name, map[bool]string{true: ">=", false: "<="}[o.Goal == Maximize])
}

// ExampleWeights shows how weights are written.
func (s *Study) ExampleWeights() string {
	parts := make([]string, len(s.Objectives))
	for i, o := range s.Objectives {
		parts[i] = fmt.Sprintf("%s=%s", o.Name, []string{"0.6", "0.4", "0.2"}[i])
	}
	return strings.Join(parts, ",")
}

// readObjectives reads several objectives, in the order of the file.
func (r *reader) readObjectives(n *node) (list []Aim) {
	if !r.expect(n, isMapping, "objectives", "a mapping", aimsHint) {
		return nil
	}
	switch count := len(n.entries); {
	case count == 1:
		e := n.entries[0]
		r.fail(n.at, "objectives", "write objective: {name: "+quoteYAML(e.key)+", goal: minimize}, or give two or three", "there is one objective")
		return nil
	case count < leastAims || count > mostAims:
		r.fail(n.at, "objectives", "give two or three; "+aimsHint, "there are %d objectives", count)
		return nil
	}
	for _, e := range n.entries {
		path := "objectives." + e.key
		hint := fmt.Sprintf("write %s: {goal: minimize}", quoteYAML(e.key))
		f, ok := r.fields(e.value, path, aimKeys, hint)
		if !ok {
			continue
		}
		goal, _ := r.word(f.need("goal", "give "+fault.OneOf(goals)), path+".goal", goals)
		o := Aim{Objective: Objective{Name: e.key, Goal: Goal(goal)}}
		if worst, ok := r.number(f.m["worst"], path+".worst"); ok {
			o.Worst = &worst
		}
		o.Min, o.Max = r.readBounds(f, path)
		if bound, field := o.ideal(); bound != nil && o.Worst != nil && !o.Goal.Better(*bound, *o.Worst) {
			r.fail(f.m["worst"].at, path+".worst", "give a worst that is worse than "+field, "worst is %s, and nothing is better: %s is %s", f.m["worst"].text, field, f.m[field].text)
		}
		list = append(list, o)
	}
	return list
}

// checkObjectives refuses names that a result uses for something else, and what does not go with several objectives.
func (r *reader) checkObjectives(f fields, s *Study) {
	n := f.m["objectives"]
	if n == nil || n.is != isMapping {
		return
	}
	if o := f.m["objective"]; o != nil {
		r.fail(o.keyAt, "objective", "leave out one of them", "objective and objectives are both there")
	}
	for _, e := range n.entries {
		fail := func(hint, problem string) { r.fail(e.value.keyAt, "objectives."+e.key, hint, problem, e.key) }
		switch {
		case slices.ContainsFunc(s.Parameters, func(p space.Param) bool { return p.Name == e.key }):
			fail("give one of them another name", "%s is a parameter as well")
		case e.key == "cost" || e.key == defaultObjective || e.key == "value" || e.key == "step" || e.key == "resumed":
			fail("give it another name", "a result uses %s for something else")
		case !metricName(e.key):
			r.fail(e.value.keyAt, "objectives."+e.key, "give the name that the trial reports it by", "%s is not the name of a number", quoteShort(e.key))
		}
		if _, limited := s.Limits[e.key]; limited {
			r.fail(f.m["limits"].at, "limits."+e.key, fmt.Sprintf("write worst: … in objectives.%s", e.key), "%s is an objective", e.key)
		}
	}
	if n := f.m["fidelity"]; n != nil && s.Fidelity != nil && s.Fidelity.StopEarly == StopByMedian {
		r.fail(n.keyAt, "fidelity.stop_early", medianHint, "median does not go with several objectives")
	}
	if p := f.m["policy"]; p != nil && !slices.Contains(severalPolicies, s.Policy.Name) {
		r.fail(p.at, "policy.name", "give "+fault.OneOf(severalPolicies)+", or one objective", "the policy %s does not know of several objectives", s.Policy.Name)
	}
	if p := f.m["policy"]; p != nil && s.Policy.Preset == PresetPaper {
		r.fail(p.at, "policy.preset", "leave it out, or give one objective", "the preset paper does not know of several objectives")
	}
}

// CheckObjectives returns an error that names the first thing that a study file with several objectives would not have. It is for objectives that were not read from one.
func (s *Study) CheckObjectives() error {
	if !s.Several() {
		return nil
	}
	bad := func(hint, problem string, args ...any) error {
		return fault.New(fault.BadStudy, hint, "objectives: "+problem, args...)
	}
	if n := len(s.Objectives); n < leastAims || n > mostAims {
		return bad("give two or three", "there are %d", n)
	}
	names := map[string]bool{"cost": true, defaultObjective: true, "value": true, "step": true, "resumed": true}
	for _, p := range s.Inputs() {
		names[p.Name] = true
	}
	for _, name := range s.Limits.Names() {
		names[name] = true
	}
	names[setupName] = len(s.Changeover) > 0
	for _, o := range s.Objectives {
		switch {
		case !metricName(o.Name) || names[o.Name]:
			return bad("give each a name of its own, which nothing else has", "one is called %s", quoteShort(o.Name))
		case !slices.Contains(goals, string(o.Goal)):
			return bad("give "+fault.OneOf(goals), "the goal of %s is %s", o.Name, quoteShort(string(o.Goal)))
		case o.Worst != nil && (math.IsNaN(*o.Worst) || math.IsInf(*o.Worst, 0)):
			return bad("give a finite number, or none", "the worst of %s is %v", o.Name, *o.Worst)
		}
		names[o.Name] = true
		if err := o.CheckBounds(); err != nil {
			return err
		}
	}
	switch {
	case s.Fidelity != nil && s.Fidelity.StopEarly == StopByMedian:
		return bad(medianHint, "stop_early: median does not go with several")
	case s.Policy.Name != "" && !slices.Contains(severalPolicies, s.Policy.Name) || s.Policy.Preset == PresetPaper:
		return bad("give "+fault.OneOf(severalPolicies)+", or one objective", "the policy %s does not know of several", s.Policy.Name)
	}
	return nil
}

// formatObjectives writes several objectives as a study file does.
func formatObjectives(list []Aim) string {
	var parts []string
	for _, o := range list {
		text := fmt.Sprintf("%s: {goal: %s", quoteYAML(o.Name), o.Goal)
		if o.Worst != nil {
			text += ", worst: " + strconv.FormatFloat(*o.Worst, 'g', -1, 64)
		}
		parts = append(parts, text+o.formatBounds()+"}")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
