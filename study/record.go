package study

import (
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/fault"
)

// Record is what a study's log adds up to. Apply and Try are the only ways to change it. They refuse every event that breaks one of
// these laws:
//
//   - A reservation is granted only while spent and reserved money together stay within the total.
//   - A trial is charged once, when it ends. If it was abandoned and its result comes in late, that charge replaces the first.
//   - Where the cost is wall time, no trial is charged more than was reserved for it, and a result that comes in late no more than its
//     first charge and what is left. So the money spent never passes the total.
//   - Where the cost is reported, what is spent beyond the total is recorded as overrun, and no further trial is handed out. If a trial ends
//     with spent beyond the total, and cost more than was reserved for it, its value does not count until the total covers what was spent.
//   - No trial is handed out once the study was ended, or while it is paused or archived. Trials under way may still end.
//   - Results known from elsewhere are never charged.
//   - The budget is never lowered below what is spent and reserved.
//   - The cost of a step is a part of its trial's cost, and is not charged. Steps rise.
//   - What was charged stays charged, whatever is forgotten. A correction replaces the charge, and keeps the old one on record.
type Record struct {
	Measured bool     // Measured says that the cost is measured and enforced, rather than reported.
	Version  int64    // Version is the number of the last event.
	Digest   string   // Digest is the digest of the last event, or the study's identity; empty: nobody knows.
	Learnt   int64    // Learnt is the number of the last event that changed what the results teach.
	Trials   []Trial  // Trials are in the order they were asked for.
	Known    []Known  // Known are results from elsewhere, in the order they were added.
	Ledger   Ledger   // Ledger says where the money went.
	Closed   bool     // Closed says that the study was ended.
	Paused   bool     // Paused says that no trial is handed out for now.
	Archived bool     // Archived says that the study is put away.
	Earlier  *Earlier // Earlier is what the study starts from; nil: nothing.
	Queue    []Item   // Queue are the settings that somebody wanted to be tried, in that order; see Waiting.

	Limits Limits // Limits are the limits of the definition, by which the trials are judged.
	Judged int    // Judged is the number of the last trial that was handed out before these limits.

	Labels Labels // Labels are what people have written on the study.

	Added []string // Added are the keys of the requests that raised the budget.

	Shaped int64 // Shaped is the number of the event that last changed the parameters; 0 means that they are the first ones.

	Definition json.RawMessage // Definition is the latest, if it has changed since the study was created.
}

// NewRecord returns the record of a study with an empty log.
func NewRecord(total float64, measured bool) *Record {
	return &Record{Measured: measured, Ledger: Ledger{Total: total}}
}

// Clone returns a record that can be changed without changing this one. Apply replaces what a trial points to and never writes
// through the pointer, so copying the lists is enough.
func (r *Record) Clone() *Record {
	c := *r
	c.Trials, c.Known, c.Queue, c.Added = slices.Clone(r.Trials), slices.Clone(r.Known), slices.Clone(r.Queue), slices.Clone(r.Added)
	return &c
}

var (
	// ErrUnaffordable says that a reservation would bring spent and reserved money past the total.
	ErrUnaffordable error = fault.New(fault.BudgetPending, "", "the budget does not cover the reservation")

	// ErrUnknownKind says that an event is of a kind that only a newer version knows.
	ErrUnknownKind error = fault.New(fault.Conflict, "", "unknown kind")

	// ErrClosed says that the study was ended.
	ErrClosed error = fault.New(fault.Closed, "", "the study was ended")
)

// refuse returns the error of an event that contradicts what is on record.
func refuse(format string, args ...any) error { return fault.New(fault.Conflict, "", format, args...) }

// Apply adds an event of a log. On error the record is unchanged, and the error says which event it was.
func (r *Record) Apply(e Event) error {
	if err := r.Try(e); err != nil {
		return fmt.Errorf("event %d (%s): %w", e.Seq, e.Kind, err)
	}
	return nil
}

// Try is Apply for an event that is in no log yet. Its errors leave the event's number out, which would mean nothing to a reader.
func (r *Record) Try(e Event) error {
	if e.Seq != r.Version+1 || e.Before != "" && r.Digest != "" && e.Before != r.Digest {
		return refuse("it does not follow event %d", r.Version)
	}
	apply := map[Kind]func(Event) error{
		EventAsked: r.asked, EventStarted: r.started, EventExtended: r.extended, EventQueued: r.queued,
		EventFinished: r.finished, EventBudget: r.budget, EventClosed: r.closed, EventDefined: r.defined,
		EventKnown:     r.known,
		EventForgotten: r.forgotten, EventRemembered: r.remembered, EventCorrected: r.corrected,
		EventEnqueued: r.enqueued, EventWanted: r.enqueued, EventDequeued: r.dequeued, EventStop: r.stop,
		EventPaused: r.paused, EventResumed: r.resumed, EventArchived: r.archived, EventRestored: r.restored,
		EventLowered: r.lowered, EventReshaped: r.reshaped, EventLabelled: r.labelled, EventEarlier: r.earlier, EventStep: r.step,
	}[e.Kind]
	if apply == nil {
		return ErrUnknownKind
	}
	if err := apply(e); err != nil {
		return err
	}
	r.Digest = e.Digest
	if r.Version = e.Seq; e.teaches() {
		r.Learnt = e.Seq
	}
	return nil
}

