package advisor

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// leastGain is the fraction of the spread of the values that the rest of the money has to be expected to gain, if the study does not
// say otherwise.
const leastGain = 1e-3

// lookAgain says how often the rest of the study is simulated: with fewer results before every trial, with more at every second, third or later
// result. A simulation takes about as long as a suggestion.
const lookAgain = 30

// Enough returns an error if the study is to end although there is money for the trial that was chosen. That is so if the whole rest of the
// money is expected to gain less than the study asks for. Like the choice of a trial, it depends on the record alone. Next calls it.
func (a *Advisor) Enough(ctx context.Context, r *study.Record, setting space.Setting, why Why) error {
	if a.study.Stop.Never || why.Policy == "design" || policy.IsBlind(why.Policy) || why.Expected == nil {
		return nil
	}
	if haste, _ := a.haste(r); len(r.Trials)%hurriedEnds[haste] != 0 {
		return nil // a few quick trials more cost less than the simulation
	}
	s, err := a.State(r)
	if err != nil || len(s.X) == 0 || nothingCounts(s) || len(s.X)%(1+len(s.X)/lookAgain) != 0 {
		return err
	}
	if a.study.Several() {
		return a.enoughFront(ctx, r)
	}
	least, values := a.least(s), countingValues(s)
	if a.hasJustBegun(r) || stillImproves(values, least) {
		return nil
	}
	if !a.study.IsLook(setting) && policy.Improvement(a.sign()*why.Expected.Value, why.Expected.ValueSD, values, s.Bound(0).Most)*hasValue(why.Expected) >= least {
		return nil // this trial alone is expected to gain as much
	}
	rest, err := a.Rest(ctx, r, 0)
	if err != nil || rest == nil || rest.Gain >= least {
		return err
	}
	if len(r.Open()) > 0 {
		return fault.Wrap(ErrBudgetPending, fault.BudgetPending, "", "the rest of the budget is expected to gain too little, unless the trials under way change that")
	}
	return a.notWorth(r, rest, least)
}

// hasValue is the chance that a trial works and meets the limits.
func hasValue(e *study.Expected) float64 {
	if e.Works == nil {
		return within(e)
	}
	return *e.Works * within(e)
}

// within is the chance of a trial to meet the limits; 1 where there are none.
func within(e *study.Expected) float64 {
	if e.Within == nil {
		return 1
	}
	return *e.Within
}

// hasJustBegun says whether a study that knows results from elsewhere has tried fewer settings of its own than an initial design has.
// Nobody who brings results and money wants to hear, before the first trial, that no trial is needed; and the models are untested.
func (a *Advisor) hasJustBegun(r *study.Record) bool {
	own := 0
	for _, t := range r.Trials {
		if t.State.Ended() && t.State != study.Abandoned {
			own++
		}
	}
	return (len(r.Known) > 0 || r.Earlier != nil) && own < 2*(a.parameters()+1)
}

// The last sixth of the results (lately) is recent. The study goes on if recent results gained more than surprise times the gain asked for, because a
// model that was just surprised will be surprised again, whatever it says. On the tuning problems of the suite this halves the number of studies that
// end too early, and delays hardly any that has converged.
const lately, surprise = 6, 10

// stillImproves says whether the latest results have improved the best value by much.
func stillImproves(values []float64, least float64) bool {
	before := values[:len(values)-len(values)/lately]
	return slices.Max(values)-slices.Max(before) > surprise*least
}

// least is what the rest of the money has to be expected to gain.
func (a *Advisor) least(s policy.State) float64 {
	if gain := a.study.Stop.Gain; gain > 0 {
		return gain
	}
	return leastGain * a.spread(s)
}

// goOn is how to go on where a study has ended with money left.
func (a *Advisor) goOn() string {
	verb := "run"
	if len(a.study.Command) == 0 { // trials are asked for
		verb = "ask"
	}
	return "see the result: eke best; to go on, write stop: never in the study file, or give eke " + verb + " --stop never"
}

// withMoney returns the hint how, if the money that is left buys another trial as cheap as the cheapest so far. Otherwise only more money helps.
func (a *Advisor) withMoney(r *study.Record, how string) string {
	if a.spent(r) != nil {
		return ""
	}
	return how
}

// spent is the error for less money than the cheapest full trial that was not free has cost; nil if there is enough, or if no price is known.
func (a *Advisor) spent(r *study.Record) error {
	cheapest, free := math.Inf(1), ""
	for _, t := range r.Trials {
		switch {
		case t.Look || !t.IsEvidence():
		case a.hasPrice(t):
			cheapest = math.Min(cheapest, t.Charged)
		case t.State == study.Done:
			free = " that was not free"
		}
	}
	if r.Ledger.Left() >= cheapest || math.IsInf(cheapest, 1) {
		return nil
	}
	left, price := a.apart(r.Ledger, cheapest)
	return fault.New(fault.BudgetSpent, "", "%w: %s left, and the cheapest %s%s cost %s", ErrBudgetSpent, left, map[bool]string{true: "full trial", false: "trial"}[a.study.Fidelity != nil], free, price)
}

