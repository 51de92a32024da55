package study

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

func (r *Record) forgotten(e Event) error  { return r.forget(e, true) }
func (r *Record) remembered(e Event) error { return r.forget(e, false) }

func (r *Record) forget(e Event, forgotten bool) error {
	already := map[bool]string{true: "forgotten already", false: "not forgotten"}[forgotten]
	note := ""
	if forgotten {
		note = e.Reason
	}
	if e.Result != 0 {
		if e.Result < 1 || e.Result > len(r.Known) {
			return fault.New(fault.NotFound, fmt.Sprintf("there are %d", len(r.Known)), "there is no known result %d", e.Result)
		}
		k := &r.Known[e.Result-1]
		if err := change(&k.Forgotten, forgotten, fmt.Sprintf("the known result %d is %s", e.Result, already)); err != nil {
			return err
		}
		k.Forgot = note
		return nil
	}
	t, err := r.trial(e.Trial)
	if err != nil {
		return err
	}
	if t.State.Open() {
		return fault.New(fault.Conflict, "stop it first: eke stop", "trial %d %s, and has no result to forget", t.Number, t.State.Predicate())
	}
	if err := change(&t.Forgotten, forgotten, fmt.Sprintf("trial %d is %s", t.Number, already)); err != nil {
		return err
	}
	t.Forgot = note
	return nil
}

// corrected replaces the figures of a trial. Where the cost is measured, no correction carries spent past the total.
func (r *Record) corrected(e Event) error {
	t, err := r.trial(e.Trial)
	if err != nil {
		return err
	}
	c := e.Corrected
	switch {
	case t.State.Open():
		return fault.New(fault.Conflict, "report its result: eke tell", "trial %d %s; only one that has ended can be corrected", t.Number, t.State.Predicate())
	case c == nil || !c.State.Ended():
		return refuse("trial %d cannot be corrected without a state", t.Number)
	case !isAmount(c.Charged) || math.IsNaN(c.Value) || math.IsInf(c.Value, 0):
		return fault.New(fault.BadRequest, "give a finite value and a cost from 0 to 1e15", "trial %d: the value is %v and the cost %v", t.Number, c.Value, c.Charged)
	case c.Setup != nil && !(*c.Setup >= 0 && *c.Setup <= c.Charged):
		return fault.New(fault.BadRequest, fmt.Sprintf("give the part of the cost that went into changes, from 0 to %v, as the setup", c.Charged), "trial %d: the setup is %v, and the cost %v", t.Number, *c.Setup, c.Charged)
	case r.Measured && c.Charged > (t.Charged+r.Ledger.Left())*(1+slack):
		at := func(seconds float64) string {
			return formatDuration(time.Duration(math.Round(min(seconds, 1e9) * 1e9)).Truncate(time.Microsecond))
		}
		return fault.New(fault.Conflict, "add to the budget first: eke budget add AMOUNT", "trial %d: a cost that is measured cannot exceed the budget; it can be at most %s, and is given as %s", t.Number, at(t.Charged+r.Ledger.Left()), at(c.Charged))
	}
	if err := c.Metrics.check(); err != nil {
		return fault.New(fault.BadRequest, fault.HintOf(err), "trial %d: %w", t.Number, err)
	}
	more := c.Charged > t.Charged
	t.Was = append(slices.Clip(t.Was), Was{State: t.State, Value: t.Value, Charged: t.Charged, Setup: t.Setup, Metrics: t.Metrics, Until: e.At, Why: c.Note})
	t.Note, t.Metrics, t.corrected = t.noteAfter(*c), t.metricsAfter(*c), e.Seq
	r.Ledger.Spent = math.Max(r.Ledger.Spent-t.Charged+c.Charged, 0)
	t.State, t.Value, t.Charged, t.Setup = c.State, unsigned(c.Value), c.Charged, cmp.Or(c.Setup, t.Setup)
	t.Estimated = t.Estimated && !c.Exact
	if t.State == Done {
		t.Note = withoutLacks(t.Note)
	}
	t.Violates = r.violated(t.State, t.Metrics)
	if r.Ledger.Spent > r.Ledger.Total*(1+slack) && more {
		t.Beyond = true
	}
	r.settleOverrun()
	return nil
}

// metricsAfter are the metrics of a trial that is corrected.
func (t Trial) metricsAfter(c Corrected) Metrics {
	m := t.Metrics.with(c.Metrics)
	if c.Without != "" {
		m = maps.Clone(m)
		delete(m, c.Without)
	}
	return m
}

