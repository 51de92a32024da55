package broker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// Result is a result from elsewhere.
type Result struct {
	Setting space.Setting
	Value   float64
	Cost    float64 // 0: nobody knows
	Row     string  // tells the row of a file that it was read from; empty if it was told otherwise
	Metrics study.Metrics
	Before  float64 // the part of the cost that other results have been charged, which it went on from
}

// Imported is what an import came to.
type Imported struct {
	Added   int     `json:"added"`   // results that are new
	Known   int     `json:"known"`   // results that were known already
	Reread  int     `json:"reread"`  // those of them that were read in another way before, or without some of their numbers
	Charged float64 `json:"charged"` // what the study was charged for the new ones

	RereadTrials  []int `json:"reread_trials,omitempty"`  // what those that were read in another way are, if they are trials
	RereadResults []int `json:"reread_results,omitempty"` // and if they are known results
	Forgotten     int   `json:"forgotten,omitempty"`      // known ones that were forgotten, and stay so
	Paid          int   `json:"paid,omitempty"`           // new ones that were charged before they were forgotten, and are not charged again
}

// Observe adds a result that is known from elsewhere. It is not charged. The same result told again changes nothing.
func (b *Broker) Observe(ctx context.Context, setting space.Setting, value, cost float64) error {
	_, err := b.Import(ctx, []Result{{Setting: setting, Value: value, Cost: cost}}, false)
	return err
}

// Import adds results from elsewhere, all of them or none. They are known results, which cost the study nothing; or, if they are to be
// charged, trials like any others, as far as their cost is known. A result that is there already is not added again, so that an
// import which was interrupted can be repeated. Equal results of one import are repeats: as many are known as were there before. Nor is a row
// added that was read in another way before, unless that result was forgotten; its money, if it was charged, is not charged again.
func (b *Broker) Import(ctx context.Context, results []Result, charge bool) (done Imported, err error) {
	_, err = b.update(ctx, func(r *study.Record) (events []study.Event, err error) {
		events, done, err = b.imports(r, results, charge)
		return events, err
	})
	if err != nil {
		done = Imported{}
	}
	return done, err
}

// WouldImport says what Import would come to, and changes nothing.
func (b *Broker) WouldImport(ctx context.Context, results []Result, charge bool) (Imported, error) {
	r, err := b.Record(ctx)
	if err != nil {
		return Imported{}, err
	}
	_, done, err := b.imports(r, results, charge)
	return done, err
}

func (b *Broker) imports(r *study.Record, results []Result, charge bool) (events []study.Event, done Imported, err error) {
	if err := b.mayEncode(r); err != nil {
		return nil, done, err
	}
	if charge && len(results) > 0 && !slices.ContainsFunc(results, func(r Result) bool { return r.Cost > 0 }) {
		return nil, done, fault.New(fault.BadRequest, "say what they cost, or import without charging", "the results are to be charged, and none of them says what it cost")
	}
	list := make([]reading, len(results))
	for i, result := range results {
		if list[i], err = b.reading(result); err != nil {
			return nil, done, err
		}
	}
	next := len(r.Trials) + 1
	for i, p := range b.present(r).pair(list) {
		result, own := list[i], list[i].Cost-list[i].Before
		if p != nil && (!p.forgotten || p.isReadAs(result)) {
			done.knows(p, result)
			continue
		}
		done.Added++
		charged := charge && own > 0
		if charged && p != nil && p.charged {
			done.Paid++
			charged = false
		}
		look := b.study.IsLook(result.Setting)
		if !charged {
			events = append(events, study.Event{Kind: study.EventKnown, Known: &study.Known{Setting: result.Setting, Point: result.point, Value: result.Value, Cost: result.Cost, Metrics: result.Metrics, Look: look, Row: result.Row}})
			continue
		}
		done.Charged += own
		events = append(events, b.asTrial(next, result.ids[0], result.point, result.Result, look)...)
		next++
	}
	if left := r.Ledger.Left(); done.Charged > left {
		return nil, done, fault.New(fault.BadRequest, "add to the budget first (eke budget add AMOUNT), or import without charging", "the results cost %s, and %s is left", say.Amount(b.study.Cost, done.Charged), say.Amount(b.study.Cost, left))
	}
	return events, done, nil
}