func (r *Record) asked(e Event) error {
	a := e.Asked
	if a == nil || e.Trial != len(r.Trials)+1 {
		return refuse("trial %d does not follow trial %d", e.Trial, len(r.Trials))
	}
	if err := r.MayAsk(); err != nil {
		return err
	}
	item, err := r.taken(a.Item)
	if err != nil {
		return err
	}
	if !isAmount(a.Reserved) || a.Reserved == 0 {
		return refuse("trial %d: the reservation is %v; it must be above zero", e.Trial, a.Reserved)
	}
	if !r.Ledger.covers(a.Reserved) {
		return fmt.Errorf("trial %d: %w: %v is left, %v was asked for", e.Trial, ErrUnaffordable, r.Ledger.Left(), a.Reserved)
	}
	if a.Resumes < 0 || a.Resumes >= e.Trial || a.Checkpoint < 0 || a.Checkpoint >= e.Trial {
		return refuse("trial %d cannot go on from trial %d", e.Trial, a.Resumes)
	}
	r.Ledger.Reserved += a.Reserved
	t := Trial{
		Number: e.Trial, ID: e.id(), State: Pending, Setting: a.Setting, Point: a.Point, Reserved: a.Reserved, Asked: e.At, Runner: e.Runner, Place: e.Place, Token: e.Token, AskKey: e.Key,
		Why: a.Why, Plan: a.Plan, Thinking: a.Thinking, Credible: a.Credible, Item: a.Item, Look: a.Look, Resumes: a.Resumes, Checkpoint: a.Checkpoint,
		asked: e.Seq,
	}
	if item != nil {
		t.Retries, item.Trial = item.Retries, e.Trial
	}
	r.Trials = append(r.Trials, t)
	return nil
}

func (r *Record) started(e Event) error {
	t, err := r.trial(e.Trial)
	if err != nil {
		return err
	}
	if t.State != Pending {
		return refuse("trial %d %s; only a pending trial can start", t.Number, t.State.Predicate())
	}
	t.State, t.Runner, t.Started = Running, e.Runner, e.At
	if e.Place != "" {
		t.Place = e.Place
	}
	return nil
}

// queued notes that a trial waits. One that waits no more has begun only now.
func (r *Record) queued(e Event) error {
	t, err := r.trial(e.Trial)
	if err != nil {
		return err
	}
	if t.State != Running {
		return refuse("trial %d %s; only a trial that was begun can wait", t.Number, t.State.Predicate())
	}
	if e.Reason == "" {
		t.Started = e.At
	}
	t.Queued = e.Reason
	return nil
}

func (r *Record) extended(e Event) error {
	t, err := r.trial(e.Trial)
	if err != nil {
		return err
	}
	if !t.State.Open() || !isAmount(e.Reserved) || e.Reserved < t.Reserved {
		return refuse("trial %d %s with %v reserved, which cannot become %v", t.Number, t.State.Predicate(), t.Reserved, e.Reserved)
	}
	more := e.Reserved - t.Reserved
	if !r.Ledger.covers(more) {
		return fmt.Errorf("trial %d: %w: %v is left, %v more was asked for", t.Number, ErrUnaffordable, r.Ledger.Left(), more)
	}
	r.Ledger.Reserved += more
	t.Reserved = e.Reserved
	return nil
}