func (r *Record) lowered(e Event) error {
	l := r.Ledger
	if !isAmount(e.Lowered) || e.Lowered == 0 {
		return fault.New(fault.BadRequest, "give an amount above zero", "the budget cannot be lowered by %v", e.Lowered)
	}
	if least := l.Spent + l.Reserved; l.Total-e.Lowered < least*(1-slack) || l.Total-e.Lowered <= 0 {
		return fault.New(fault.BadRequest, fmt.Sprintf("leave at least %v", least), "the budget cannot be lowered to %v: %v are spent and %v reserved", l.Total-e.Lowered, l.Spent, l.Reserved)
	}
	r.Ledger.Total -= e.Lowered
	return nil
}

// Item is a setting that somebody wanted to be tried.
type Item struct {
	Number  int           `json:"number"`            // Number counts the items from 1.
	Setting space.Setting `json:"setting"`           // Setting is what to try.
	Point   []float64     `json:"point"`             // Point is the setting's canonical point in the unit cube; nil for a part.
	Part    bool          `json:"part,omitempty"`    // Part says that the setting leaves parameters out, which the policy chooses.
	Retries int           `json:"retries,omitempty"` // Retries is the trial that is tried again; 0 if it is a new setting.
	Note    string        `json:"note,omitempty"`    // Note is a remark of whoever wants it.
	Added   time.Time     `json:"added"`             // Added is when it was enqueued.
	Key     string        `json:"key,omitempty"`     // Key is the key of the request that enqueued it.

	Trial   int  `json:"trial,omitempty"`   // Trial is the trial that was made of it; 0 means none yet.
	Dropped bool `json:"dropped,omitempty"` // Dropped says that it is not wanted any more.
	Outside bool `json:"outside,omitempty"` // Outside says that the parameters have changed, and do not allow it any more.
}

// IsWaiting reports whether the item is still to be tried.
func (i Item) IsWaiting() bool { return i.Trial == 0 && !i.Dropped && !i.Outside }

// Waiting returns the items of the queue that are still to be tried, first come first.
func (r *Record) Waiting() (list []Item) {
	for _, i := range r.Queue {
		if i.IsWaiting() {
			list = append(list, i)
		}
	}
	return list
}

func (r *Record) enqueued(e Event) error {
	q := e.Enqueued
	if q == nil || len(q.Setting) == 0 {
		return refuse("nothing was enqueued")
	}
	if q.Retries != 0 {
		t, err := r.trial(q.Retries)
		if err != nil {
			return err
		}
		if t.State.Open() {
			return refuse("trial %d %s; only one that has ended can be tried again", t.Number, t.State.Predicate())
		}
	}
	r.Queue = append(r.Queue, Item{
		Number: len(r.Queue) + 1, Setting: q.Setting, Point: q.Point, Part: e.Kind == EventWanted, Retries: q.Retries, Note: q.Note, Added: e.At, Key: e.Key,
	})
	return nil
}

func (r *Record) dequeued(e Event) error {
	i, err := r.waiting(e.Item)
	if err == nil {
		i.Dropped = true
	}
	return err
}

// taken returns the item that a trial is made of; nil if it is made of none.
func (r *Record) taken(number int) (*Item, error) {
	if number == 0 {
		return nil, nil
	}
	return r.waiting(number)
}

func (r *Record) waiting(number int) (*Item, error) {
	if number < 1 || number > len(r.Queue) {
		hint := "the queue is empty"
		if len(r.Queue) > 0 {
			hint = fmt.Sprintf("the last item is %d", len(r.Queue))
		}
		return nil, fault.New(fault.NotFound, hint, "there is no item %d in the queue", number)
	}
	if i := &r.Queue[number-1]; i.IsWaiting() {
		return i, nil
	}
	return nil, refuse("item %d of the queue is not waiting any more", number)
}

var (
	// ErrPaused says that the study is paused.
	ErrPaused error = fault.New(fault.Paused, "go on with: eke resume", "the study is paused")

	// ErrArchived says that the study is archived.
	ErrArchived error = fault.New(fault.Closed, "take it out again: eke study archive --undo", "the study is archived")
)

// MayAsk returns an error if no trial is handed out, whatever the budget: ErrClosed, ErrArchived or ErrPaused.
func (r *Record) MayAsk() error {
	switch {
	case r.Closed:
		return ErrClosed
	case r.Archived:
		return ErrArchived
	case r.Paused:
		return ErrPaused
	}
	return nil
}