// knows notes a result that is there already.
func (done *Imported) knows(p *presence, result reading) {
	done.Known++
	switch same := p.isReadAs(result); {
	case p.forgotten:
		done.Forgotten++
	case same || p.evaluated:
	case p.trial > 0:
		done.Reread, done.RereadTrials = done.Reread+1, append(done.RereadTrials, p.trial)
	default:
		done.Reread, done.RereadResults = done.Reread+1, append(done.RereadResults, p.known)
	}
}

// reading is a result as an import reads it.
type reading struct {
	Result
	point []float64
	ids   []string // its identity, and the one by which older versions have imported it
}

func (b *Broker) reading(result Result) (reading, error) {
	point, err := b.advisor.Space().Encode(result.Setting)
	if err != nil {
		return reading{}, err
	}
	ids := []string{b.identity(point, result.Value, result.Cost, result.Metrics)}
	if result.Before != 0 {
		ids = append(ids, b.identity(point, result.Value, result.Cost-result.Before, result.Metrics))
	}
	return reading{result, point, ids}, nil
}

// presence is a result that is there before an import.
type presence struct {
	trial, known int    // its number: either of them
	row          string // which it was imported from
	ids          []string
	metrics      study.Metrics
	forgotten    bool
	charged      bool
	evaluated    bool // it is a trial of this very study
	taken        bool // it is one of the results that are imported
}

// isReadAs reports whether a result is the same, and says nothing more.
func (p *presence) isReadAs(result reading) bool {
	return slices.ContainsFunc(result.ids, func(id string) bool { return slices.Contains(p.ids, id) }) && p.metrics.Has(result.Metrics)
}

// key is what results are found by. An empty row or identity stands for any.
type key struct {
	row, id   string
	forgotten bool
}

type presences map[key][]*presence

// present returns the results that are there.
func (b *Broker) present(r *study.Record) presences {
	all := presences{}
	for i, k := range r.Known {
		all.add(presence{known: i + 1, row: k.Row, ids: []string{b.identity(k.Point, k.Value, k.Cost, k.Metrics)}, metrics: k.Metrics, forgotten: k.Forgotten})
	}
	paid := make([]float64, len(r.Trials)+1) // up to the end of a trial, added up as a reader of an export does
	for _, t := range r.Trials {
		p := presence{trial: t.Number, metrics: t.Metrics, forgotten: t.Forgotten, charged: t.Charged > 0, evaluated: !t.IsImported()}
		if !p.evaluated {
			id, row, _ := strings.Cut(t.AskKey, ofRow)
			p.row, p.ids = row, []string{id}
		}
		paid[t.Number] = t.Charged
		if t.Resumes > 0 && !t.Lost {
			paid[t.Number] += paid[t.Resumes]
		}
		if t.State == study.Done { // an export of this very study, of this version or an older one, or a copy
			for _, cost := range []float64{t.Charged, paid[t.Number], r.PaidBefore(t) + t.Charged} {
				if id := b.identity(t.Point, t.Value, cost, t.Metrics); !slices.Contains(p.ids, id) {
					p.ids = append(p.ids, id)
				}
			}
		}
		all.add(p)
	}
	return all
}

func (all presences) add(p presence) {
	put := func(k key) { all[k] = append(all[k], &p) }
	if p.row != "" {
		put(key{row: p.row, forgotten: p.forgotten})
	}
	for _, id := range p.ids {
		put(key{id: id, forgotten: p.forgotten})
		if p.row != "" {
			put(key{p.row, id, p.forgotten})
		}
	}
}

// take returns the first that fits, and each only once; nil if there is none.
func (all presences) take(fits func(*presence) bool, keys ...key) *presence {
	for _, k := range keys {
		for len(all[k]) > 0 && all[k][0].taken {
			all[k] = all[k][1:]
		}
		for _, p := range all[k] {
			if !p.taken && fits(p) {
				p.taken = true
				return p
			}
		}
	}
	return nil
}

