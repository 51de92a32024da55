package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/internal/view"
	"github.com/eke-bo/eke/study"
)

// status is how a study stands. Its JSON form is a promise.
type status struct {
	Study      string              `json:"study"`
	Objective  study.Objective     `json:"objective"`
	Cost       study.Cost          `json:"cost"`
	Budget     statusBudget        `json:"budget"`
	Trials     map[study.State]int `json:"trials"`               // how many in each state
	Best       *briefTrial         `json:"best,omitempty"`       // none yet: left out
	Front      *front              `json:"front,omitempty"`      // of several objectives; left out: there is one
	Limits     string              `json:"limits,omitempty"`     // the limits, and how many results meet them; left out: there are none
	Infeasible string              `json:"infeasible,omitempty"` // that there are results, but that none of them meets the limits
	Hurts      string              `json:"hurts,omitempty"`      // that a lower fidelity gave the best setting a better value, that the models judge limits otherwise than what was seen, that the study may have seen nothing but a plateau, or that values of choices were never evaluated in full; left out: none of them
	Open       []openTrial         `json:"open"`                 // trials that hold a reservation
	Policy     string              `json:"policy"`
	Why        string              `json:"why"` // of the policy
	Time       statusTime          `json:"time"`
	Paused     bool                `json:"paused,omitempty"`
	Archived   bool                `json:"archived,omitempty"`
	Closed     bool                `json:"closed,omitempty"`
	Waiting    []study.Item        `json:"waiting,omitempty"`  // settings that somebody wants to be tried next
	Looks      *statusLooks        `json:"looks,omitempty"`    // trials below the highest fidelity; left out: none
	Known      int                 `json:"known,omitempty"`    // results from elsewhere
	Earlier    *advisor.Earlier    `json:"start,omitempty"`    // what it started from; left out: nothing
	Deadline   *time.Time          `json:"deadline,omitempty"` // nothing is started after; left out: none, or not begun
	Finished   *statusEnd          `json:"finished,omitempty"` // why it is over; left out: it goes on
	Rest       *study.Rest         `json:"rest,omitempty"`     // what the rest of the money is expected to buy; left out: nobody knows
	say.ByFidelity
}

// statusEnd says why a study is over.
type statusEnd struct {
	Code   fault.Code `json:"code"`
	Reason string     `json:"reason"`
}

// statusBudget is in the unit of the cost; seconds where that is wall time.
type statusBudget struct {
	study.Ledger
	Left    float64        `json:"left"`
	Overrun float64        `json:"overrun"`
	On      study.Spending `json:"on"`                // what it was spent on
	Changes *study.Changes `json:"changes,omitempty"` // what went into changes; left out: they cost nothing
	Buys    *statusBuys    `json:"buys,omitempty"`    // what is left will buy; left out: nobody knows
}

// statusBuys is how many full trials the money left is enough for, at the price of recent ones.
type statusBuys struct {
	Trials   int     `json:"trials"`
	CostEach float64 `json:"cost_each"`

	words string // the same for people
}

// statusLooks are the trials below the highest fidelity, and what those that have ended cost.
type statusLooks struct {
	Trials int     `json:"trials"`
	Cost   float64 `json:"cost"`
}

// statusTime is in seconds.
type statusTime struct {
	Thinking   float64 `json:"thinking"`
	Evaluating float64 `json:"evaluating"`
	Share      float64 `json:"share"` // of thinking, from 0 to 1
}

type openTrial struct {
	Number   int         `json:"number"`
	State    study.State `json:"state"`
	Runner   string      `json:"runner,omitempty"`
	Elapsed  float64     `json:"elapsed"` // seconds since it was started, or asked for
	Reserved float64     `json:"reserved"`
	Queued   string      `json:"queued,omitempty"` // why it waits for its turn in a cluster; it costs nothing yet
	setting  string
}

func statusCommand(a *app) *cobra.Command {
	return a.ofStudy(known, &cobra.Command{
		Use:   "status [STUDY]",
		Short: "Show how a study stands",
		Long: `Show how a study stands: its budget, its trials, the best result so far, what is running, and how long eke took
to choose settings; what the rest of the money is expected to buy; and, once it is over, why. It also works while the study is
running.`,
		Example: `  eke status kiln
  EKE_TOKEN=… eke status kiln --server https://eke.example.org`,
		SuggestFor: []string{"show", "info", "ps"},
	}, func(ctx context.Context, d *broker.Broker, r *study.Record) error {
		if on, ok := a.opened.(*remote); ok {
			return a.status(ctx, d.Advisor(), r, on.ended(d.Study().Name)) // the server has more to choose by
		}
		return a.status(ctx, d.Advisor(), r, d.Advisor().Ended)
	})
}

