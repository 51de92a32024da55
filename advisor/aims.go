package advisor

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/study"
)

// aims are the objectives of a study with several, as a policy sees them: the first is the value, and each of the others a quantity of its own. High values are good.
type aims struct {
	study *study.Study
	rows  [][]float64 // by evaluation, with the study's own sign; NaN: missing
	looks [][]float64 // by look of a state
}

// add notes the outcome of an evaluation, and returns its first objective as a policy sees it.
func (m *aims) add(t study.Trial) (first float64, complete bool) {
	y, complete := m.study.Outcome(t)
	m.rows = append(m.rows, y)
	return signOf(m.study.Objective.Goal) * y[0], complete
}

// addLook notes what the last look of a state reported.
func (m *aims) addLook(s *policy.State, t study.Trial) {
	if !m.study.Several() {
		return
	}
	unknown := slices.Repeat([]float64{math.NaN()}, len(m.study.Objectives))
	for len(m.looks) < len(s.Looks)-1 { // looks that are steps report the first objective alone
		m.looks = append(m.looks, unknown)
	}
	y, _ := m.study.Outcome(t)
	m.looks = append(m.looks, y)
}

// into gives a state the further objectives of its evaluations and looks. Before there is a result, the worst may be unknown: it does not matter yet, as there is no front.
func (m *aims) into(s *policy.State, worst []float64) {
	if !m.study.Several() || worst == nil && len(m.looks) == 0 {
		return
	}
	for len(m.looks) < len(s.Looks) {
		m.looks = append(m.looks, slices.Repeat([]float64{math.NaN()}, len(m.study.Objectives)))
	}
	if worst == nil {
		worst = make([]float64, len(m.study.Objectives))
	}
	s.Worst = signOf(m.study.Objective.Goal) * worst[0]
	for _, o := range m.study.Objectives {
		s.Found = append(s.Found, o.Worst == nil)
	}
	for j, o := range m.study.Objectives[1:] {
		sign := signOf(o.Goal)
		q := policy.Quantity{Name: "objective " + o.Name, Least: sign * worst[j+1]}
		for _, y := range m.rows {
			q.Y = append(q.Y, sign*y[j+1])
		}
		for _, y := range m.looks {
			q.Looks = append(q.Looks, sign*y[j+1])
		}
		s.Aims = append(s.Aims, q)
	}
	if s.Levels != nil && slices.ContainsFunc(s.Aims, func(q policy.Quantity) bool { return !slices.ContainsFunc(slices.Concat(q.Y, q.Looks), isNumber) }) {
		s.Aims = nil // nothing is known of an objective yet
	}
}

func isNumber(x float64) bool { return !math.IsNaN(x) }

// signOf turns values with a goal into values that are maximised, and back.
func signOf(g study.Goal) float64 {
	if g == study.Minimize {
		return -1
	}
	return 1
}

// hasSome says whether a trial that is not done reported some of several objectives, but not all. Whole outcomes would be on the front.
func (m *aims) hasSome(t study.Trial) bool {
	y, _ := m.study.Outcome(t)
	return m.study.Several() && slices.ContainsFunc(y, math.IsNaN) && slices.ContainsFunc(y, func(x float64) bool { return !math.IsNaN(x) })
}

// someOf returns the first objective of a trial that is not done, as a policy sees it, if the trial reported it.
func (m *aims) someOf(t study.Trial) (first float64, ok bool) {
	y, _ := m.study.Outcome(t)
	return signOf(m.study.Objective.Goal) * y[0], m.study.Several() && !math.IsNaN(y[0])
}

// anyWhole says whether a result has all objectives. Before one has, there is no front, and nothing to compare with.
func (a *Advisor) anyWhole(r *study.Record) bool {
	if !a.study.Several() {
		return true
	}
	for t := range r.EachMeasured() {
		if _, complete := a.study.Outcome(t); complete {
			return true
		}
	}
	return false
}

