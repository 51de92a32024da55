package say

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/eke-bo/eke/study"
)

// Chosen writes who or what chose a trial, and why.
func Chosen(policy, picked string) string {
	switch policy, picked = Clean(policy), Clean(picked); {
	case strings.HasPrefix(picked, "trial "): // a second try of a trial that was lost
		return picked
	case policy == "":
		return "asked for by hand"
	case policy == "queue":
		return picked
	case policy == "earlier":
		return "the best setting of the earlier study"
	case policy == "design":
		if strings.HasPrefix(picked, firstTrial) {
			return picked
		}
		return firstTrial // older logs do not say how it was found
	case picked == "":
		return "chosen by " + policy
	}
	return "chosen by " + policy + ": " + picked
}

// firstTrial is how the reason for a trial of the initial design begins.
const firstTrial = "one of the first trials"

// Reason is why a trial was picked: data, of which String makes the sentence that is kept with the trial.
type Reason struct {
	Kind  Kind
	Note  string // of Wanted: the words of whoever wants it; empty: none
	Rest  string // of Wanted: the policy that chose what whoever wants it has left open; empty: nothing was left open
	Other string // of Unaffordable: the policy that was to choose; of Rare: the value of a choice, as name=value
	Trial int    // of Stopped and Lost: the trial whose setting is tried again; of FirstLooked: the look at its setting; 0: it is from elsewhere
	Try   int    // of Lost and Rare: which try this is,
	Most  int    // of at most this many

	// What else counted.
	Differ    bool    // two results of one setting differ, so that values are taken to have noise
	Gain      float64 // what it is expected to gain over the best setting, where values have noise; 0: nobody knows
	LastTries float64 // there is money for about this many more trials, so that prices count less; 0: for many
	Look      *Look   // why the trial is a look; nil: it is not
	Quick     float64 // trials take this many seconds, so that less was thought; 0: as much as usual
	Between   []int   // the trials on the front of several objectives that it is expected to lie between; empty: it is not known
}

// Kind is the main reason.
type Kind int

const (
	Named        Kind = iota // the study names the policy
	Improves                 // the policy takes the most improvement for the money
	WorthMost                // the policy takes the trial with the best possible gain for its price
	ExtendsMost              // the policy takes the most hypervolume of the front for the money
	Unaffordable             // no trial that another policy would choose is affordable
	Wanted                   // somebody wants the setting to be tried
	InFile                   // the study file wants it
	Stopped                  // a trial of this setting was stopped
	Lost                     // a trial of this setting was abandoned
	Rare                     // the study would end, but a value of a choice was hardly tried
	Plateau                  // the study would end, but all its values lie on a plateau
	FlatLooks                // full evaluations are no better than looks, and all lie on a plateau
	FirstSpread              // the initial design: points that are spread over the space
	FirstCheap               // the initial design: the cheapest of some points far from all that was tried
	FirstLooked              // the initial design: of the points looked at, the one that promises the most for its price
)

// Look is why a trial is a look, at a fidelity that is not the highest.
type Look struct {
	Looks       int     // how many looks come before the evaluation that they help to choose
	Gain        float64 // what all of them are worth, as a multiple of an evaluation at once
	Correlation float64 // of values at this fidelity with values at the highest
	Fidelity    string  // the name of the fidelity

	Of     []string  // the names of several objectives; nil: there is one
	Others []float64 // the correlations of all but the first
}

// clause says what the looks are worth, and how well they predict values at the highest fidelity.
func (l *Look) clause() study.Clause {
	worth, numbers := multiple(l.Gain)
	first, help := "a look first", "it helps"
	if l.Looks > 1 {
		first, help, numbers = "%.0f looks first", "they help", slices.Insert(numbers, 0, float64(l.Looks))
	}
	how := "values at this fidelity and at the highest " + l.Fidelity + " have a correlation of %.2f"
	if len(l.Of) > 0 {
		how = "the correlations of this fidelity with the highest " + l.Fidelity + ": " + strings.Join(l.Of, " %.2f, ") + " %.2f"
	}
	words := first + ", and then the full evaluation that " + help + " to choose, are worth " + worth + " as a full evaluation now (" + how + ")"
	return clause(words, slices.Concat(numbers, []float64{l.Correlation}, l.Others)...)
}