func (r *Record) paused(Event) error  { return change(&r.Paused, true, "the study is paused already") }
func (r *Record) resumed(Event) error { return change(&r.Paused, false, "the study is not paused") }
func (r *Record) restored(Event) error {
	return change(&r.Archived, false, "the study is not archived")
}

func (r *Record) archived(Event) error {
	if err := r.Idle("archived"); err != nil {
		return err
	}
	return change(&r.Archived, true, "the study is archived already")
}

// Idle returns an error that names the trials under way, if there are any: the study cannot be archived, renamed or deleted before they end.
func (r *Record) Idle(what string) error {
	var open []string
	for _, t := range r.Open() {
		open = append(open, strconv.Itoa(t.Number))
	}
	switch len(open) {
	case 0:
		return nil
	case 1:
		return fault.New(fault.Conflict, "wait for it, or stop it: eke stop "+open[0], "the study cannot be %s while trial %s is under way", what, open[0])
	}
	return fault.New(fault.Conflict, "wait for them, or stop them: eke stop TRIAL...", "the study cannot be %s while %d trials are under way: %s", what, len(open), strings.Join(open, ", "))
}

func change(flag *bool, to bool, already string) error {
	if *flag == to {
		return refuse("%s", already)
	}
	*flag = to
	return nil
}

// stop notes that a trial is to be stopped by whoever evaluates it. A trial that has not begun need not be stopped: it can end at once.
func (r *Record) stop(e Event) error {
	t, err := r.trial(e.Trial)
	switch {
	case err != nil:
		return err
	case t.State != Running:
		return refuse("trial %d %s; only a running trial can be stopped", t.Number, t.State.Predicate())
	case t.Stopping && (t.Early == "" || e.Reason != ""): // a person may stop for good what was to stop early, and may yet go on
		return refuse("trial %d is being stopped already", t.Number)
	}
	t.Stopping, t.Early, t.EarlyAt = true, e.Reason, 0
	if last, _ := t.LastStep(); t.Early != "" {
		t.EarlyAt = last.Step
	}
	return nil
}

// Labels is what people write on a study. It is the body of a labelled event.
type Labels struct {
	Tags  []string `json:"tags,omitempty"`  // Tags are words to find the study by, sorted.
	Notes string   `json:"notes,omitempty"` // Notes are a text in Markdown.
	Owner string   `json:"owner,omitempty"` // Owner is the ID of the token that may do everything with the study.
	Group string   `json:"group,omitempty"` // Group is whose tokens may see the study, beside those without a group, which see all.
}

// How much labels may say.
const (
	MaxTags  = 50
	MaxTag   = 50    // characters
	MaxNotes = 50000 // characters
)

// Tidy returns the labels with their tags sorted, each once, or an error if they cannot be kept.
func (l Labels) Tidy() (Labels, error) {
	tags := []string{}
	for _, tag := range l.Tags {
		tag = strings.TrimSpace(tag)
		if tag == "" || utf8.RuneCountInString(tag) > MaxTag || strings.ContainsFunc(tag, isControl) || strings.Contains(tag, ",") {
			return l, fault.New(fault.BadRequest, "give a word or two, without a comma", "%s cannot be a tag", quoteShort(tag))
		}
		tags = append(tags, tag)
	}
	slices.Sort(tags)
	l.Tags = slices.Compact(tags)
	switch {
	case len(l.Tags) > MaxTags:
		return l, fault.New(fault.BadRequest, "leave some out", "a study has at most %d tags", MaxTags)
	case utf8.RuneCountInString(l.Notes) > MaxNotes:
		return l, fault.New(fault.BadRequest, "put the rest into a file", "the notes are longer than %d characters", MaxNotes)
	}
	return l, nil
}

// Equal reports whether two labels say the same.
func (l Labels) Equal(other Labels) bool {
	return slices.Equal(l.Tags, other.Tags) && l.Notes == other.Notes && l.Owner == other.Owner && l.Group == other.Group
}

func (r *Record) labelled(e Event) error {
	if e.Labels == nil {
		return refuse("there are no labels")
	}
	r.Labels = *e.Labels
	return nil
}