// Front is the front of a study with several objectives.
type Front struct {
	Trials      []study.Trial // Trials are the results on the front, ordered by the first objective, the best first.
	Outcomes    [][]float64   // Outcomes are their objectives, by which they are on the front: what was seen or, with noise, what the models expect of their settings.
	Seen        [][][]float64 // Seen are, with noise, all outcomes that were seen at the setting of each, the oldest first.
	Beyond      []study.Trial // Beyond are results that would be on the front, if they were better than the worst that the study file gives.
	Passed      [][]float64   // Passed are the objectives of those.
	Worst       []float64     // Worst is the worst that counts, by objective; nil before there is a result.
	From        int           // From is how many results the worst was found from; 0 if the study file gives all of it.
	Hypervolume float64       // Hypervolume is the volume between the front and the worst.
	Expected    bool          // Expected says that evaluations have noise, so that it is the front of what the models expect.
	Otherwise   []Otherwise   // Otherwise are, where limited quantities have noise, the results that the models judge otherwise than what was seen.

	by []study.Trial // with noise, the result that dominates all that was seen at the setting of each; without a state: there is none
}

// Notes says which results a worst leaves out of the front, and which results are on it only by the models' means; "" if there are none.
func (f Front) Notes(s *study.Study) string {
	var notes, beaten []string
	if text := say.BeyondWorst(s, f.Beyond, f.Passed); text != "" {
		notes = append(notes, text)
	}
	if text := say.BeyondFound(s, f.Trials, f.Outcomes, f.Worst); text != "" && f.From > 0 {
		notes = append(notes, text)
	}
	for i, by := range f.by {
		if by.State == study.Done {
			beaten = append(beaten, f.Trials[i].Title()+" by "+by.Title())
		}
	}
	if len(beaten) > 0 {
		notes = append(notes, "on the front by the models' means, though what was seen is dominated: "+say.Some(beaten))
	}
	for _, o := range f.Otherwise {
		if f.Has(o.Trial) {
			notes = append(notes, o.Title()+": "+o.Words())
		}
	}
	return strings.Join(notes, "; ")
}

// Has says whether a trial is on the front.
func (f Front) Has(t study.Trial) bool { return f.Place(t) >= 0 }

// Place is the place of a trial on the front; -1 if it is not there.
func (f Front) Place(t study.Trial) int {
	return slices.IndexFunc(f.Trials, func(o study.Trial) bool {
		return o.Number == t.Number && o.Known == t.Known && slices.Equal(o.Point, t.Point)
	})
}

// Drawn returns the results that a chart of the front shows, and where: those on the front, even if they were seen beyond a limit that they meet by the models, and all others
// that count.
func (f Front) Drawn(s *study.Study, r *study.Record) (results []study.Trial, outcomes [][]float64) {
	for t := range r.EachMeasured() {
		place := f.Place(t)
		if y, complete := s.Outcome(t); place >= 0 {
			results, outcomes = append(results, t), append(outcomes, f.Outcomes[place])
		} else if complete && t.Counts() {
			results, outcomes = append(results, t), append(outcomes, y)
		}
	}
	return results, outcomes
}

// Words writes the objectives of a result on the front: "loss 0.12, size 3", or "expected loss 0.12, size 3".
func (f Front) Words(s *study.Study, place int) string {
	text := say.Objectives(s, f.Outcomes[place])
	if f.Expected {
		return "expected " + text
	}
	return text
}

// SeenFront is the front of what was seen, without its hypervolume.
func SeenFront(s *study.Study, r *study.Record) (f Front) {
	f.Worst, f.From = s.Worst(r)
	f.Trials, f.Beyond = s.Front(r), s.BeyondWorst(r)
	f.Outcomes, f.Passed = s.Outcomes(f.Trials), s.Outcomes(f.Beyond)
	return f
}

// Front returns the front. If evaluations have noise, it is the front of the models' means. All views of a front take it from here.
func (a *Advisor) Front(ctx context.Context, r *study.Record) (f Front, err error) {
	f = SeenFront(a.study, r)
	if len(f.Trials)+len(f.Beyond) == 0 {
		return f, nil
	}
	state, err := a.State(r)
	if err != nil || len(state.X) == 0 || !a.hasNoise(r) {
		f.Hypervolume = a.volume(f.Trials, f.Worst)
		return f, err
	}
	models, err := a.Fit(ctx, r, state)
	if err != nil {
		return f, err
	}
	seen := f
	f = Front{Worst: f.Worst, From: f.From, Hypervolume: models.Hypervolume(), Expected: true}
	means, on := models.Outcomes(), models.Front(state.Floor())
	places := models.Front(slices.Repeat([]float64{math.Inf(-1)}, len(a.study.Objectives)))
	slices.SortStableFunc(places, func(i, k int) int { return cmp.Compare(means[k][0], means[i][0]) })
	for _, i := range places {
		var tried []study.Trial
		for t := range r.EachMeasured() { // the models have judged whether it meets the limits
			if slices.Equal(a.place(t.Point), state.X[i]) {
				tried = append(tried, t)
			}
		}
		outcome := make([]float64, len(means[i]))
		for j, v := range means[i] {
			outcome[j] = signOf(a.study.Objectives[j].Goal)*state.Bound(j).Clip(v) + 0 // no −0
		}
		switch {
		case len(tried) == 0:
		case slices.Contains(on, i):
			f.Trials, f.Outcomes, f.Seen = append(f.Trials, tried[0]), append(f.Outcomes, outcome), append(f.Seen, a.study.Outcomes(tried))
			f.by = append(f.by, a.dominates(seen, tried))
		default:
			f.Beyond, f.Passed = append(f.Beyond, tried[0]), append(f.Passed, outcome)
		}
	}
	f.Otherwise = a.otherwise(models, state, r)
	return f, nil
}

