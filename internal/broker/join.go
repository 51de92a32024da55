package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// ErrDiffers says that a study file contradicts the study of that name in the store.
var ErrDiffers error = fault.New(fault.BadStudy, "to continue that study, undo these changes; to begin a new one, give it another name",
	"the study file differs from the study in the store")

// Differs is the error of a study file that contradicts the study in the store, with everything that does.
type Differs struct {
	Fields []Difference
	whole  *fault.Error
}

// Error lists them in one sentence.
func (d *Differs) Error() string { return d.whole.Error() }

// Unwrap leads to ErrDiffers.
func (d *Differs) Unwrap() error { return d.whole }

// Difference is something that a study cannot change once it has begun.
type Difference struct {
	Field   string // such as objective, or parameters.lr
	Value   any    // what the file says; nil: it does not mention it
	Problem string
	Hint    string
}

func newDiffers(name string, what []Difference) *Differs {
	words := make([]string, len(what))
	for i, d := range what {
		words[i] = d.Problem
	}
	return &Differs{what, fault.Errorf("", "study %q: %w: %s", name, ErrDiffers, strings.Join(words, "; "))}
}

// Join returns the broker of a study that was read from a file. It creates the study unless it is in the store; otherwise it is Redefine.
func Join(ctx context.Context, st store.Store, s *study.Study, options ...advisor.Option) (*Broker, error) {
	if err := hasItsName(ctx, st, s.Name); err != nil {
		return nil, err
	}
	d, err := Create(ctx, st, s, options...)
	if !errors.Is(err, store.ErrExists) {
		return d, err
	}
	return Redefine(ctx, st, s, options...)
}

// hasItsName refuses to begin a study under a name that another had until it was renamed: a study file with the old name would have the
// money spent a second time.
func hasItsName(ctx context.Context, st store.Store, name string) error {
	former, err := st.Former(ctx, name)
	if err != nil || len(former) == 0 || exists(ctx, st, name) {
		return err
	}
	heads, err := st.Heads(ctx)
	for _, h := range heads {
		if slices.Contains(former, h.ID) {
			return fault.New(fault.BadStudy, fmt.Sprintf("write name: %s in the study file; to begin another study of the old name: eke study create", h.Name),
				"study %s was renamed, and is called %s", name, h.Name)
		}
	}
	return err
}

// Redefine makes a study in the store the one that a file describes, and returns its broker. Both must agree on what a result and a cost
// mean. Everything else may have changed: then the store takes over what the file says. Another budget is booked as what was added or
// taken away. With other parameters, the trials so far count as far as these still allow their settings.
func Redefine(ctx context.Context, st store.Store, s *study.Study, options ...advisor.Option) (*Broker, error) {
	return redefineSince(ctx, st, s, 0, options...)
}

// Edit is Redefine for a file that was written from the study as it was at a version. Its budget is the one that the study gets, whatever
// was added before that version. If the definition or the budget has been changed since, Edit refuses.
func Edit(ctx context.Context, st store.Store, s *study.Study, version int64) (*Broker, error) {
	return redefineSince(ctx, st, s, version)
}

// redefineSince is Edit, or Redefine if the version is 0.
func redefineSince(ctx context.Context, st store.Store, s *study.Study, version int64, options ...advisor.Option) (*Broker, error) {
	stored, err := Open(ctx, st, s.Name)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(s) // and back, so that both have been through the same
	if err != nil {
		return nil, err
	}
	file, err := definition(s.Name, raw)
	if err != nil {
		return nil, err
	}
	d, err := newBroker(st, s, options...)
	if err != nil {
		return nil, err
	}
	r, err := d.update(ctx, func(r *study.Record) ([]study.Event, error) {
		d.changes = nil
		if err := unchangedSince(ctx, st, s.Name, version); err != nil {
			return nil, err
		}
		current := stored.study
		if r.Definition != nil { // somebody else may have taken the same file over since: its budget is booked once
			if current, err = definition(s.Name, r.Definition); err != nil {
				return nil, err
			}
		}
		if what := differences(current, file, len(r.Trials)+len(r.Known) > 0); len(what) > 0 {
			return nil, newDiffers(s.Name, what)
		}
		if r.Shaped != stored.shaped {
			return nil, ErrReshaped
		}
		before := current.Budget.Total
		if version > 0 {
			before = r.Ledger.Total
		}
		return d.redefine(r, current, file, raw, before)
	})
	if err != nil {
		return nil, err
	}
	d.shaped = r.Shaped
	return d, d.takeEarlier(ctx)
}