// notWorth says why the study ends, and how to go on.
func (a *Advisor) notWorth(r *study.Record, rest *study.Rest, least float64) error {
	far, hint := say.FarWorst(a.study, a.study.Outcomes(a.study.Front(r))), a.goOn()
	if far != "" {
		far, hint = "; "+far, "write a nearer worst in the study file, or none, and run it again; or "+hint
	}
	limit := "the gain that the study asks for"
	switch {
	case a.study.Stop.Gain == 0 && a.study.Several():
		limit = "a thousandth of the hypervolume"
	case a.study.Stop.Gain == 0:
		limit = "a thousandth of the spread of the values"
	}
	mean := "on average"
	if rest.Gain > 2*math.Abs(rest.Better-rest.Best) { // then nine cases of ten make up less than half of it
		mean = "on average, most of it in one case of ten"
	}
	return fault.Wrap(ErrNotWorth, fault.NotWorth,
		a.withMoney(r, hint+"; or ask for a smaller gain, such as stop: {gain: "+say.Digits(least/10, 1)+"}"),
		"the rest is not worth its price: %s, a gain of %s %s, less than %s, which is %s%s",
		say.Rest(a.study, rest),
		say.Digits(rest.Gain, 2), mean, say.Digits(least, 2), limit, far)
}

// Over says why a study hands out no more trials; nil if it does hand them out. It chooses no trial, and fits no models: the given forecast
// decides whether the rest of the money is worth spending. Without a forecast, that is not asked.
func (a *Advisor) Over(r *study.Record, rest *study.Rest, now time.Time) error {
	l := r.Ledger
	switch {
	case r.Closed:
		return fault.Wrap(study.ErrClosed, fault.Closed, "", "somebody ended it")
	case len(r.Open()) > 0:
		return nil
	case l.Total-l.Spent <= crumbs*l.Total:
		return fault.Wrap(ErrBudgetSpent, fault.BudgetSpent, "", "its budget of %s is spent", say.Amount(a.study.Cost, l.Total))
	case a.study.Overdue(r, now):
		return fault.New(fault.Deadline, "to go on, set a later deadline in the study file", "its deadline has passed, %s after the first trial", say.Duration(a.study.Budget.Deadline.Seconds()))
	}
	if err := a.trialsLeft(r); err != nil || rest == nil || a.study.Stop.Never {
		return err
	}
	s, err := a.State(r)
	if err != nil || len(s.Y) < leastSeen || nothingCounts(s) {
		return nil // a record that cannot be read is not over
	}
	if (len(a.rare(r)) > 0 || a.sawOnlyPlateau(r)) && !a.tuning.Paper {
		return nil
	}
	least, several := a.least(s), a.study.Several()
	if several {
		least = a.leastVolume(rest.Best)
	}
	if rest.Gain >= least || a.hasJustBegun(r) || !several && stillImproves(countingValues(s), least) {
		return nil
	}
	if spent := a.spent(r); spent != nil && rest.Gain == 0 {
		return spent
	}
	return a.notWorth(r, rest, least)
}

// Ended is a slower Over: if nothing simpler tells whether the study is over, it tries to choose a trial.
func (a *Advisor) Ended(ctx context.Context, r *study.Record, now time.Time) error {
	if err := a.Over(r, nil, now); err != nil || r.Paused || r.Archived || len(r.Open()) > 0 {
		return err
	}
	if _, err := a.Next(ctx, r); fault.CodeOf(err).Over() {
		return err
	}
	return nil
}

// leastSeen is the number of results that a forecast needs. With fewer, nothing is known of how values differ.
const leastSeen = 3

// fanAmounts is how many amounts a fan has.
const fanAmounts = 20

// Rest forecasts what the rest of the money would buy, with the given amount added. It is nil if there is no money, or nothing to
// forecast from.
func (a *Advisor) Rest(ctx context.Context, r *study.Record, added float64) (*study.Rest, error) {
	s, err := a.State(r)
	if err != nil || len(s.X) < leastSeen || nothingCounts(s) {
		return nil, err
	}
	s.Initial, s.Remaining = s.Initial+added, s.Remaining+added
	if s.Remaining <= crumbs*s.Initial || a.trialsLeft(r) != nil && len(r.Open()) == 0 {
		return nil, nil
	}
	models, err := a.Fit(ctx, r, s)
	if err != nil {
		return nil, err
	}
	return a.restOf(ctx, r, s, models)
}