// status shows how a study stands. ended says why it is over, where nothing simpler tells.
func (a *app) status(ctx context.Context, adv *advisor.Advisor, r *study.Record, ended func(context.Context, *study.Record, time.Time) error) error {
	now := time.Now()
	st := statusOf(adv.Study(), r, adv.Pick(r), now)
	if each, known := r.Price(); known {
		left := r.Ledger.Left()
		most, _ := adv.MostToCome(r)
		st.Budget.Buys = &statusBuys{say.Bought(left, each, most), each, say.Buys(adv.Study(), left, each, most)}
	}
	if len(adv.Study().Changeover) > 0 {
		changes := adv.Changes(r)
		st.Budget.Changes = &changes
	}
	best, ok, err := adv.Best(ctx, r)
	if err != nil {
		return err
	}
	st.Limits = advisor.LimitsMet(adv.Study(), r, best.Otherwise)
	if ok {
		brief := briefOf(best)
		st.Best, st.Hurts = &brief, best.Hurts(adv.Study(), r)
	}
	if adv.Study().Several() {
		f, err := adv.Front(ctx, r)
		if err != nil {
			return err
		}
		shown := shownFront(adv.Study(), f)
		st.Best, st.Front = nil, &shown
	}
	if !r.Closed {
		if st.Rest, err = adv.Rest(ctx, r, 0); err != nil {
			return err
		}
	}
	if !ok {
		st.Infeasible = say.NoneFeasible(adv.Study(), r)
	}
	if over := ended(ctx, r, now); over != nil { // what a run would say, so that the reason is the same whoever asks
		st.Finished = &statusEnd{fault.CodeOf(over), over.Error()}
	}
	return a.show(st, func() { a.printStatus(adv.Study(), st) })
}

func statusOf(s *study.Study, r *study.Record, pick advisor.Pick, now time.Time) status {
	l := r.Ledger
	out := status{Study: s.Name, Objective: s.Objective, Cost: s.Cost, Policy: pick.Name, Why: pick.Why(),
		Budget: statusBudget{Ledger: l, Left: l.Left(), Overrun: l.Overrun(), On: r.Spending()}, Trials: say.Counts(r.Trials), Open: []openTrial{},
		Paused: r.Paused, Archived: r.Archived, Closed: r.Closed, Waiting: r.Waiting(), Known: len(r.Known), Earlier: advisor.EarlierOf(r),
		ByFidelity: say.CostByFidelity(s, r.Trials, advisor.Saved)}
	for _, t := range r.Trials {
		if t.Look {
			if out.Looks == nil {
				out.Looks = &statusLooks{}
			}
			out.Looks.Trials++
			out.Looks.Cost += t.Charged
		}
		out.Time.Thinking += t.Thinking
		out.Time.Evaluating += t.Wall
		if !t.State.Open() {
			continue
		}
		elapsed := max(now.Sub(cmp.Or(t.Started, t.Asked)).Seconds(), 0)
		if t.State == study.Running && t.Queued == "" {
			out.Time.Evaluating += elapsed
		}
		out.Open = append(out.Open, openTrial{t.Number, t.State, t.Runner, elapsed, t.Reserved, t.Queued, say.Setting(s, t.Setting)})
	}
	if all := out.Time.Thinking + out.Time.Evaluating; all > 0 {
		out.Time.Share = out.Time.Thinking / all
	}
	if end := s.Due(r); !end.IsZero() {
		out.Deadline = &end
	}
	return out
}