// Pending names the fields of a study file that Redefine would change in the study, in the order of the file. It changes nothing. The error is that of a
// file which Redefine would refuse.
func (b *Broker) Pending(r *study.Record, s *study.Study) (fields []string, err error) {
	raw, err := json.Marshal(s) // and back, as in redefineSince
	if err != nil {
		return nil, err
	}
	file, err := definition(b.study.Name, raw)
	if err != nil {
		return nil, err
	}
	if what := differences(b.study, file, len(r.Trials)+len(r.Known) > 0); len(what) > 0 {
		return nil, newDiffers(s.Name, what)
	}
	stored, now := reflect.ValueOf(*b.study), reflect.ValueOf(*file)
	for i := range now.NumField() {
		if name, _, _ := strings.Cut(now.Type().Field(i).Tag.Get("json"), ","); !reflect.DeepEqual(stored.Field(i).Interface(), now.Field(i).Interface()) {
			fields = append(fields, name)
		}
	}
	return fields, nil
}

// Changes says in words what Join or Redefine changed in a study that was there already.
func (b *Broker) Changes() []string { return b.changes }

// unchangedSince refuses to overwrite what somebody else has changed while a study file was edited.
func unchangedSince(ctx context.Context, st store.Store, name string, version int64) error {
	if version == 0 {
		return nil
	}
	_, events, err := st.Read(ctx, name, version)
	for _, e := range events {
		switch e.Kind {
		case study.EventDefined, study.EventReshaped, study.EventBudget, study.EventLowered:
			return fault.New(fault.Conflict, "read the study file again, and change that", "somebody else has changed the study meanwhile")
		}
	}
	return err
}

// redefine returns the events that make the study in the store the one in the file, and notes what changes. Before is the budget that the
// file was written from: only another one changes the budget.
func (b *Broker) redefine(r *study.Record, stored, file *study.Study, raw json.RawMessage, before float64) (events []study.Event, err error) {
	if reflect.DeepEqual(stored, file) && before == file.Budget.Total {
		return nil, nil
	}
	if more := file.Budget.Total - r.Ledger.Total; before != file.Budget.Total && more != 0 {
		money := func(x float64) string { return say.Amount(file.Cost, x) }
		e, word := study.Event{Kind: study.EventBudget, Added: more}, "raised"
		if l := r.Ledger; more < 0 {
			if file.Budget.Total < (l.Spent+l.Reserved)*(1-1e-9) {
				return nil, fault.New(fault.BadRequest, "leave at least "+money(l.Spent+l.Reserved), "the budget cannot be lowered to %s: %s are spent and %s reserved",
					money(file.Budget.Total), money(l.Spent), money(l.Reserved))
			}
			e, word = study.Event{Kind: study.EventLowered, Lowered: -more}, "lowered"
		}
		events = append(events, e)
		b.changes = append(b.changes, fmt.Sprintf("the budget was %s from %s to %s", word, money(r.Ledger.Total), money(file.Budget.Total)))
	}
	e := study.Event{Kind: study.EventDefined, Definition: raw}
	reshaped := !reflect.DeepEqual(stored.Inputs(), file.Inputs())
	if reshaped {
		e.Kind = study.EventReshaped
	}
	if reshaped || !slices.Equal(stored.Where, file.Where) {
		text, dropped := b.reshaping(r, reshaped)
		b.changes, events = append(b.changes, text), append(events, dropped...)
	}
	after, taken := r.Clone(), e // all changes together decide what counts
	taken.Seq = r.Version + 1
	if err := after.Try(taken); err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(stored.Limits, file.Limits) {
		b.changes = append(b.changes, strings.TrimSuffix("the limits have changed; "+say.Meet(file.Limits, after, 0), "; "))
	}
	if !reflect.DeepEqual(boundsOf(stored), boundsOf(file)) {
		b.changes = append(b.changes, "the bounds of the objective have changed")
	}
	if !reflect.DeepEqual(worstOf(stored), worstOf(file)) {
		b.changes = append(b.changes, fmt.Sprintf("the worst that counts has changed; the front has %s now", say.Count(len(file.Front(after)), "result")))
	}
	return append(events, e), nil
}

// reshaping says how much of what is there the new parameters or constraints do not allow. It returns events that take such settings out of the queue, apart
// from those that the new parameters take out by themselves.
func (b *Broker) reshaping(r *study.Record, reshaped bool) (text string, dropped []study.Event) {
	sp, text := b.advisor.Space(), "the constraints have changed"
	count := func(outside, of int, words string) {
		if outside > 0 {
			text += fmt.Sprintf("; %d of %d %s", outside, of, words)
		}
	}
	if reshaped {
		text = "the parameters have changed"
		trials, known := 0, 0
		for _, t := range r.Trials {
			if _, _, out := study.Refit(sp, t.Setting, t.Point); out {
				trials++
			}
		}
		for _, k := range r.Known {
			if _, _, out := study.Refit(sp, k.Setting, k.Point); out {
				known++
			}
		}
		count(trials, len(r.Trials), "trials are outside of them, and do not count any more")
		count(known, len(r.Known), "known results are outside of them, and do not count any more")
	}
	left, waiting := 0, r.Waiting()
	for _, item := range waiting {
		err := sp.Allows(sp.Complete(item.Setting))
		if item.Part {
			_, err = sp.Hold(item.Setting)
		}
		if err == nil {
			continue
		}
		left++
		if _, outside := errors.AsType[space.Errors](err); !reshaped || !item.Part && !outside {
			dropped = append(dropped, study.Event{Kind: study.EventDequeued, Item: item.Number})
		}
	}
	count(left, len(waiting), "waiting settings are not allowed any more, and will not be tried")
	return text, dropped
}