// reshaped takes over a definition with other parameters. Every setting gets its point in the new space, with the defaults of
// parameters that are new. What the new parameters do not allow stays on record, but outside of what is searched.
func (r *Record) reshaped(e Event) error {
	var s Study
	if err := json.Unmarshal(e.Definition, &s); err != nil {
		return refuse("the definition cannot be read: %v", err)
	}
	sp, err := s.Space()
	if err != nil {
		return refuse("the parameters cannot be used: %v", err)
	}
	for i := range r.Trials {
		t := &r.Trials[i]
		t.Setting, t.Point, t.Outside = Refit(sp, t.Setting, t.Point)
		t.Look = s.IsLook(t.Setting)
		t.Plan = nil // its points are of the old space
	}
	for i := range r.Known {
		k := &r.Known[i]
		k.Setting, k.Point, k.Outside = Refit(sp, k.Setting, k.Point)
		k.Look = s.IsLook(k.Setting)
	}
	for i := range r.Queue {
		q := &r.Queue[i]
		if q.Part {
			_, err := sp.Hold(q.Setting)
			q.Outside = err != nil
			continue
		}
		q.Setting, q.Point, q.Outside = Refit(sp, q.Setting, q.Point)
	}
	r.Definition, r.Shaped = e.Definition, e.Seq
	r.Judge(s.Limits)
	return nil
}

// Refit returns a setting, and its point, as a space has them. A parameter that the setting lacks gets its default. If the space
// does not allow the setting, it is returned as it was, and outside is true.
func Refit(sp *space.Space, setting space.Setting, point []float64) (_ space.Setting, _ []float64, outside bool) {
	full := sp.Complete(setting)
	place, err := sp.Encode(full)
	if err != nil {
		return setting, point, true
	}
	return full, place, false
}

// Earlier is what an earlier, similar study found. A study that was told to start from it keeps a copy in its log, so that its
// trials depend on nothing outside of it. It is the body of a prior event.
type Earlier struct {
	From    string          `json:"name"`            // From names the earlier study, or the file that its results came from.
	Noisy   bool            `json:"noisy,omitempty"` // Noisy says that its values had noise.
	Results []EarlierResult `json:"results"`         // Results are its results, oldest first.
	Looks   []EarlierResult `json:"looks,omitempty"` // Looks are what it saw below the highest fidelity of the new study.
}

// EarlierResult is a result of an earlier study. Its setting has the parameters of that study.
type EarlierResult struct {
	Setting space.Setting `json:"setting"`           // Setting is what was tried.
	Value   float64       `json:"value"`             // Value is what it returned.
	Metrics Metrics       `json:"metrics,omitempty"` // Metrics are the other numbers that it reported there.
	Cost    float64       `json:"cost,omitempty"`    // Cost is what it cost there; 0 means that nobody knows.
}

func (r *Record) earlier(e Event) error {
	p := e.Earlier
	switch {
	case p == nil || len(p.Results) == 0:
		return refuse("there are no earlier results")
	case r.Earlier != nil:
		return refuse("the study already starts from %s", r.Earlier.From)
	case len(r.Trials) > 0:
		return refuse("trials were chosen already")
	}
	for i, result := range slices.Concat(p.Results, p.Looks) {
		if math.IsNaN(result.Value) || math.IsInf(result.Value, 0) || !isAmount(result.Cost) || result.Metrics.check() != nil {
			return refuse("earlier result %d has the value %v and the cost %v", i+1, result.Value, result.Cost)
		}
	}
	r.Earlier = p
	return nil
}

// earlierFiles are the endings of files that a study may start from.
var earlierFiles = []string{".csv", ".json", ".jsonl", ".log", ".db", ".sqlite", ".sqlite3"}

// StartsFromFile reports whether StartFrom is a path, rather than the name of a study: it has a slash, or ends like a file with results. After
// a # may stand the name of a study in the file.
func (s *Study) StartsFromFile() bool {
	path, _, _ := strings.Cut(s.StartFrom, "#")
	return strings.ContainsAny(path, `/\`) || slices.Contains(earlierFiles, strings.ToLower(filepath.Ext(path)))
}

func (r *reader) readStartFrom(n *node, s *Study) string {
	from, ok := r.text(n, "start_from")
	if !ok {
		return ""
	}
	const hint = "give the name of an earlier study, or the path of a file with its results, such as ./results.csv"
	switch check := (Study{StartFrom: from}); {
	case from == s.Name:
		r.fail(n.at, "start_from", hint, "start_from is %s, this study itself", quoteShort(from))
	case !check.StartsFromFile() && !studyName.MatchString(from):
		r.fail(n.at, "start_from", hint, "start_from is %s, which is neither a name nor a file", quoteShort(from))
	}
	return from
}