func (r Reason) String() (text string) {
	for _, c := range r.Clauses() {
		text += "; " + Clause(c)
	}
	return text[2:]
}

// Clauses are the main reason, and what else counted.
func (r Reason) Clauses() (list []study.Clause) {
	add := func(words string, numbers ...float64) { list = append(list, clause(words, numbers...)) }
	if add(r.main()); r.Kind == Rare {
		list[0].Numbers = []float64{float64(r.Most), float64(r.Try)}
	}
	if extends := extends(r.Between); extends != "" {
		add(extends)
	}
	if r.Differ {
		add("a setting has two different results, so values are taken to have noise")
	}
	if r.Gain > 0 {
		add("expected to gain %.2v over the best", r.Gain)
	}
	if r.Rest != "" {
		add(cmp.Or(rests[r.Rest], r.Rest+" has chosen the rest"))
	}
	if r.LastTries > 0 {
		n := math.RoundToEven(math.Max(r.LastTries, 1))
		add("with money for about "+counted(n, "more trial")+", prices count less", n)
	}
	if r.Quick > 0 {
		add("trials take %.1v s: it thought less", r.Quick)
	}
	if r.Look != nil {
		list = append(list, r.Look.clause())
	}
	return list
}

// rests are words for what chooses the rest of a setting and is no policy.
var rests = map[string]string{"promise": "the rest is what promises most within the budget", "design": "the initial design has chosen the rest"}

// multiple writes how many times as much something is, with a verb for the number: "2.3 times as much", or "about as much" if it would be written as 1.
func multiple(times float64) (words string, numbers []float64) {
	switch {
	case times < 0.001:
		return "less than a thousandth as much", nil
	case fmt.Sprintf("%.2g", times) == "1":
		return "about as much", nil
	}
	return "%.2g times as much", []float64{times}
}

// main is the main reason, with verbs for the tries of a rare value.
func (r Reason) main() string {
	which := "this one"
	if r.Trial > 0 {
		which = fmt.Sprintf("that of trial %d", r.Trial)
	}
	return [...]string{
		Named:        "the study says so",
		Improves:     "the most improvement for the money",
		WorthMost:    "the best possible gain for its price",
		ExtendsMost:  "the most hypervolume of the front for the money",
		Unaffordable: "no trial that " + r.Other + " would choose is affordable any more",
		Wanted:       cmp.Or(r.Note, "somebody wants it to be tried"),
		InFile:       "the study file wants it to be tried",
		Stopped:      fmt.Sprintf("trial %d was stopped, so its setting is tried again", r.Trial),
		Lost:         fmt.Sprintf("trial %d was abandoned, so its setting is tried again: try %d of at most %d", r.Trial, r.Try, r.Most),
		Rare:         "before the study ends with money left, " + strings.ReplaceAll(r.Other, "%", "%%") + " is tried up to %.0f times, and this is try %.0f",
		FlatLooks:    "a random setting, in full: the full evaluations are hardly better than the first of them, and than the best look at the lowest fidelity",
		Plateau:      "before the study ends with money left, random settings are tried: the best value is hardly better than the first values",
		FirstSpread:  firstTrial + ", spread out to learn from",
		FirstCheap:   firstTrial + ": the cheapest of some settings far from all that were tried",
		FirstLooked:  firstTrial + ": of the settings looked at, " + which + " promises the most for its price",
	}[r.Kind]
}

// EarlyStop is why a running trial is to be stopped early: by the models or, if there are Others, by the median rule.
type EarlyStop struct {
	Fidelity string  // the name of the fidelity
	At       float64 // the step that the trial has reached

	Front  bool    // there are several objectives, and so a front
	Chance float64 // by the models: the chance to beat the best value, or to extend the front,
	Worth  float64 // and what finishing the trial promises for the money, as a multiple of the best other setting

	Best   float64 // by the median rule: the trial's best value,
	Median float64 // and the median that it is worse than
	Others int     // of this many other trials
}