func (a *app) printStatus(s *study.Study, st status) {
	money := func(x float64) string { return say.Amount(s.Cost, x) }
	a.printf("study %s: %s\n", s.Name, say.Goals(s))
	a.printBudget(s, st.Budget.Ledger)
	a.printOver(s, st.Budget.Ledger)
	best := cmp.Or(st.Infeasible, "none yet")
	if st.Best != nil {
		best = fmt.Sprintf("%s %s%s: %s, %s", s.Objective.Name, st.Best.text, say.For(s.Cost, study.Trial{Known: st.Best.Known, Charged: st.Best.Cost}), st.Best.title, say.Setting(s, st.Best.Setting))
		if st.Best.Estimate != nil {
			best += "; " + say.Seen(st.Best.Estimate.Values)
		}
		if st.Hurts != "" {
			best += "; " + st.Hurts
		}
	}
	if st.Front != nil && (len(st.Front.Front) > 0 || st.Infeasible == "") {
		best = fmt.Sprintf("%s on the front, a hypervolume of %s: eke front %s", say.Count(len(st.Front.Front), "result"), say.Number(st.Front.Hypervolume), a.called(s))
	}
	on := say.SpentOn(s.Cost, st.Budget.Ledger, st.Budget.On)
	rows := [][]string{{"trials", say.Tally(st.Trials)}, {"best", best}, {"chooses", st.Policy + ": " + st.Why}}
	if st.Limits != "" {
		rows = slices.Insert(rows, 2, []string{"limits", st.Limits})
	}
	if l := st.Looks; l != nil {
		rows = append(rows, []string{"looks", fmt.Sprintf("%s of these, for %s; only values at %s=%s count", say.Count(l.Trials, "trial"), money(l.Cost), s.Fidelity.Name, say.Number(s.Fidelity.Top()))})
	}
	if on != "" {
		rows = append(rows, []string{"spent", on})
	}
	if c := st.Budget.Changes; c != nil {
		rows = append(rows, []string{"changes", say.Changes(s.Cost, *c, st.Budget.Spent)})
	}
	if b := st.Budget.Buys; b != nil && st.Finished == nil && !st.Closed {
		rows = append(rows, []string{"enough for", b.words})
	}
	spent, saved := st.Words(s)
	if spent != "" {
		rows = append(rows, []string{"spent at", spent})
	}
	if saved != "" {
		rows = append(rows, []string{"saved", saved})
	}
	switch {
	case st.Closed:
		rows = append(rows, []string{"ended", "it starts no more trials"})
	case st.Archived:
		rows = append(rows, []string{"archived", "take it out again: eke study archive --undo " + a.called(s)})
	case st.Paused:
		rows = append(rows, []string{"paused", "go on with: eke resume " + a.called(s)})
	case st.Finished != nil:
		rows = append(rows, []string{"finished", st.Finished.Reason})
	}
	if st.Earlier != nil {
		rows = append(rows, []string{"from", st.Earlier.Words()})
	}
	if st.Known > 0 {
		rows = append(rows, []string{"known", say.Count(st.Known, "result") + " from elsewhere"})
	}
	if n := len(st.Waiting); n > 0 {
		rows = append(rows, []string{"next", fmt.Sprintf("%s of your own: eke enqueue %s lists them", say.Count(n, "setting"), a.called(s))})
	}
	if st.Rest != nil {
		rows = append(rows, []string{"ahead", say.Rest(s, st.Rest)})
	}
	if st.Time.Evaluating > 0 { // of trials told by hand nobody knows
		rows = append(rows, []string{"time", fmt.Sprintf("%s thinking, %s evaluating: %s went into thinking",
			say.Duration(st.Time.Thinking), say.Duration(st.Time.Evaluating), say.Percent(st.Time.Share))})
	}
	if st.Deadline != nil {
		text := "passed on "
		if left := time.Until(*st.Deadline); left > 0 {
			text = "in " + say.Duration(left.Seconds()) + ", on "
		}
		rows = append(rows, []string{"deadline", text + onClock(*st.Deadline)})
	}
	a.table("  ", rows)
	if len(st.Open) == 0 {
		return
	}
	a.printf("\n")
	open := [][]string{{"open", "state", "for", "reserved", "by", "setting"}}
	for _, t := range st.Open {
		state := string(t.State)
		if t.Queued != "" {
			state = "queued: " + t.Queued
		}
		open = append(open, []string{fmt.Sprint(t.Number), state, say.Duration(t.Elapsed), money(t.Reserved), t.Runner, t.setting})
	}
	a.table("  ", open)
}

// printOver says that the budget is overdrawn, if it is.
func (a *app) printOver(s *study.Study, l study.Ledger) {
	if over := l.Overrun(); over > 0 {
		a.printf("OVER BUDGET: reported costs exceed the budget by %s; nothing more is started\n", say.Amount(s.Cost, over))
	}
}

// printBudget draws the budget as a bar, and says how much of it went where.
func (a *app) printBudget(s *study.Study, l study.Ledger) {
	const columns = 36
	a.printf("%s  %s\n", view.Gauge(l, columns), say.Account(s.Cost, l, nil))
}

// onClock is a date and a time of day, where the reader is.
func onClock(t time.Time) string { return t.Local().Format(time.DateTime) }

// printRest says what the rest of the money is expected to buy, if that is known.
func (a *app) printRest(s *study.Study, r *study.Rest) {
	if r != nil {
		a.printf("%s.\n", capital(say.Rest(s, r)))
	}
}

// restOf forecasts what the rest of a study's money would buy, with an amount added to it. It is nil if there is nothing to forecast.
func restOf(ctx context.Context, d *broker.Broker, r *study.Record, added float64) (*study.Rest, error) {
	if r.Closed {
		return nil, nil
	}
	return d.Advisor().Rest(ctx, r, added)
}

// capital begins a sentence.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// stopFlag is what --stop says.
const stopFlag = "when to stop although there is money left: never, or when the rest is expected to gain less than a `NUMBER`"

// restart changes when a study ends, if the flag says so.
func restart(ctx context.Context, d *broker.Broker, flag string) (*broker.Broker, error) {
	if flag == "" {
		return d, nil
	}
	stop, err := study.ParseStop(flag)
	if err != nil {
		return nil, fault.New(fault.BadRequest, fault.HintOf(err), "--%w", err)
	}
	return d.StopAt(ctx, stop)
}