// differences lists what a study cannot change once it has begun.
func differences(stored, file *study.Study, tried bool) (what []Difference) {
	const undo = "undo this change, or begin a new study"
	differ := func(field string, a, b any) {
		if !reflect.DeepEqual(a, b) {
			what = append(what, Difference{field, b, fmt.Sprintf("%s was %v and is now %v", field, orNone(a), orNone(b)), undo})
		}
	}
	if was, is := goalsOf(stored), goalsOf(file); was == nil && is == nil {
		differ("objective.name", stored.Objective.Name, file.Objective.Name)
		differ("objective.goal", stored.Objective.Goal, file.Objective.Goal)
	} else if !slices.Equal(was, is) {
		what = append(what, Difference{"objectives", is, fmt.Sprintf("objectives was %s and is now %s", say.Goals(stored), say.Goals(file)), undo})
	}
	differ("cost.unit", stored.Cost.Unit, file.Cost.Unit)
	differ("cost.source", stored.Cost.Source, file.Cost.Source)
	differ("cost.of", stored.Cost.Of, file.Cost.Of)
	differ("cost.price", stored.Cost.Price, file.Cost.Price)
	differ("cost.rate", stored.Cost.Rate, file.Cost.Rate)
	differ("seed", stored.Seed, file.Seed)
	differ("noise", stored.Noisy, file.Noisy)
	differ("start_from", stored.StartFrom, file.StartFrom)
	if !tried {
		return what
	}
	for _, p := range file.Inputs() {
		if !has(stored, p.Name) && p.Kind != space.KindFixed && p.Default.IsZero() {
			what = append(what, Difference{"parameters." + p.Name, p, fmt.Sprintf("parameter %s is new, and needs a default: the value that earlier trials are taken to have had", p.Name),
				"give it a default"})
		}
	}
	for _, p := range stored.Inputs() {
		if !has(file, p.Name) {
			what = append(what, Difference{"parameters." + p.Name, nil, fmt.Sprintf("parameter %s is gone; to vary it no longer, write {type: fixed, value: …}", p.Name),
				"put it back; to vary it no longer, write {type: fixed, value: …}"})
		}
	}
	return what
}

// goalsOf are the objectives of a study with several: what counts as worst may change, and so may bounds.
func goalsOf(s *study.Study) (list []study.Objective) {
	for _, o := range s.Objectives {
		list = append(list, study.Objective{Name: o.Name, Goal: o.Goal})
	}
	return list
}

// worstOf is the worst that counts of each of several objectives.
func worstOf(s *study.Study) (list []*float64) {
	for _, o := range s.Objectives {
		list = append(list, o.Worst)
	}
	return list
}

// boundsOf is what each objective can be at least and at most.
func boundsOf(s *study.Study) (list []*float64) {
	for _, o := range s.Aims() {
		list = append(list, o.Min, o.Max)
	}
	return list
}

// orNone returns what is shown of a field's value.
func orNone(v any) any {
	if v == "" {
		return "none"
	}
	return v
}

func has(s *study.Study, name string) bool {
	return slices.ContainsFunc(s.Inputs(), func(p space.Param) bool { return p.Name == name })
}

// StopAt changes when the study ends although there is money left, and returns its broker.
func (b *Broker) StopAt(ctx context.Context, stop study.Stop, options ...advisor.Option) (*Broker, error) {
	var changed *Broker
	_, err := b.update(ctx, func(r *study.Record) ([]study.Event, error) {
		if err := b.mayEncode(r); err != nil {
			return nil, err
		}
		s := *b.study
		if r.Definition != nil { // somebody else may have changed it since
			latest, err := definition(b.study.Name, r.Definition)
			if err != nil {
				return nil, err
			}
			latest.Earlier = s.Earlier
			s = *latest
		}
		isSo := s.Stop == stop
		if isSo && b.study.Stop == stop {
			changed = b
			return nil, nil
		}
		s.Stop = stop
		raw, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		if changed, err = newBroker(b.store, &s, options...); err != nil {
			return nil, err
		}
		changed.log, changed.shaped, changed.definition = b.log, b.shaped, raw
		if isSo {
			return nil, nil
		}
		return []study.Event{{Kind: study.EventDefined, Definition: raw}}, nil
	})
	return changed, err
}
