package broker

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// Broker is one study in a store. Many goroutines may use it at once.
type Broker struct {
	store      store.Store
	study      *study.Study
	log        *store.Follower
	advisor    *advisor.Advisor
	best       *advisor.BestCache
	thinking   chan struct{} // holds one token: two that think at once would think the same
	now        func() time.Time
	shaped     int64           // the parameters that it knows; see study.Record.Shaped
	definition json.RawMessage // see Definition
	changes    []string        // what Join changed
	decided    sync.Map        // the step up to which it was decided whether a trial goes on, by its number
	appended   atomic.Bool
	giveUp     atomic.Pointer[context.CancelFunc] // ends the thinking that a result makes useless; nil: nobody thinks
}

// Create puts a new study into the store.
func Create(ctx context.Context, st store.Store, s *study.Study, options ...advisor.Option) (*Broker, error) {
	b, err := newBroker(st, s, options...)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if _, err := earlierFor(ctx, st, s); err != nil && !exists(ctx, st, s.Name) {
		return nil, err // before anything is created
	}
	if err := st.Create(ctx, store.Header{
		Name: s.Name, Definition: raw, Created: b.now(), Total: s.Budget.Total, Measured: s.Measured(),
	}); err != nil {
		return b, err
	}
	return b, b.takeEarlier(ctx)
}

// Open returns the broker of a study in the store.
func Open(ctx context.Context, st store.Store, name string) (*Broker, error) {
	log := store.Follow(st, name)
	r, header, err := log.Record(ctx)
	if err != nil {
		return nil, err
	}
	latest := header.Definition
	if r.Definition != nil {
		latest = r.Definition
	}
	s, err := definition(name, latest)
	if err != nil {
		return nil, err
	}
	b, err := newBroker(st, s)
	if err == nil {
		b.log, b.shaped, b.definition = log, r.Shaped, r.Definition // the log has read all of it
	}
	return b, err
}

func definition(name string, raw json.RawMessage) (*study.Study, error) {
	s := &study.Study{}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, fault.New(fault.StoreBroken, "", "the definition of study %q cannot be read: %w", name, err)
	}
	s.Name = name // it may have been renamed
	return s, nil
}

func newBroker(st store.Store, s *study.Study, options ...advisor.Option) (*Broker, error) {
	a, err := advisor.New(s, options...)
	return &Broker{store: st, study: s, log: store.Follow(st, s.Name), advisor: a, best: advisor.NewBestCache(a), thinking: make(chan struct{}, 1), now: time.Now}, err
}

// Study returns the study's definition.
func (b *Broker) Study() *study.Study { return b.study }

// Definition is what the log said of the definition when Open read it; nil: it was never changed. The log may say something else by now.
func (b *Broker) Definition() json.RawMessage { return b.definition }

// Advisor returns who suggests trials for the study.
func (b *Broker) Advisor() *advisor.Advisor { return b.advisor }

// Header returns what the store says of the study. Its name may have changed since the study was opened.
func (b *Broker) Header(ctx context.Context) (store.Header, error) {
	_, header, err := b.log.Record(ctx)
	return header, err
}

// Own returns the trial with a number and an ID. It refuses a trial that the log does not have. Without an ID the number is enough, unless
// the study's name has meant another log before. sure says that whoever sends the ID knows this study by its own ID, not by its name alone.
func (b *Broker) Own(ctx context.Context, number int, id string, sure bool) (study.Trial, error) {
	r, header, err := b.log.Record(ctx)
	if err != nil {
		return study.Trial{}, err
	}
	t, err := r.Trial(number)
	switch {
	case id != "" && (err != nil || t.ID != id):
		if sure { // the log is not the one that handed the trial out: who does not know IDs cannot be told apart any more
			if e := b.store.Retire(ctx, header.Name); e != nil {
				return study.Trial{}, e
			}
		}
		return study.Trial{}, fault.New(fault.UnknownLease, "keep what it found elsewhere; if a backup was restored, import the result: eke import",
			"the log of study %s has no trial %d with the ID %s", header.Name, number, id)
	case err != nil || id != "":
		return t, err
	}
	former, err := b.store.Former(ctx, header.Name)
	if err == nil && len(former) > 0 {
		err = fault.New(fault.UnknownLease, "update whoever sends this, so that it says which study and trial it means (Eke-Study, Eke-Trial)",
			"there was another study of the name %s, and nothing says that trial %d is of this one", header.Name, number)
	}
	return t, err
}

// Appended reports whether this broker has appended anything to the log.
func (b *Broker) Appended() bool { return b.appended.Load() }

