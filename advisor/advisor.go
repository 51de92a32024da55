package advisor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Advisor suggests the trials of one study. Between calls it keeps only models, which it could fit again. So any process may ask:
// the same record gives the same trial.
type Advisor struct {
	study   *study.Study
	space   *space.Space
	tuning  Tuning
	earlier *earlier
	repeats *repeats
	fees    *feesCache
	at      *string     // the place of the next trial; nil: the place of the last trial
	forget  *time.Timer // empties the memories
	ladder  *ladder     // nil without a fidelity
	only    *option     // that a trial is to be chosen with; nil: any
	thought *Thought    // nil: nothing is kept for another attempt

	before *policy.Memory // has the models of a few results ago; see pricer
}

// New returns the advisor of a study.
func New(s *study.Study, options ...Option) (*Advisor, error) {
	sp, err := s.Space()
	if err != nil {
		return nil, err
	}
	ladder, err := newLadder(s, sp)
	if err != nil {
		return nil, err
	}
	if sp.Dim() == 0 || ladder != nil && sp.Dim() == 1 {
		return nil, fault.New(fault.BadStudy, "give at least one parameter a range or several values", "nothing can vary: every parameter has a single value")
	}
	a := &Advisor{study: s, space: sp, tuning: Tuning{Settings: settings(s)}, earlier: &earlier{}, repeats: &repeats{}, fees: &feesCache{}, ladder: ladder, before: policy.NewMemory()}
	for _, change := range options {
		change(&a.tuning)
	}
	if a.tuning.Memory == nil {
		a.tuning.Memory = policy.NewMemory()
	}
	a.forget = time.AfterFunc(forgetAfter, func() {
		a.tuning.Memory.Forget()
		a.before.Forget()
	})
	a.forget.Stop() // nothing is kept yet
	_, err = a.policy(a.Pick(study.NewRecord(1, false)).Name, a.tuning.Settings)
	return a, err
}

// forgetAfter is how long unused models are kept. A server has many studies, and models of many results are large.
const forgetAfter = time.Minute

// crumbs is the fraction of a budget that buys nothing: what rounding leaves.
const crumbs = 1e-6

// Next returns the next trial for the record, with the money to reserve for it.
func (a *Advisor) Next(ctx context.Context, r *study.Record) (study.Asked, error) {
	asked, err := a.next(ctx, r)
	asked.Look = err == nil && a.study.IsLook(asked.Setting)
	if err == nil {
		a.resume(r, &asked)
	}
	return asked, err
}

func (a *Advisor) next(ctx context.Context, r *study.Record) (study.Asked, error) {
	if l := r.Ledger; l.Total-l.Spent <= crumbs*l.Total {
		return study.Asked{}, ErrBudgetSpent
	}
	if err := a.trialsLeft(r); err != nil {
		return study.Asked{}, err
	}
	if asked, ok, err := a.wanted(ctx, r); ok || err != nil {
		return asked, err
	}
	if asked, ok := a.again(r); ok {
		return asked, nil
	}
	pick := a.Pick(r)
	if a.study.Fidelity != nil && pick.Name == simplePolicy && !a.tuning.Paper && a.sawOnlyPlateau(r) {
		pick = Pick{"random", say.Reason{Kind: say.FlatLooks}}
	}
	asked, why, err := a.choose(ctx, r, pick)
	if errors.Is(err, ErrNotWorth) && !errors.Is(err, policy.ErrNoHope) && !errors.Is(err, policy.ErrBestPossible) && pick.Name != DefaultPolicy && pick.Name != simplePolicy {
		// Not every policy looks at the money that is left. A policy that does may know a cheaper setting.
		asked, why, err = a.choose(ctx, r, Pick{simplePolicy, say.Reason{Kind: say.Unaffordable, Other: pick.Name}})
	}
	if err == nil {
		err = a.Enough(ctx, r, asked.Setting, why)
	}
	if err != nil {
		asked, err = a.beforeTheEnd(ctx, r, err)
	}
	if errors.Is(err, errTooDear) {
		err = cmp.Or(a.spent(r), err)
	}
	return asked, err
}