func (r *Record) finished(e Event) error {
	t, err := r.trial(e.Trial)
	if err != nil {
		return err
	}
	f := e.Finished
	if f == nil || !f.State.Ended() {
		return refuse("trial %d cannot end without a state", t.Number)
	}
	late := t.State == Abandoned && f.State != Abandoned
	if !t.State.Open() && !late {
		return refuse("trial %d %s already", t.Number, t.State.Predicate())
	}
	if !isAmount(f.Charged) || math.IsNaN(f.Value) || math.IsInf(f.Value, 0) {
		return fault.New(fault.BadRequest, "give a finite value and a cost from 0 to 1e15", "trial %d: the value is %v and the cost %v", t.Number, f.Value, f.Charged)
	}
	if err := f.Metrics.check(); err != nil {
		return fault.New(fault.BadRequest, fault.HintOf(err), "trial %d: %w", t.Number, err)
	}
	if f.Setup != nil && !isAmount(*f.Setup) {
		return fault.New(fault.BadRequest, "give the part of the cost that went into changes, from 0 to 1e15", "trial %d: the setup is %v", t.Number, *f.Setup)
	}
	if most := r.most(t); f.Charged > most*(1+slack) {
		return refuse("trial %d: charged %v, more than the %v it may be", t.Number, f.Charged, most)
	}
	if late {
		r.Ledger.Spent -= t.Charged
	} else {
		r.Ledger.Reserved = math.Max(r.Ledger.Reserved-t.Reserved, 0)
	}
	reserved := t.Reserved
	r.Ledger.Spent += f.Charged
	if r.noneOpen(t) {
		r.Ledger.Reserved = 0 // and not the rounding of many sums
	}
	t.State, t.Value, t.Charged, t.Reserved, t.Stopping = f.State, unsigned(f.Value), f.Charged, 0, t.Stopping && f.State == Abandoned
	t.Note, t.Exit, t.Wall, t.Finished, t.ended = f.Note, f.Exit, f.Wall, e.At, e.Seq
	t.FinishKey, t.Stopped, t.Estimated, t.Queued, t.Lost = e.Key, f.Stopped, f.Estimated, "", f.Lost
	t.Beyond = r.Ledger.Spent > r.Ledger.Total*(1+slack) && f.Charged > reserved*(1+slack)
	t.Metrics, t.Machine, t.Setup = f.Metrics, f.Machine, f.Setup
	t.Violates = r.violated(t.State, t.Metrics)
	return nil
}

// unsigned makes -0 a 0: the log leaves out a value of zero, and has no place for its sign.
func unsigned(v float64) float64 { return v + 0 }

// most is the most that a trial may be charged. Where the cost is measured that is its reservation; for an abandoned trial it
// is what the trial was charged plus what is left.
func (r *Record) most(t *Trial) float64 {
	switch {
	case !r.Measured:
		return math.MaxFloat64
	case t.State == Abandoned:
		return t.Charged + r.Ledger.Left()
	}
	return t.Reserved
}

func (r *Record) noneOpen(but *Trial) bool {
	for i := range r.Trials {
		if t := &r.Trials[i]; t != but && t.State.Open() {
			return false
		}
	}
	return true
}

func (r *Record) budget(e Event) error {
	if !isAmount(e.Added) || e.Added == 0 {
		return fault.New(fault.BadRequest, fmt.Sprintf("give an amount above 0 and up to %g", MaxAmount), "%v cannot be added to the budget", e.Added)
	}
	if r.Ledger.Total+e.Added > MaxAmount {
		return fault.New(fault.BadRequest, fmt.Sprintf("stay within %g in all", MaxAmount), "%v cannot be added to the budget of %v", e.Added, r.Ledger.Total)
	}
	r.Ledger.Total += e.Added
	if e.Key != "" {
		r.Added = append(r.Added, e.Key)
	}
	r.settleOverrun()
	return nil
}

// settleOverrun notes that nothing is past the budget any more, if that is so.
func (r *Record) settleOverrun() {
	if r.Ledger.Overrun() > 0 {
		return
	}
	for i := range r.Trials {
		r.Trials[i].Beyond = false
	}
}

func (r *Record) closed(Event) error {
	if r.Closed {
		return ErrClosed
	}
	r.Closed = true
	return nil
}

func (r *Record) defined(e Event) error {
	if !json.Valid(e.Definition) {
		return refuse("the definition is not JSON")
	}
	limits, err := LimitsOf(e.Definition)
	if err != nil {
		return refuse("the limits cannot be read: %v", err)
	}
	r.Definition = e.Definition
	r.Judge(limits)
	return nil
}

// Trial returns the trial of that number.
func (r *Record) Trial(number int) (Trial, error) {
	t, err := r.trial(number)
	if err != nil {
		return Trial{}, err
	}
	return *t, nil
}

func (r *Record) known(e Event) error {
	k := e.Known
	if k == nil || !isAmount(k.Cost) || math.IsNaN(k.Value) || math.IsInf(k.Value, 0) {
		return refuse("a known result needs a finite value and a cost from 0 to 1e15")
	}
	if err := k.Metrics.check(); err != nil {
		return err
	}
	added := *k
	added.Added, added.event, added.Forgotten, added.Violates = e.At, e.Seq, false, r.violated(Done, k.Metrics)
	r.Known = append(r.Known, added)
	return nil
}