// Digest returns the digest of an event of the log; empty if the log has no such event.
func (b *Broker) Digest(ctx context.Context, event int64) (string, error) {
	_, header, err := b.log.Record(ctx)
	if err != nil {
		return "", err
	}
	_, events, err := b.store.Read(ctx, header.Name, event-1)
	if err != nil || len(events) == 0 {
		return "", err
	}
	return events[0].Digest, nil
}

// Record returns the study as it stands. It is shared, and must not be changed.
func (b *Broker) Record(ctx context.Context) (*study.Record, error) {
	r, _, err := b.log.Record(ctx)
	return r, err
}

// Best returns the best setting by a record of the study; see advisor.Advisor.Best. The models are fitted once for the same results.
func (b *Broker) Best(ctx context.Context, r *study.Record) (best advisor.Best, ok bool, err error) {
	return b.best.Of(ctx, r)
}

// Front returns the front by a record of the study with several objectives; see advisor.Advisor.Front. The models are fitted once for the same results.
func (b *Broker) Front(ctx context.Context, r *study.Record) (advisor.Front, error) {
	return b.best.Front(ctx, r)
}

// LastBest returns what Best returned last, without fitting models. The study may have more results since. If Best was never called,
// ok is false.
func (b *Broker) LastBest() (best advisor.Best, ok bool) { return b.best.Last() }

// Ask hands out the next trial to a runner, and reserves money for it.
func (b *Broker) Ask(ctx context.Context, runner string) (study.Trial, error) {
	return b.AskAs(ctx, Asker{Runner: runner})
}

// AskAs is Ask for an asker of whom more is known.
func (b *Broker) AskAs(ctx context.Context, to Asker) (study.Trial, error) {
	return b.ask(ctx, to, false)
}

// Asker is who asks for a trial.
type Asker struct {
	Runner string
	Place  string // where the trial is to be evaluated, if changes cost something there; empty: the runner is the place
	Key    string // the same key gets the same trial again, since an answer may be lost on its way; empty: there is none
	Token  string // the ID of the token of a server that it asks with; empty: there is none
}

// Lease hands out the next trial and starts it at once. It is for a remote runner, which keeps the trial alive by Touch.
func (b *Broker) Lease(ctx context.Context, to Asker) (study.Trial, error) {
	return b.ask(ctx, to, true)
}

func (b *Broker) ask(ctx context.Context, to Asker, start bool) (study.Trial, error) {
	select {
	case b.thinking <- struct{}{}:
		defer func() { <-b.thinking }()
	case <-ctx.Done():
		return study.Trial{}, ctx.Err()
	}
	if err := b.takeEarlier(ctx); err != nil {
		return study.Trial{}, err
	}
	if len(b.study.Changeover) == 0 {
		to.Place = "" // it does not matter
	}
	begin := b.now()
	number, attempts, thought := 0, 0, &advisor.Thought{}
	r, err := b.update(ctx, func(r *study.Record) ([]study.Event, error) {
		if known := slices.IndexFunc(r.Trials, func(t study.Trial) bool { return to.Key != "" && t.AskKey == to.Key }); known >= 0 {
			number = known + 1
			return nil, nil
		}
		number = len(r.Trials) + 1
		if err := r.MayAsk(); err != nil {
			return nil, err
		}
		if err := b.mayEncode(r); err != nil {
			return nil, err
		}
		attempts++
		asked, isOutdated, err := b.think(ctx, attempts, func(ctx context.Context) (study.Asked, error) {
			return b.advisor.At(cmp.Or(to.Place, to.Runner)).Thinking(thought).Next(ctx, r)
		})
		switch {
		case ctx.Err() != nil: // a choice that was cut short depends on the clock, and must not become a trial
			return nil, ctx.Err()
		case isOutdated:
			return nil, store.Conflict(b.study.Name, r.Version, 0) // as it would be found out when the choice is appended
		case err != nil:
			return nil, err
		}
		asked.Thinking = b.now().Sub(begin).Seconds()
		events := []study.Event{{Kind: study.EventAsked, Trial: number, Runner: to.Runner, Place: to.Place, Token: to.Token, Key: to.Key, Asked: &asked}}
		if start {
			events = append(events, study.Event{Kind: study.EventStarted, Trial: number, Runner: to.Runner, Place: to.Place})
		}
		return events, nil
	})
	if err != nil {
		return study.Trial{}, err
	}
	return r.Trials[number-1], nil
}