// choose returns the trial that a policy chooses, and the reasons, which the trial has as JSON.
func (a *Advisor) choose(ctx context.Context, r *study.Record, pick Pick) (study.Asked, Why, error) {
	defer a.forget.Reset(forgetAfter)
	settings := a.tuning.Settings
	if !policy.IsBlind(pick.Name) { // which does not ask whether there is noise
		settings = a.settingsFor(r)
	}
	settings.LongShots = settings.LongShots || a.only != nil
	p, err := a.policy(pick.Name, settings)
	if err != nil {
		return study.Asked{}, Why{}, err
	}
	state, err := a.State(r)
	if err != nil {
		return study.Asked{}, Why{}, err
	}
	a.restrict(&state)
	if policy.IsBlind(pick.Name) {
		state = a.latest(state)
	}
	s, err := a.suggest(ctx, r, pick.Name, p, state)
	if errors.Is(err, policy.ErrNoHope) || errors.Is(err, policy.ErrBestPossible) {
		return study.Asked{}, Why{}, fault.Wrap(errors.Join(ErrNotWorth, err), fault.NotWorth, a.withMoney(r, a.goOn()), "%s: %s, with %s left", ErrNotWorth, say.NoBetter(a.study, errors.Is(err, policy.ErrBestPossible)), say.Left(a.study.Cost, r.Ledger))
	}
	if err != nil {
		return study.Asked{}, Why{}, translate(err)
	}
	s = a.byDifference(r, s)
	reserve, err := a.reserve(r, s)
	if err != nil {
		return study.Asked{}, Why{}, err
	}
	point := a.join(s.X, s.Level)
	setting := a.space.Decode(point)
	asked := study.Asked{Setting: setting, Point: point, Reserved: reserve, Credible: a.credible(r, setting, s.Predicted)}
	if _, quick := a.haste(r); s.Plan != nil {
		pick.reason.Quick = quick
	}
	if s.Policy == "design" {
		pick.reason = a.ofDesign(r, s, pick.reason)
	}
	why := a.reasons(r, s, pick, a.between(r, state, s.Between))
	a.withFee(r, setting, why.Expected)
	if asked.Why, err = json.Marshal(why); err != nil {
		return study.Asked{}, Why{}, err
	}
	if s.Plan != nil {
		asked.Plan, err = json.Marshal(s.Plan)
	}
	return asked, why, err
}

// Thought keeps a suggestion for the next attempt; see Thinking. The zero value is ready for use.
type Thought struct {
	learnt     int64 // by what results, see study.Record.Learnt
	trials     int
	policy     string
	suggestion policy.Suggestion
	known      bool
}

// Thinking returns the advisor for several attempts at the same trial. If between two attempts nothing has changed but reservations, the
// second attempt reuses the suggestion of the first. All records must be of the same log.
func (a *Advisor) Thinking(t *Thought) *Advisor {
	if len(a.study.Changeover) > 0 { // then it matters where trials have begun
		return a
	}
	again := *a
	again.thought = t
	return &again
}

// suggest has a policy suggest a point, unless it has suggested it before.
func (a *Advisor) suggest(ctx context.Context, r *study.Record, name string, p policy.Policy, s policy.State) (policy.Suggestion, error) {
	t := a.thought
	if t != nil && t.known && t.learnt == r.Learnt && t.trials == len(r.Trials) && t.policy == name {
		return t.suggestion, nil
	}
	suggestion, err := p.Suggest(ctx, s)
	if t != nil {
		*t = Thought{r.Learnt, len(r.Trials), name, suggestion, err == nil && ctx.Err() == nil}
	}
	return suggestion, err
}

// Study returns the study's definition.
func (a *Advisor) Study() *study.Study { return a.study }

// Space returns the space of the study's settings.
func (a *Advisor) Space() *space.Space { return a.space }

// Fit fits the models by which the next trial would be chosen.
func (a *Advisor) Fit(ctx context.Context, r *study.Record, s policy.State) (*policy.Models, error) {
	defer a.forget.Reset(forgetAfter)
	return policy.Fit(ctx, s, a.settingsFor(r))
}

// sign turns values of the first objective into values that are maximised, and back. signOf does that for any goal.
func (a *Advisor) sign() float64 {
	if a.study.Objective.Goal == study.Minimize {
		return -1
	}
	return 1
}

// DefaultPolicy weighs what a trial may gain against its price, and halves the price of money when the best value reaches the index. On the
// suite's problems it has the lowest mean regret, docs/RESULTS.md.
const DefaultPolicy = "gittins-d"

// simplePolicy takes the trial that is expected to improve the most for its price. It is the default in three cases: values have noise, which
// the index does not know; there are several fidelities, where looks are compared by improvement for the money; or there are several
// objectives.
const simplePolicy = "log-ei-puc"

// Pick is the policy that was chosen for a study.
type Pick struct {
	Name   string // Name is the policy's name.
	reason say.Reason
}

// Why says why it was chosen.
func (p Pick) Why() string { return p.reason.String() }