// pair returns for each result of an import which of those that are there it is; nil if it is new. Rows are compared first. A forgotten
// result comes last, unless it is the same in all, one that was charged before others.
func (all presences) pair(list []reading) []*presence {
	found := make([]*presence, len(list))
	each := func(forgotten, byRow, byID bool, fits func(*presence, reading) bool) {
		for i, result := range list {
			if found[i] != nil {
				continue
			}
			var keys []key
			if byRow && result.Row != "" {
				for _, id := range append(slices.Clip(result.ids), "") {
					keys = append(keys, key{result.Row, id, forgotten})
				}
			}
			if byID {
				for _, id := range result.ids {
					keys = append(keys, key{id: id, forgotten: forgotten})
				}
			}
			found[i] = all.take(func(p *presence) bool { return fits(p, result) }, keys...)
		}
	}
	whatever := func(*presence, reading) bool { return true }
	each(false, true, false, whatever)
	each(false, false, true, whatever)
	each(true, true, true, (*presence).isReadAs)
	each(true, true, true, func(p *presence, _ reading) bool { return p.charged })
	each(true, true, true, whatever)
	return found
}

// Measured are the results of a record, as another study would import them. A trial that went on from another has cost what both have.
func Measured(r *study.Record) (list []Result) {
	for t := range r.EachMeasured() {
		list = append(list, Result{Setting: t.Setting, Value: t.Value, Cost: r.PaidBefore(t) + t.Charged, Metrics: t.Metrics})
	}
	return list
}

// Allowed returns those of the results that the study's parameters and constraints allow, with defaults for what they lack.
func (b *Broker) Allowed(all []Result) (list []Result) {
	for _, result := range all {
		if result.Setting = b.advisor.Space().Complete(result.Setting); b.advisor.Space().Allows(result.Setting) == nil {
			list = append(list, result)
		}
	}
	return list
}

// ofRow stands between a result's identity and its row, in the key of a trial that was run elsewhere.
const ofRow = " row "

// asTrial is the life of a trial that was run elsewhere. Like any other, it has failed if it lacks one of several objectives.
func (b *Broker) asTrial(number int, key string, point []float64, result Result, look bool) []study.Event {
	if result.Row != "" {
		key += ofRow + result.Row
	}
	end := study.Finished{State: study.Done, Value: result.Value, Charged: result.Cost - result.Before, Metrics: result.Metrics, Note: "imported"}
	if len(b.study.Missing(result.Metrics)) > 0 {
		end = b.study.Whole(end)
	}
	return []study.Event{
		{Kind: study.EventAsked, Trial: number, Runner: study.Importer, Key: key, Asked: &study.Asked{Setting: result.Setting, Point: point, Reserved: result.Cost - result.Before, Look: look}},
		{Kind: study.EventFinished, Trial: number, Key: key, Finished: &end},
	}
}

// identity is the same for equal results, and for no others. Results that differ in any objective are not equal.
func (b *Broker) identity(point []float64, value, cost float64, m study.Metrics) string {
	numbers := slices.Concat(point, []float64{value, cost})
	for _, o := range b.study.Objectives[min(1, len(b.study.Objectives)):] {
		x, known := m[o.Name]
		if !known {
			x = math.NaN()
		}
		numbers = append(numbers, x)
	}
	var text []byte
	for _, x := range numbers {
		text = append(strconv.AppendFloat(text, x, 'x', -1, 64), ' ')
	}
	sum := sha256.Sum256(text)
	return fmt.Sprintf("%s %s", study.Importer, hex.EncodeToString(sum[:12]))
}

// A study that starts from an earlier one gets a copy of its results into its own log, before its first trial. What happens to the
// earlier study afterwards changes nothing.

// leastEarlier is the number of results that an earlier study must have, and mostEarlier how many are copied.
const leastEarlier, mostEarlier = 4, 1000