// nothingCounts says whether no result meets the limits. There is no best value then that money could improve.
func nothingCounts(s policy.State) bool { return s.Misses != nil && !slices.Contains(s.Misses, false) }

// countingValues returns the values of the results that meet the limits.
func countingValues(s policy.State) (list []float64) {
	for i, y := range s.Y {
		if len(s.Misses) == 0 || !s.Misses[i] {
			list = append(list, y)
		}
	}
	return list
}

// restOf is nil if, with one objective, nothing meets the limits by the models, whatever was observed: there is no best value then, either.
func (a *Advisor) restOf(ctx context.Context, r *study.Record, s policy.State, models *policy.Models) (*study.Rest, error) {
	counts := a.study.Several()
	for i := range s.X {
		counts = counts || models.Counts(i)
	}
	if !counts {
		return nil, nil
	}
	amounts := make([]float64, fanAmounts)
	for i := range amounts {
		amounts[i] = s.Remaining * float64(i+1) / fanAmounts
	}
	rest, err := models.Rest(ctx, amounts, a.trialsToCome(r))
	if err != nil {
		return nil, err
	}
	sign, of := a.sign(), ""
	if a.study.Several() {
		sign, of = 1, study.Hypervolume
	}
	own := func(v float64) float64 { return sign * v }
	if best, _ := a.BestBy(models, s, r); best.Estimate != nil && !a.study.Several() {
		// Where evaluations have noise, the best owes something to luck, so less is expected of it than the models say. The forecast begins there.
		shift, most := sign*best.Estimate.Value-rest.Best, math.Inf(1)
		if b := s.Bound(0).Most; b != nil {
			most = *b
		}
		own = func(v float64) float64 { return sign * math.Min(v+shift, most) }
	}
	out := &study.Rest{Best: own(rest.Best), Left: s.Remaining, Reserved: r.Ledger.Reserved, Of: of}
	for _, o := range rest.After {
		out.Fan = append(out.Fan, study.Outlook{Money: o.Money, Worse: own(o.Low), Median: own(o.Median), Better: own(o.High), Gain: o.Gain, Same: o.Same})
	}
	out.Outlook = out.Fan[fanAmounts-1]
	for _, reach := range rest.Reach {
		up, right := a.study.Objectives[reach.First], a.study.Objectives[reach.Second]
		edge := study.Reach{Up: up.Name, Right: right.Name}
		for k, at := range reach.At {
			edge.Points = append(edge.Points, study.ReachPoint{At: signOf(right.Goal) * at, Worse: signOf(up.Goal) * reach.Low[k], Better: signOf(up.Goal) * reach.High[k]})
		}
		out.Reach = append(out.Reach, edge)
	}
	return out, nil
}

// trialsToCome is how many trials may still be started, or 0 if there is no limit. It is never called when none may.
func (a *Advisor) trialsToCome(r *study.Record) int {
	if a.study.Budget.Trials == 0 {
		return 0
	}
	return max(a.study.Budget.Trials-a.begun(r)+len(r.Open()), 1)
}

// spread is how far the values seen lie apart, in this study or in the earlier one: a study that starts near the best of another sees little of them.
func (a *Advisor) spread(s policy.State) float64 {
	values := countingValues(s) // what breaks a limit may be far better than all that counts
	if len(values) < leastSeen {
		values = s.Y
	}
	own := a.spreadOf(values)
	if s.Earlier == nil || len(values) == 0 {
		return own
	}
	var earlier []float64
	for i, y := range s.Earlier.Y {
		if !math.IsNaN(y) && (len(s.Earlier.Misses) == 0 || !s.Earlier.Misses[i]) {
			earlier = append(earlier, y)
		}
	}
	if worst := slices.Min(values); len(earlier) == 0 || worst < slices.Min(earlier) || worst > slices.Max(earlier) {
		return own // the values of the two may have nothing to do with each other
	}
	return math.Max(own, a.spreadOf(earlier))
}