// mostGivenUp is how many attempts at a choice are given up for newer results. The next attempt is then thought to its end all the same: of
// many quick trials, one may end whenever another attempt begins.
const mostGivenUp = 10

// think has the next trial chosen. If a trial ends meanwhile, the choice would have to be made again anyway, and is outdated at once.
func (b *Broker) think(ctx context.Context, attempt int, next func(context.Context) (study.Asked, error)) (asked study.Asked, isOutdated bool, err error) {
	thinking, cancel := context.WithCancel(ctx)
	defer cancel()
	if attempt <= mostGivenUp {
		b.giveUp.Store(&cancel)
		defer b.giveUp.Store(nil)
	}
	asked, err = next(thinking)
	return asked, thinking.Err() != nil && ctx.Err() == nil, err
}

// Start notes that the evaluation of a trial begins, and who runs it.
func (b *Broker) Start(ctx context.Context, trial int, runner string) error {
	return b.StartAt(ctx, trial, runner, "")
}

// StartAt is Start at a place, if changes cost something there.
func (b *Broker) StartAt(ctx context.Context, trial int, runner, place string) error {
	return b.append(ctx, study.Event{Kind: study.EventStarted, Trial: trial, Runner: runner, Place: place})
}

// Extend gives a running trial more money if it needs more soon and there is more; see study.Study.Extension. It returns the trial as it
// stands afterwards.
func (b *Broker) Extend(ctx context.Context, trial int, elapsed, margin float64) (study.Trial, error) {
	r, err := b.update(ctx, func(r *study.Record) ([]study.Event, error) {
		t, err := r.Trial(trial)
		if err != nil {
			return nil, err
		}
		want := b.study.Extension(r, t, elapsed, margin)
		if t.State != study.Running || want <= t.Reserved {
			return nil, nil
		}
		return []study.Event{{Kind: study.EventExtended, Trial: trial, Reserved: want}}, nil
	})
	if err != nil {
		return study.Trial{}, err
	}
	return r.Trials[trial-1], nil
}

// Queue notes why a trial waits for its turn in an engine; with no reason, that it waits no more.
func (b *Broker) Queue(ctx context.Context, trial int, reason string) error {
	_, err := b.update(ctx, func(r *study.Record) ([]study.Event, error) {
		t, err := r.Trial(trial)
		if err != nil || t.State != study.Running || t.Queued == reason {
			return nil, err
		}
		return []study.Event{{Kind: study.EventQueued, Trial: trial, Reason: reason}}, nil
	})
	return err
}

// AddBudget raises the budget.
func (b *Broker) AddBudget(ctx context.Context, amount float64) error {
	return b.AddBudgetAs(ctx, amount, "")
}

// AddBudgetAs is AddBudget for a sender that may repeat a request because its answer was lost. The same key takes effect once.
func (b *Broker) AddBudgetAs(ctx context.Context, amount float64, key string) error {
	_, err := b.update(ctx, func(r *study.Record) ([]study.Event, error) {
		if key != "" && slices.Contains(r.Added, key) {
			return nil, nil
		}
		return []study.Event{{Kind: study.EventBudget, Added: amount, Key: key}}, nil
	})
	return err
}

// Close ends the study. No further trial is handed out; trials under way may still end.
func (b *Broker) Close(ctx context.Context) error {
	return b.append(ctx, study.Event{Kind: study.EventClosed})
}

// ErrReshaped says that somebody has changed the parameters since the study was opened.
var ErrReshaped error = fault.New(fault.CannotRun, "run again, to go on with the new ones", "the study's parameters were changed by somebody else")

// mayEncode returns an error if the points of this broker are not the study's points any more.
func (b *Broker) mayEncode(r *study.Record) error {
	if r.Shaped != b.shaped {
		return ErrReshaped
	}
	return nil
}

// Touch notes that these trials are alive now.
func (b *Broker) Touch(ctx context.Context, trials ...int) error {
	_, header, err := b.log.Record(ctx)
	if err != nil {
		return err
	}
	return b.store.Touch(ctx, header.Name, trials, b.now().UTC())
}