// Earlier returns the results of a study in a store, as another one would start from them, and its definition. Looks are apart: they
// cost less than what they look at, and return something else. If changes cost something in the other one, it has prices for them, and the results come without.
func Earlier(ctx context.Context, st store.Store, name string, to *study.Study) (*study.Earlier, *study.Study, error) {
	b, err := Open(ctx, st, name)
	if err != nil {
		return nil, nil, err
	}
	r, err := b.Record(ctx)
	if err != nil {
		return nil, nil, err
	}
	earlier := &study.Earlier{From: name, Noisy: b.study.Noisy}
	listOf := func(look bool) *[]study.EarlierResult {
		if look {
			return &earlier.Looks
		}
		return &earlier.Results
	}
	for _, k := range r.Known {
		if list := listOf(k.Look); !k.Forgotten {
			*list = append(*list, study.EarlierResult{Setting: k.Setting, Value: k.Value, Cost: k.Cost, Metrics: k.Metrics})
		}
	}
	for _, t := range r.Trials {
		if list := listOf(t.Look); t.State == study.Done && t.IsEvidence() {
			cost := r.PaidBefore(t) + t.Charged
			if len(to.Changeover) > 0 {
				cost = b.advisor.OwnCost(r, t)
			}
			*list = append(*list, study.EarlierResult{Setting: t.Setting, Value: t.Value, Cost: cost, Metrics: t.Metrics})
		}
	}
	return earlier, b.study, nil
}

// earlierFor returns what a new study starts from; nil if it starts from nothing.
func earlierFor(ctx context.Context, st store.Store, s *study.Study) (*study.Earlier, error) {
	if s.StartFrom == "" || s.StartFrom == s.Name {
		if s.StartFrom != "" {
			return nil, fault.New(fault.BadStudy, "name an earlier study", "start_from: study %s cannot start from itself", s.Name)
		}
		return nil, nil
	}
	if s.Earlier != nil {
		return FitEarlier(s, s.Earlier, nil)
	}
	earlier, of, err := Earlier(ctx, st, s.StartFrom, s)
	if errors.Is(err, store.ErrNotFound) {
		return nil, fault.New(fault.BadStudy, "name a study of the same store, or give the path of a file with its results, such as ./results.csv",
			"start_from: there is no study %q", s.StartFrom)
	}
	if err != nil {
		return nil, err
	}
	return FitEarlier(s, earlier, of)
}

// FitEarlier returns what a study can use of an earlier one. It fails if that is nothing. of is the definition of the earlier study; nil if
// nobody knows it.
func FitEarlier(s *study.Study, earlier *study.Earlier, of *study.Study) (*study.Earlier, error) {
	sp, err := s.Space()
	if err != nil {
		return nil, err
	}
	if of != nil && s.Several() {
		if earlier, of, err = byName(s, earlier, of); err != nil {
			return nil, err
		}
	}
	if of != nil && of.Objective.Goal != s.Objective.Goal {
		return nil, fault.New(fault.BadStudy, "start from a study with the same goal", "start_from: study %s wants to %s, and this one to %s", earlier.From, of.Objective.Goal, s.Objective.Goal)
	}
	out := &study.Earlier{From: earlier.From, Noisy: earlier.Noisy}
	shared, looks := false, []study.EarlierResult(nil)
	if of == nil || sameTop(s, of) {
		looks = slices.Clip(earlier.Looks)
	}
	usable := func(e *study.EarlierResult) bool {
		if of != nil && !of.Cost.Equal(s.Cost) {
			e.Cost = 0 // it is in another unit
		}
		return math.Abs(e.Value) <= math.MaxFloat64 && e.Cost >= 0 && e.Cost <= study.MaxAmount
	}
	for _, e := range earlier.Results {
		if !usable(&e) {
			continue
		}
		shared = shared || shares(s, e.Setting)
		if s.Fidelity != nil {
			look := e
			if e.Setting = atTop(s, e.Setting, of); e.Setting == nil {
				looks = append(looks, look)
				continue
			}
		}
		if _, ok := sp.Adopt(e.Setting); ok {
			out.Results = append(out.Results, e)
		}
	}
	switch {
	case len(earlier.Results) > 0 && !shared:
		return nil, fault.New(fault.BadStudy, "parameters are matched by their names", "start_from: %s and this study have no parameter in common", earlier.From)
	case len(out.Results) < leastEarlier:
		return nil, fault.New(fault.BadStudy, "start from a study with more results in the ranges of this one", "start_from: %s has %s that this study can use, and at least %d are needed",
			earlier.From, say.Count(len(out.Results), "result"), leastEarlier)
	}
	for _, e := range looks {
		if _, ok := sp.Adopt(e.Setting); ok && usable(&e) && s.IsLook(e.Setting) {
			out.Looks = append(out.Looks, e)
		}
	}
	out.Results, out.Looks = some(out.Results, s.Objective.Goal), some(out.Looks, s.Objective.Goal)
	return out, nil
}