// dominates returns the result on the seen front that dominates the last of some trials of one setting, provided that every one of them is dominated by such a result.
func (a *Advisor) dominates(seen Front, tried []study.Trial) (by study.Trial) {
	for _, y := range a.study.Outcomes(tried) {
		k := slices.IndexFunc(seen.Outcomes, func(other []float64) bool { return a.study.Better(other, y) })
		if k < 0 {
			return study.Trial{}
		}
		by = seen.Trials[k]
	}
	return by
}

// volume is the hypervolume of results.
func (a *Advisor) volume(trials []study.Trial, worst []float64) float64 {
	if worst == nil {
		return 0
	}
	signed := func(list []float64) []float64 {
		out := make([]float64, len(list))
		for j, v := range list {
			out[j] = signOf(a.study.Objectives[j].Goal) * v
		}
		return out
	}
	var points [][]float64
	for _, t := range trials {
		if y, complete := a.study.Outcome(t); complete {
			points = append(points, signed(y))
		}
	}
	return policy.Hypervolume(points, signed(worst))
}

// enoughFront is Enough for several objectives: the rest of the money has to be expected to gain enough hypervolume.
func (a *Advisor) enoughFront(ctx context.Context, r *study.Record) error {
	results := r.Results()
	worst, _ := a.study.Worst(r)
	now := a.volume(results, worst)
	least := a.leastVolume(now)
	if now == 0 || least == 0 || a.hasJustBegun(r) || now-a.volume(results[:len(results)-len(results)/lately], worst) > surprise*least {
		return nil
	}
	rest, err := a.Rest(ctx, r, 0)
	if err != nil || rest == nil || !(rest.Gain < least) {
		return err
	}
	if len(r.Open()) > 0 {
		return fault.Wrap(ErrBudgetPending, fault.BudgetPending, "", "the rest of the budget is expected to gain too little, unless the trials under way change that")
	}
	return a.notWorth(r, rest, least)
}

// leastVolume is what the rest of the money has to be expected to gain, of a hypervolume. It is nothing if the hypervolume is beyond all numbers: then gains cannot be
// told.
func (a *Advisor) leastVolume(now float64) float64 {
	if !(now < math.MaxFloat64) {
		return 0
	}
	if gain := a.study.Stop.Gain; gain > 0 {
		return gain
	}
	return leastGain * now
}

// between returns the trials on the front that a trial is expected to lie between, by number. Known results have none.
func (a *Advisor) between(r *study.Record, s policy.State, places []int) (numbers []int) {
	for _, i := range places {
		for _, t := range r.Trials {
			if t.State == study.Done && !t.Look && t.IsEvidence() && slices.Equal(a.place(t.Point), s.X[i]) {
				numbers = append(numbers, t.Number)
				break
			}
		}
	}
	return numbers
}

// also puts the forecasts of the further objectives into the study's own words.
func (a *Advisor) also(list []policy.Range) (out map[string]study.Range) {
	for k, f := range list {
		if k+1 >= len(a.study.Objectives) {
			break
		}
		o := a.study.Objectives[k+1]
		sign := signOf(o.Goal)
		if out == nil {
			out = map[string]study.Range{}
		}
		out[o.Name] = study.Range{Value: sign * f.Mean, SD: f.SD, Low: math.Min(sign*f.Low, sign*f.High), High: math.Max(sign*f.Low, sign*f.High)}
	}
	return out
}