func (r *Record) trial(number int) (*Trial, error) {
	if number < 1 || number > len(r.Trials) {
		return nil, fault.New(fault.NotFound, fmt.Sprintf("the last trial is %d", len(r.Trials)), "there is no trial %d", number)
	}
	return &r.Trials[number-1], nil
}

// Open returns the trials that hold a reservation.
func (r *Record) Open() (open []Trial) {
	for _, t := range r.Trials {
		if t.State.Open() {
			open = append(open, t)
		}
	}
	return open
}

// Results returns the results that count (see Trial.Counts): the known ones, which come as trials without a number, and then the
// trials.
func (r *Record) Results() []Trial { return slices.Collect(r.EachResult()) }

// EachResult is Results, one after another: a study may have many.
func (r *Record) EachResult() iter.Seq[Trial] { return r.each(Trial.Counts) }

// EachMeasured returns what EachResult does, and with it the results that do not meet the limits.
func (r *Record) EachMeasured() iter.Seq[Trial] { return r.each(Trial.HasCounted) }

func (r *Record) each(counts func(Trial) bool) iter.Seq[Trial] {
	return func(yield func(Trial) bool) {
		for _, k := range r.Known {
			known := Trial{State: Done, Known: true, Setting: k.Setting, Point: k.Point, Value: k.Value, Charged: k.Cost, Asked: k.Added, Finished: k.Added, Metrics: k.Metrics,
				Look: k.Look, Forgotten: k.Forgotten, Outside: k.Outside, Violates: k.Violates, ended: k.event}
			if counts(known) && !yield(known) {
				return
			}
		}
		for _, t := range r.Trials {
			if counts(t) && !yield(t) {
				return
			}
		}
	}
}

// Best returns the best of the results that count.
func (r *Record) Best(goal Goal) (best Trial, ok bool) {
	for t := range r.EachResult() {
		if !ok || goal.Better(t.Value, best.Value) {
			best, ok = t, true
		}
	}
	return best, ok
}

func isAmount(v float64) bool { return v >= 0 && v <= MaxAmount }

// Ledger says how much of the budget is spent and reserved. It follows from the log; see Record.
type Ledger struct {
	Total    float64 `json:"total"`    // Total is the budget, with all that was added to it.
	Spent    float64 `json:"spent"`    // Spent is what ended trials were charged.
	Reserved float64 `json:"reserved"` // Reserved is what is held for open trials.
}

// Left is what is neither spent nor reserved. It is never negative.
func (l Ledger) Left() float64 { return math.Max(l.Total-l.Spent-l.Reserved, 0) }

// Overrun is how far reported costs have gone past the total.
func (l Ledger) Overrun() float64 { return math.Max(l.Spent-l.Total, 0) }

// slack is how much rounding is allowed in sums of costs, as a fraction of the total.
const slack = 1e-9

// covers reports whether a further amount can be reserved.
func (l Ledger) covers(amount float64) bool {
	return l.Spent+l.Reserved+amount <= l.Total*(1+slack)
}

// Spending is where the money of the trials that have ended went. Terminal, report, HTTP and page all show these sums.
type Spending struct {
	// Results is what was spent on trials that returned a value at the highest fidelity.
	Results float64 `json:"results" doc:"What was spent on trials that returned a value at the highest fidelity."`
	// Looks is what was spent on looks that returned a value.
	Looks float64 `json:"looks" doc:"What was spent on looks (trials below the highest fidelity) that returned a value."`
	// Lost is what was spent on all other trials.
	Lost float64 `json:"lost" doc:"What was spent on all other trials, such as those that failed or were over budget."`
}

// Spending adds up what the trials cost.
func (r *Record) Spending() (s Spending) {
	for _, t := range r.Trials {
		switch {
		case !t.State.Ended():
		case t.HasCounted(): // a result beyond a limit is a result
			s.Results += t.Charged
		case t.Look && t.State == Done && t.IsEvidence() && !t.Beyond:
			s.Looks += t.Charged
		default:
			s.Lost += t.Charged
		}
	}
	return s
}

// recently is how many recent trials tell the price of the next ones: few, since policies turn to expensive settings late.
const recently = 10

// Price is what recent full trials have cost on average. Looks cost less, and do not say what the rest of the money buys. Without a full
// trial that has a value and a cost, nobody knows.
func (r *Record) Price() (each float64, known bool) {
	sum, n := 0.0, 0
	for i := len(r.Trials) - 1; i >= 0 && n < recently; i-- {
		if t := r.Trials[i]; t.State == Done && !t.Look && t.Charged > 0 {
			sum, n = sum+t.Charged, n+1
		}
	}
	if n == 0 {
		return 0, false
	}
	return sum / float64(n), true
}