// sameTop says whether two studies have the same highest fidelity. Then looks at one are looks at the other.
func sameTop(s, of *study.Study) bool {
	return s.Fidelity != nil && of.Fidelity != nil && s.Fidelity.Name == of.Fidelity.Name && s.Fidelity.Top() == of.Fidelity.Top()
}

// atTop returns the setting of an earlier result at the highest fidelity of a study, which is the default. What counted in a study with this fidelity counts here, whatever
// its highest was, and so does a result that knows of no fidelity. Any other result below the highest is a look, and the setting is nil.
func atTop(s *study.Study, setting space.Setting, of *study.Study) space.Setting {
	name := s.Fidelity.Name
	if counted := of != nil && of.Fidelity != nil && of.Fidelity.Name == name; !counted && s.IsLook(setting) {
		return nil
	}
	setting = maps.Clone(setting)
	delete(setting, name)
	return setting
}

// byName returns an earlier study as one with several objectives sees it: objectives are matched by their names. One with a name that this study does not have, such as a
// single objective, is the first.
func byName(s *study.Study, earlier *study.Earlier, of *study.Study) (*study.Earlier, *study.Study, error) {
	first := of.Objective
	for _, o := range of.Aims() {
		for _, own := range s.Objectives {
			if o.Name == own.Name && o.Goal != own.Goal {
				return nil, nil, fault.New(fault.BadStudy, "start from a study with the same goals", "start_from: study %s wants to %s %s, and this one to %s it", earlier.From, o.Goal, o.Name, own.Goal)
			}
		}
		if o.Name == s.Objective.Name {
			first = o.Objective
		}
	}
	seen, out := *of, &study.Earlier{From: earlier.From, Noisy: earlier.Noisy}
	seen.Objective = first
	for _, e := range earlier.Results {
		e.Metrics = maps.Clone(e.Metrics)
		if first.Name != of.Objective.Name {
			value, known := e.Metrics[first.Name]
			if !known {
				continue
			}
			e.Metrics[of.Objective.Name], e.Value = e.Value, value
		}
		out.Results = append(out.Results, e)
	}
	return out, &seen, nil
}

// shares says whether a setting has a parameter that can vary in a study.
func shares(s *study.Study, setting space.Setting) bool {
	return slices.ContainsFunc(s.Parameters, func(p space.Param) bool {
		_, has := setting[p.Name]
		return has && p.Kind != space.KindFixed
	})
}

// some returns at most mostEarlier results: the better half of them the best, and the others spread over the rest.
func some(all []study.EarlierResult, goal study.Goal) []study.EarlierResult {
	if len(all) <= mostEarlier {
		return all
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case goal.Better(all[a].Value, all[b].Value):
			return -1
		case goal.Better(all[b].Value, all[a].Value):
			return 1
		}
		return 0
	})
	rest, kept := order[mostEarlier/2:], order[:mostEarlier/2:mostEarlier/2]
	for i := range mostEarlier - len(kept) {
		kept = append(kept, rest[i*len(rest)/(mostEarlier/2)])
	}
	slices.Sort(kept)
	list := make([]study.EarlierResult, len(kept))
	for i, k := range kept {
		list[i] = all[k]
	}
	return list
}

// takeEarlier puts what a study starts from into its log, unless it is there. A crash may have come between its creation and that.
func (b *Broker) takeEarlier(ctx context.Context) error {
	if b.study.StartFrom == "" {
		return nil
	}
	r, err := b.Record(ctx)
	if err != nil || r.Earlier != nil || len(r.Trials) > 0 {
		return err
	}
	earlier, err := earlierFor(ctx, b.store, b.study)
	if err != nil {
		return err
	}
	_, err = b.update(ctx, func(r *study.Record) ([]study.Event, error) {
		if r.Earlier != nil || len(r.Trials) > 0 { // somebody was faster
			return nil, nil
		}
		return []study.Event{{Kind: study.EventEarlier, Earlier: earlier}}, nil
	})
	return err
}

// exists says whether the store has the study.
func exists(ctx context.Context, st store.Store, name string) bool {
	_, _, err := st.Read(ctx, name, math.MaxInt64)
	return err == nil
}