// Strays returns the open trials of runners whose names begin with a prefix.
func (b *Broker) Strays(ctx context.Context, prefix string) (list []study.Stray, err error) {
	r, header, err := b.log.Record(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range r.Open() {
		if strings.HasPrefix(t.Runner, prefix) {
			list = append(list, study.Stray{Trial: t, Seen: cmp.Or(t.Started, t.Asked)})
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	touched, err := b.store.Touched(ctx, header.Name)
	for i, t := range list {
		if at := touched[t.Number]; at.After(t.Seen) {
			list[i].Seen = at
		}
	}
	return list, err
}

func (b *Broker) append(ctx context.Context, e study.Event) error {
	_, err := b.update(ctx, func(*study.Record) ([]study.Event, error) { return []study.Event{e}, nil })
	return err
}

// update appends the events that decide returns for the study as it stands.
func (b *Broker) update(ctx context.Context, decide func(*study.Record) ([]study.Event, error)) (*study.Record, error) {
	decided, hasEnded := 0, false
	r, err := b.log.Update(ctx, func(r *study.Record, _ store.Header) ([]study.Event, error) {
		events, err := decide(r)
		hasEnded = false
		for i := range events {
			events[i].At = b.now().UTC()
			hasEnded = hasEnded || events[i].Kind == study.EventFinished
		}
		decided = len(events)
		return events, err
	})
	if err == nil && decided > 0 {
		b.appended.Store(true)
	}
	if giveUp := b.giveUp.Load(); err == nil && hasEnded && giveUp != nil {
		(*giveUp)()
	}
	return r, err
}

// Enqueue has a setting tried next, after those that were enqueued before it. Parameters that it leaves out have their
// defaults; those without a default are left to the policy. The same key enqueues once.
func (b *Broker) Enqueue(ctx context.Context, setting space.Setting, note, key string) (study.Item, error) {
	sp, kind, given := b.advisor.Space(), study.EventEnqueued, len(setting)
	setting = sp.Complete(setting)
	point, err := sp.Encode(setting)
	switch {
	case err == nil:
		err = sp.Allows(setting)
	case given > 0:
		kind = study.EventWanted
		_, err = sp.Hold(setting)
	}
	if err != nil {
		return study.Item{}, err
	}
	number := 0
	r, err := b.update(ctx, func(r *study.Record) ([]study.Event, error) {
		if i := slices.IndexFunc(r.Queue, func(q study.Item) bool { return key != "" && q.Key == key }); i >= 0 {
			number = i + 1
			return nil, nil
		}
		if err := b.mayEncode(r); err != nil {
			return nil, err
		}
		number = len(r.Queue) + 1
		return []study.Event{{Kind: kind, Key: key, Enqueued: &study.Enqueued{Setting: setting, Point: point, Note: note}}}, nil
	})
	if err != nil {
		return study.Item{}, err
	}
	return r.Queue[number-1], nil
}

// Dequeue takes an item out of the queue.
func (b *Broker) Dequeue(ctx context.Context, item int) error {
	return b.append(ctx, study.Event{Kind: study.EventDequeued, Item: item})
}

// Retry has the settings of trials tried again, once each, even if that is asked for several times before it happens. It returns the
// items of the queue.
func (b *Broker) Retry(ctx context.Context, trials ...int) (items []study.Item, err error) {
	var numbers []int
	r, err := b.update(ctx, func(r *study.Record) (events []study.Event, err error) {
		numbers = nil
		if err := b.mayEncode(r); err != nil {
			return nil, err
		}
		at := map[int]int{}
		for _, item := range r.Waiting() {
			at[item.Retries] = item.Number
		}
		for _, n := range trials {
			t, err := r.Trial(n)
			if err != nil {
				return nil, err
			}
			switch err := b.advisor.Space().Allows(t.Setting); {
			case t.Outside:
				return nil, fault.New(fault.Conflict, "", "the parameters have changed, and do not allow the setting of trial %d any more", n)
			case err != nil:
				return nil, fault.New(fault.Conflict, fault.HintOf(err), "trial %d cannot be tried again: %w", n, err)
			case at[n] == 0:
				at[n] = len(r.Queue) + len(events) + 1
				events = append(events, study.Event{Kind: study.EventEnqueued, Enqueued: &study.Enqueued{
					Setting: t.Setting, Point: t.Point, Retries: n, Note: fmt.Sprintf("trial %d is tried again", n)}})
			}
			numbers = append(numbers, at[n])
		}
		return events, nil
	})
	if err != nil {
		return nil, err
	}
	for _, n := range numbers {
		items = append(items, r.Queue[n-1])
	}
	return items, nil
}

// Label changes what people have written on the study.
func (b *Broker) Label(ctx context.Context, change func(*study.Labels)) error {
	_, err := b.update(ctx, func(r *study.Record) ([]study.Event, error) {
		labels := r.Labels
		change(&labels)
		labels, err := labels.Tidy()
		if err != nil || labels.Equal(r.Labels) {
			return nil, err
		}
		return []study.Event{{Kind: study.EventLabelled, Labels: &labels}}, nil
	})
	return err
}