// spreadOf is how far values lie apart: from the best to the worst, but at most ten times as far as from the best to the median of the first ones, which
// were spread over all settings. A few runs that went astray must not make all others look alike.
func (a *Advisor) spreadOf(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	best, worst, first := slices.Max(values), slices.Min(values), median(values[:min(len(values), a.designSize())])
	return 2 * min(best/2-worst/2, 10*(best/2-first/2), math.MaxFloat64/2) // halved, so that nothing overflows
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// Models learn most about the value of a choice that looks best. What they say about the other values comes from a few results, far from the best
// of each value, and they are too sure of it. So before a study ends with money left, each value of a choice gets as many trials as the paper's initial
// design has, where the models expect most. A value that has only failed or broken limits gets no more than enoughBad, and after enoughBad no trial is bought
// that will hardly count.

// option is a value of a choice, and how often it was tried.
type option struct {
	name  string
	value space.Value
	tries int
}

func (o option) isIn(s space.Setting) bool { return s[o.name] == o.value }

func (o option) String() string { return o.name + "=" + o.value.String() }

// enoughTries is how often each value of a choice is tried before the study ends with money left.
func (a *Advisor) enoughTries() int { return 2 * (a.parameters() + 1) }

// enoughBad is how often a value of a choice is tried if every try fails or breaks a limit.
const enoughBad = 2

// isBad says whether a trial failed because of its setting, or broke a limit.
func isBad(t study.Trial) bool {
	return t.State == study.Failed && !t.Machine || t.State == study.Cut || len(t.Violates) > 0
}

// rare returns the values of choices that were not tried often enough, the rarest first.
func (a *Advisor) rare(r *study.Record) (list []option) {
	for _, p := range a.study.Parameters {
		if p.Kind != space.KindChoice {
			continue
		}
		for _, v := range p.Values {
			o, bad := option{name: p.Name, value: v}, 0
			for _, t := range r.Trials {
				if t.State.Ended() && t.State != study.Abandoned && t.IsEvidence() && o.isIn(t.Setting) {
					o.tries++
					if isBad(t) {
						bad++
					}
				}
			}
			for _, k := range r.Known {
				if !k.Forgotten && !k.Outside && o.isIn(k.Setting) {
					o.tries++
					if len(k.Violates) > 0 {
						bad++
					}
				}
			}
			if o.tries < a.enoughTries() && (o.tries < enoughBad || bad < o.tries) {
				list = append(list, o)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b option) int { return a.tries - b.tries })
	return list
}

// leastToCount is how likely a trial has to be to count, once its value of a choice was tried enoughBad times. Less likely trials were seen to take a fifth
// of the money of a study.
const leastToCount = 0.5

// mayCount is the chance that a trial works, meets the limits and fits the budget.
func mayCount(e *study.Expected) float64 { return e.Fits * hasValue(e) }

// A study may have seen nothing but a plateau: every chip so far burns, every network guesses. Then the models are sure that the plateau goes on where
// nothing was tried, mostly where trials are dear. So the study tries random settings before it ends with more than half of its money. With a fidelity it does so
// at once: looks stay where they are cheap, and a study would spend all its money there.

// flat is the least difference between the best value and the median of the first values, as a fraction of that median. Below it, a study has
// seen nothing but a plateau. On the plateaus of the benchmark cooling-program the difference is 0.0004 at most.
const flat = 1e-3

// sawOnlyPlateau says whether the study may have seen nothing but a plateau, with half of the money left.
func (a *Advisor) sawOnlyPlateau(r *study.Record) bool {
	best, ok := r.Best(a.study.Objective.Goal)
	if !ok || r.Ledger.Spent+r.Ledger.Reserved > r.Ledger.Total/2 {
		return false
	}
	_, _, ok = onlyPlateau(a.study, r, best.Value)
	return ok
}

// beforeTheEnd chooses a trial that is to come before the study ends with money left. The trial has a value of a choice that was hardly tried
// or, if all values lie on a plateau, a random setting. If there is no such trial, the study ends.
func (a *Advisor) beforeTheEnd(ctx context.Context, r *study.Record, end error) (study.Asked, error) {
	if a.tuning.Paper || !errors.Is(end, ErrNotWorth) || errors.Is(end, policy.ErrBestPossible) {
		return study.Asked{}, end
	}
	other := *a
	other.thought = nil
	for _, rare := range a.rare(r) {
		if err := ctx.Err(); err != nil { // what a search that was cut short has found says nothing
			return study.Asked{}, err
		}
		other.only = &rare
		asked, why, err := other.choose(ctx, r, Pick{simplePolicy, say.Reason{Kind: say.Rare, Other: rare.String(), Try: rare.tries + 1, Most: a.enoughTries()}})
		if err == nil && (rare.tries < enoughBad || why.Expected == nil || mayCount(why.Expected) >= leastToCount) {
			return asked, nil
		}
	}
	if other.only = nil; a.sawOnlyPlateau(r) {
		if asked, _, err := other.choose(ctx, r, Pick{"random", say.Reason{Kind: say.Plateau}}); err == nil {
			return asked, nil
		}
	}
	return study.Asked{}, end
}

// restrict lets only points with the value of a.only be suggested, if there is one.
func (a *Advisor) restrict(s *policy.State) {
	if a.only == nil {
		return
	}
	feasible := s.Feasible
	s.Feasible = func(x []float64) bool {
		return (feasible == nil || feasible(x)) && a.only.isIn(a.space.Decode(a.join(x, 1)))
	}
}