func (e EarlyStop) String() string {
	what := "beat the best value"
	if e.Front {
		what = "extend the front"
	}
	words, numbers := multiple(e.Worth)
	why := fmt.Sprintf("it has a chance of %s to %s, and finishing it promises %s for the money as the best other setting", Percent(e.Chance), what, Clause(clause(words, numbers...)))
	if e.Others > 0 {
		why = fmt.Sprintf("its best value, %s, is worse than %s, the median of %d other trials until there", Number(e.Best), Number(e.Median), e.Others)
	}
	return fmt.Sprintf("%s%s %s: %s", stoppedAt, e.Fidelity, Number(e.At), why)
}

// stoppedAt is how the reason for an early stop begins.
const stoppedAt = "stopped early at "

// StoppedAt is the reason for an early stop with the step at which the trial stopped. The trial may have gone on for a while after the decision.
func StoppedAt(reason, fidelity string, decided, step float64) string {
	if step <= decided || Number(step) == Number(decided) {
		return reason
	}
	at := stoppedAt + fidelity + " "
	return strings.Replace(reason, at+Number(decided)+":", at+Number(step)+", by what it showed at "+Number(decided)+":", 1)
}

// Learnt counts what models learn from: "12 trials" or, where there are looks, "3 full evaluations and 9 looks".
func Learnt(observed, looks int) string {
	if looks == 0 {
		return Count(observed, "trial")
	}
	return Count(observed, "full evaluation") + " and " + Count(looks, "look")
}

// Missing says what models lack to learn from: a parameter that varies, a trial with a value, or enough trials at the highest fidelity.
func Missing(varies, found bool, observed, looks, needed int) string {
	switch {
	case !varies:
		return "no parameter can vary"
	case !found:
		return "no trial has returned a value yet"
	}
	is, noun := "are", "trial"
	if observed == 1 {
		is = "is"
	}
	if looks > 0 {
		noun = "full evaluation"
	}
	return fmt.Sprintf("there %s %s to learn from, and %d are needed", is, Count(observed, noun), needed)
}

// longShot is the chance to beat the best below which a trial is called a long shot. Its expected value looks poor beside the best, and
// readers wonder why it is tried.
const longShot = 0.05

// Spread writes a value with its standard deviation: "0.12 ± 0.031". The value has no digits below those of its spread.
func Spread(value, sd float64) string {
	if !(sd > 0) || !finite(sd) || !finite(value) {
		return Number(value)
	}
	_, power := parts(sd)
	_, top := parts(value)
	text := Number(value)
	if power >= -4 && power < 7 && top >= -4 && top < 7 {
		text = grouped(trimmed(fixed(value, min(3-top, 1-power))))
	}
	return text + " ± " + Digits(sd, 2)
}

// lopsided is the ratio of the two sides of a band above which "±" would mislead.
const lopsided = 1.25

// tooEarly is said of a value before anything is known of the scale of values.
const tooEarly = "not known yet"

// ExpectedValue writes the value that is expected: "0.12 ± 0.031", or "5.3 (80% between 1.2 and 14)" if one side is clearly the longer.
func ExpectedValue(e study.Expected) string {
	if e.Early {
		return tooEarly
	}
	below, above := e.Value-e.ValueLow, e.ValueHigh-e.Value
	if max(below, above) > lopsided*min(below, above) {
		if text, band := Estimate(e.Value, e.ValueLow, e.ValueHigh); band != "" {
			return text + " (" + band + ")"
		}
	}
	return Spread(e.Value, e.ValueSD)
}

// Cost writes what a trial is expected to cost: "about 3.4 core-hours (90% below 5.1)". It is the median: the mean of a cost that
// is hardly known lies far above most outcomes. Neither figure is above the most that the study lets a trial cost.
func Cost(s *study.Study, e study.Expected) string {
	median, high := withinLimit(s, e.CostMedian), withinLimit(s, e.CostHigh)
	text := "about " + Amount(s.Cost, median)
	if high > median {
		text += " (90% below " + Bare(s.Cost, high) + ")"
	}
	if e.Setup > 0 {
		text += ", of which " + Bare(s.Cost, e.Setup)
		if e.SetupSD > 0 {
			text += " ± " + Bare(s.Cost, e.SetupSD)
		}
		text += " for the change"
	}
	return text
}