// Pick says which policy chooses the next trial. It resolves the policy "auto". The record may be nil.
func (a *Advisor) Pick(r *study.Record) Pick {
	if name := a.study.Policy.Name; name != "auto" && name != "" {
		return Pick{name, say.Reason{Kind: say.Named}}
	}
	if a.study.Several() {
		return Pick{simplePolicy, say.Reason{Kind: say.ExtendsMost}}
	}
	if differ := r != nil && !a.study.Noisy && a.hasNoise(r); differ || a.study.Fidelity != nil || a.study.Noisy {
		return Pick{simplePolicy, say.Reason{Kind: say.Improves, Differ: differ}}
	}
	return Pick{DefaultPolicy, say.Reason{Kind: say.WorthMost}}
}

// Tuning is what experiments with the methods themselves may change. It is not kept with the study: each advisor
// needs it anew.
type Tuning struct {
	// Settings are the settings of the policies, as the study's definition implies them.
	policy.Settings

	// Overrun suggests the policy's choice even if it is expected to cost more than is left, and reserves all that is left.
	// The paper counts this way: a policy may spend its last money on a trial that does not count.
	Overrun bool
}

// Option changes the tuning of an advisor.
type Option func(*Tuning)

// settings returns the settings of the policies that a study's definition implies.
func settings(s *study.Study) policy.Settings {
	settings := policy.Settings{Fantasies: s.Policy.Fantasies, Design: s.Policy.Design, Parallel: s.Parallel, Paper: s.Policy.Preset == study.PresetPaper,
		LongShots: s.Stop.Never} // all the money is to be spent, even where nothing is likely to come of it
	if s.Noisy {
		settings.Noise = policy.Noisy()
	}
	if s.Measured() {
		settings.CostNoise = policy.Noisy() // no clock shows the same time twice
	}
	return settings
}

// settingsFor returns the advisor's settings for a record. If repeated settings disagree, there is noise, whatever the study says.
func (a *Advisor) settingsFor(r *study.Record) policy.Settings {
	settings := a.tuning.Settings
	if settings.Noise == nil && a.hasNoise(r) {
		settings.Noise = policy.Noisy()
	}
	settings.Haste, _ = a.haste(r)
	return settings
}

// policy returns the policy of that name, with the advisor's tuning.
func (a *Advisor) policy(name string, settings policy.Settings) (policy.Policy, error) {
	if policy.IsBlind(name) {
		// Its models only say what a trial will cost. If prices vary by chance, a model without noise makes wild guesses, and a
		// single guess above what is left would end the study.
		settings.CostNoise = policy.Noisy()
	}
	return policy.New(name, settings)
}

// Reasons why there is no next trial. With all but ErrBudgetPending the study is over, unless trials under way change that.
var (
	// ErrBudgetSpent says that no money is left, or too little for any trial.
	ErrBudgetSpent error = fault.Wrap(policy.ErrBudgetSpent, fault.BudgetSpent, "", "budget spent")

	// ErrBudgetPending says that the trials under way are expected to use up what is left: finish them first.
	ErrBudgetPending error = fault.Wrap(policy.ErrBudgetPending, fault.BudgetPending, "", "the rest of the budget is expected to be used by the trials under way")

	// errNothingKnown is an ErrBudgetPending: no cost is known yet. Wait until the first trial has ended.
	errNothingKnown error = fault.Wrap(ErrBudgetPending, fault.BudgetPending, "",
		"no cost is known yet, and the most trials that may run before the first result are already running")

	// errKept is an ErrBudgetPending: the open trials may need what is left.
	errKept error = fault.Wrap(ErrBudgetPending, fault.BudgetPending, "",
		"what is left is kept for the trials under way: it would not pay, nine times in ten, for them and another one")

	// ErrNotWorth says that no affordable setting is worth trying.
	ErrNotWorth error = fault.New(fault.NotWorth, "", "no affordable setting is worth trying")

	// errTooDear is an ErrNotWorth: the best candidate costs more than is left.
	errTooDear error = fault.Wrap(ErrNotWorth, fault.NotWorth, "", "%s", ErrNotWorth)

	// ErrExhausted says that every setting has been tried.
	ErrExhausted error = fault.Wrap(policy.ErrExhausted, fault.Exhausted, "", "every setting has been tried")
)

// translate gives the errors of the policies, which know of no codes, their place in the common vocabulary.
func translate(err error) error {
	if errors.Is(err, policy.ErrNothingKnown) {
		return errNothingKnown
	}
	for _, known := range []error{ErrBudgetSpent, ErrBudgetPending, ErrExhausted} {
		if errors.Is(err, errors.Unwrap(known)) {
			return known
		}
	}
	return err
}
