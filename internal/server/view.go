package server

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Trial is a trial as the service shows it: all but what only the policy, and whoever asked, need to know.
type Trial struct {
	Number   int             `json:"number" doc:"From 1"`
	State    study.State     `json:"state" enum:"pending,running,done,failed,cut,abandoned"`
	Setting  space.Setting   `json:"setting" doc:"The parameters' values, by their names"`
	Point    []float64       `json:"point" doc:"The setting in the unit cube"`
	Reserved float64         `json:"reserved,omitempty" doc:"Money held while it is under way"`
	Charged  float64         `json:"charged,omitempty" doc:"What it cost, once it has ended"`
	Value    float64         `json:"value" doc:"What it returned, if it is done"`
	Beyond   bool            `json:"beyond,omitempty" doc:"Its cost went past the budget: its value does not count"`
	Asked    time.Time       `json:"asked"`
	Started  time.Time       `json:"started,omitzero"`
	Finished time.Time       `json:"finished,omitzero"`
	Wall     float64         `json:"wall,omitempty" doc:"Seconds it took"`
	Runner   string          `json:"runner,omitempty" doc:"Who evaluates it"`
	Note     string          `json:"note,omitempty" doc:"What went wrong"`
	Stopped  bool            `json:"stopped,omitempty" doc:"Abandoned because its run was stopped"`
	Exit     *study.Exit     `json:"exit,omitempty" doc:"How its command ended"`
	Why      json.RawMessage `json:"why,omitempty" doc:"The reasons it was chosen for"`
	Thinking float64         `json:"thinking,omitempty" doc:"Seconds it took to choose"`
}

func trialView(t study.Trial) Trial {
	return Trial{
		Number: t.Number, State: t.State, Setting: t.Setting, Point: t.Point, Reserved: t.Reserved, Charged: t.Charged, Value: t.Value,
		Beyond: t.Beyond, Asked: t.Asked, Started: t.Started, Finished: t.Finished, Wall: t.Wall, Runner: t.Runner, Note: t.Note,
		Stopped: t.Stopped, Exit: t.Exit, Why: t.Why, Thinking: t.Thinking,
	}
}

func trialViews(list []study.Trial) []Trial {
	views := make([]Trial, len(list))
	for i, t := range list {
		views[i] = trialView(t)
	}
	return views
}

// Lease is a trial for a worker.
type Lease struct {
	Trial
	LeaseSeconds float64  `json:"lease_seconds" doc:"Silent for so long the worker loses the trial; 0: never"`
	Limit        *float64 `json:"limit" doc:"Wall seconds since its start that it may take now; null: no limit"`
}

// Summary is how a study stands.
type Summary struct {
	Name      string              `json:"name"`
	Created   time.Time           `json:"created"`
	Closed    bool                `json:"closed" doc:"It was ended: nothing more is asked for"`
	Version   int64               `json:"version" doc:"Grows with every change"`
	Objective study.Objective     `json:"objective"`
	Cost      study.Cost          `json:"cost"`
	Ledger    study.Ledger        `json:"ledger"`
	Left      float64             `json:"left" doc:"Neither spent nor reserved"`
	Overrun   float64             `json:"overrun" doc:"By how much reported costs went past the total"`
	Counts    map[study.State]int `json:"counts" doc:"How many trials there are of each state"`
	Best      *Trial              `json:"best" doc:"The best trial; null: there is none yet"`
	Time      Times               `json:"time"`
	Buys      *Buys               `json:"buys" doc:"What the rest buys; null: nothing is known of costs yet"`
}

// Times is what went into a study besides money, in seconds.
type Times struct {
	Thinking   float64 `json:"thinking"`
	Evaluating float64 `json:"evaluating"`
}

// Buys is how many trials what is left will buy, at what trials have cost of late.
type Buys struct {
	Trials   int     `json:"trials"`
	CostEach float64 `json:"cost_each"`
}

// Study is a study with its definition.
type Study struct {
	Summary
	Definition *study.Study `json:"definition" doc:"The study file in its JSON form; env only for those who may run its command"`
	Policy     Picked       `json:"policy"`
}

// Picked is the policy that chooses the next trial.
type Picked struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

func (s *seat) summary(r *study.Record) Summary {
	defined := s.broker.Study()
	v := Summary{
		Name: defined.Name, Created: s.created, Closed: r.Closed, Version: r.Version, Objective: defined.Objective, Cost: defined.Cost, Ledger: r.Ledger,
		Left: r.Ledger.Left(), Overrun: r.Ledger.Overrun(), Buys: buys(r),
		Counts: map[study.State]int{study.Pending: 0, study.Running: 0, study.Done: 0, study.Failed: 0, study.Cut: 0, study.Abandoned: 0},
	}
	for _, t := range r.Trials {
		v.Counts[t.State]++
		v.Time.Thinking += t.Thinking
		v.Time.Evaluating += t.Wall
	}
	if best, ok := r.Best(defined.Objective.Goal); ok {
		shown := trialView(best)
		v.Best = &shown
	}
	return v
}

func (s *seat) view(ctx context.Context, r *study.Record) Study {
	pick := s.broker.Advisor().Pick(r)
	return Study{Summary: s.summary(r), Definition: shown(ctx, s.broker.Study()), Policy: Picked{pick.Name, pick.Why}}
}

// lately is how many trials say what the next ones will cost: few, as policies turn to dear settings late.
const lately = 10

func buys(r *study.Record) *Buys {
	sum, n := 0.0, 0
	for i := len(r.Trials) - 1; i >= 0 && n < lately; i-- {
		if t := r.Trials[i]; t.State == study.Done && t.Charged > 0 {
			sum, n = sum+t.Charged, n+1
		}
	}
	if n == 0 {
		return nil
	}
	each := sum / float64(n)
	return &Buys{Trials: int(math.Min(r.Ledger.Left()/each, math.MaxInt32)), CostEach: each}
}