func withinLimit(s *study.Study, cost float64) float64 {
	if most := s.Budget.PerTrial; most > 0 {
		return math.Min(cost, most)
	}
	return cost
}

// Expected writes all that is expected of a trial: "expected loss 0.12 ± 0.031, 36% likely to beat the best, for about 3.4 core-hours
// (90% below 5.1), >99% likely to fit the budget".
func Expected(s *study.Study, e study.Expected) string {
	text := "expected " + ExpectedObjectives(s, e)
	switch beats := ", " + Percent(e.Beats) + " likely to " + beating(s); {
	case e.Early:
		text += ","
	case e.Beats >= longShot:
		text += beats + ","
	case e.Beats > 0:
		text += beats + " (a long shot),"
	}
	if e.Works != nil {
		text = strings.TrimSuffix(text, ",") + ", " + Percent(*e.Works) + " likely to work"
		if *e.Works < 0.5 && e.FailureCost > 0 {
			text += " (a failure costs about " + Bare(s.Cost, e.FailureCost) + ")"
		}
		text += ","
	}
	if e.Within != nil {
		text = strings.TrimSuffix(text, ",") + ", " + Percent(*e.Within) + " likely to meet the limits,"
	}
	text += " for " + Cost(s, e) + ", " + Percent(e.Fits) + " likely to fit the budget"
	if e.Fits < 0.5 {
		text += ": a gamble"
	}
	return text
}

// farOff is the width of a band of 99%, in widths of the band of 80%. Forecasts follow Student's t distribution with three degrees of freedom: 5.841 / 1.638.
const farOff = 3.566

// FarOff says that a trial's value is beyond what its forecast held 99% likely: "far from the forecast (80% between 0.21 and 0.34)". It is empty if it is not, or if there was no forecast.
func FarOff(s *study.Study, t study.Trial) string {
	e := t.Forecast()
	if e == nil || e.Early || t.State != study.Done {
		return ""
	}
	var parts []string
	y, _ := s.Outcome(t)
	for j, o := range s.Aims() {
		name, f := "", study.Range{Value: e.Value, Low: e.ValueLow, High: e.ValueHigh}
		if j > 0 {
			f = e.Also[o.Name]
		}
		if s.Several() {
			name = Clean(o.Name) + " "
		}
		_, band := Estimate(f.Value, f.Low, f.High)
		if band != "" && (y[j]-f.Value > farOff*(f.High-f.Value) || f.Value-y[j] > farOff*(f.Value-f.Low)) {
			parts = append(parts, name+"far from the forecast ("+band+")")
		}
	}
	return strings.Join(parts, ", ")
}

// Estimate writes a value, "0.21", and the band that holds it with a chance of 80%, "80% between 0.12 and 0.3". Each end has the digits
// that its distance from the value leaves, and the value those of the nearer end. The band is empty if it has no width.
func Estimate(value, low, high float64) (text, band string) {
	half := (high - low) / 2
	if !(half > 0) || !finite(half) || !finite(value) {
		return Number(value), ""
	}
	below, above := value-low, high-value
	if !(below > 0) || !(above > 0) {
		below, above = half, half
	}
	return within(value, min(below, above)), fmt.Sprintf("80%% between %s and %s", within(low, below), within(high, above))
}

// within writes the digits that an uncertainty leaves.
func within(x, uncertainty float64) string {
	_, power := parts(uncertainty)
	if _, top := parts(x); power < -4 || power >= 7 || top >= 7 {
		return Number(x)
	}
	return grouped(trimmed(fixed(x, 1-power)))
}

// Hurts says that a lower fidelity gave the setting of a trial a better value. One setting does not tell whether that was chance: a mean of few samples is often
// too good.
func Hurts(s *study.Study, t study.Trial, below study.Step) string {
	name := Clean(s.Fidelity.Name)
	return fmt.Sprintf("it had a better value with fewer %s: %s at %s, %s at %s; more %s hurt, or it was luck", name, Number(below.Value), Number(below.Step), Number(t.Value), Number(s.FidelityOf(t.Setting)), name)
}

// Flat says that the best value is hardly better than the first results, and what may be behind it.
func Flat(s *study.Study, results int, median float64) string {
	text := fmt.Sprintf("it is hardly better than the first %d results, whose median is %s", results, Number(median))
	if s.Fidelity != nil {
		text += ", and than the best look at the fewest " + Clean(s.Fidelity.Name)
	}
	return text + "; perhaps nothing has worked yet: try another setting with eke enqueue"
}

// Untried says that values of choices, as name=value, were never evaluated, or never in full, and which setting to ask for, if any, to have the first of them
// evaluated; "" if there are none.
func Untried(s *study.Study, names, first []string) string {
	if len(names) == 0 {
		return ""
	}
	was := names[0] + " was"
	if more := len(names) - 1; more > 0 {
		was = names[0] + " and " + Count(more, "other value") + " were"
	}
	text, do := was+" never tried", "try"
	if s.Fidelity != nil {
		text, do = was+" never evaluated in full, and looks can mislead", "evaluate"
	}
	if len(first) > 0 {
		text += "; to " + do + " it: " + Command(append([]string{"eke", "enqueue", s.Name}, first...))
	}
	return Clean(text)
}

// mostSeen is how many values are listed one by one.
const mostSeen = 6

const seenThere = "seen there: "

// Seen writes the values that were observed at a setting: "seen there: -0.31, 0.45", or how many there are and their range.
func Seen(values []float64) string {
	if len(values) > mostSeen {
		low, high := values[0], values[0]
		for _, v := range values {
			low, high = min(low, v), max(high, v)
		}
		return fmt.Sprintf(seenThere+"%s between %s and %s", Count(len(values), "value"), Number(low), Number(high))
	}
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = Number(v)
	}
	return seenThere + strings.Join(list, ", ")
}

// Rest says what the remaining money is expected to buy, as in "the remaining 12 euros are expected to improve loss from 3.2 to
// about 3.1 (80% between 2.9 and 3.2)". Forecasts of earlier versions may be worse than the best value now, where evaluations have noise.
func Rest(s *study.Study, r *study.Rest) string { return "the remaining " + promise(s, r) }

// RestWith says the same of the money that is left together with an amount that would be added.
func RestWith(s *study.Study, added float64, r *study.Rest) string {
	return "with " + Amount(s.Cost, added) + " more, " + promise(s, r)
}

func promise(s *study.Study, r *study.Rest) string {
	n := digitsFor(r.Best, r.Worse, r.Median, r.Better)
	best, median, low, high := Digits(r.Best, n), Digits(r.Median, n), Digits(min(r.Worse, r.Better), n), Digits(max(r.Worse, r.Better), n)
	name := s.Objective.Name
	if r.Of == study.Hypervolume {
		name = "the hypervolume of the front"
	}
	does := fmt.Sprintf("improve %s from %s to about %s", name, best, median)
	if best == median || (r.Median-r.Best)*(r.Better-r.Worse) < 0 {
		does = fmt.Sprintf("leave %s at about %s", name, median)
	}
	switch {
	case low != high:
		does += fmt.Sprintf(" (80%% between %s and %s)", low, high)
	case r.Gain == 0: // often there is not enough for another trial
		does = fmt.Sprintf("buy nothing better than %s %s", name, best)
	}
	left := math.Max(r.Left-r.Reserved, 0)
	money := Amount(s.Cost, left) + " " + Are(s.Cost, left)
	if r.Reserved > 0 {
		money = Amount(s.Cost, left) + ", and the reserved " + Amount(s.Cost, r.Reserved) + ", are"
	}
	return money + " expected to " + does
}

// digitsFor is how many digits tell values apart from the first, to two digits of the largest difference. There are four to
// eight: late in a study gains are small.
func digitsFor(from float64, others ...float64) int {
	const fewest, most = 4, 8
	gap := 0.0
	for _, v := range others {
		gap = math.Max(gap, math.Abs(v-from))
	}
	if gap == 0 || from == 0 || !finite(gap) {
		return fewest
	}
	return min(max(int(math.Ceil(math.Log10(math.Abs(from)/gap)))+2, fewest), most)
}
