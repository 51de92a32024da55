package server

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

type listInput struct {
	Search string `query:"search" maxLength:"200" doc:"Only studies with all of these words in their name, their tags or the name of their objective."`
	Tag    string `query:"tag" maxLength:"50" doc:"Only studies with this tag."`
	State  string `query:"state" enum:"active,finished,paused,ended,archived,damaged" doc:"Only studies in this state. ended: somebody ended the study. finished: it has no money left, or nothing worth spending it on. active: none of the other states applies."`
	Sort   string `query:"sort" enum:"created,changed,name,spent,left,trials" default:"created" doc:"What to sort by."`
	Down   bool   `query:"down" doc:"Sort downwards: the latest, or the most, first."`
	Skip   int    `query:"skip" minimum:"0" maximum:"1000000" doc:"How many of the studies to leave out at the beginning."`
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"1000" doc:"How many at most."`
}

func (s *Server) listStudies(ctx context.Context, in *listInput) (list api.Studies, err error) {
	cards, err := s.look(ctx)
	if err != nil {
		return list, err
	}
	found := make([]*api.Summary, 0, len(cards))
	words := strings.Fields(strings.ToLower(in.Search))
	for _, c := range cards {
		if in.wants(&c.summary, words) {
			found = append(found, &c.summary)
		}
	}
	if by := orders[in.Sort]; by != nil {
		slices.SortStableFunc(found, by)
	}
	if in.Down {
		slices.Reverse(found)
	}
	list.Total, list.Studies = len(found), []api.Summary{}
	from := min(in.Skip, len(found))
	for _, one := range found[from:min(from+max(in.Limit, 1), len(found))] {
		list.Studies = append(list.Studies, *one)
	}
	return list, nil
}

func (in *listInput) wants(one *api.Summary, words []string) bool {
	if in.Tag != "" && !slices.Contains(one.Tags, in.Tag) || in.State != "" && in.State != stateOf(one) {
		return false
	}
	if len(words) == 0 {
		return true
	}
	text := strings.ToLower(one.Name + "\n" + one.Objective.Name + "\n" + strings.Join(one.Tags, "\n"))
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

func stateOf(one *api.Summary) string {
	switch {
	case one.Damaged != "":
		return "damaged"
	case one.Archived:
		return "archived"
	case one.Closed:
		return "ended"
	case one.Finished != nil:
		return "finished"
	case one.Paused:
		return "paused"
	}
	return "active"
}

// orders are the ways to sort studies, other than the order of their creation, in which they come.
var orders = map[string]func(a, b *api.Summary) int{
	"changed": func(a, b *api.Summary) int { return a.Changed.Compare(b.Changed) },
	"name":    func(a, b *api.Summary) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) },
	"spent":   func(a, b *api.Summary) int { return cmp.Compare(a.Ledger.Spent, b.Ledger.Spent) },
	"left":    func(a, b *api.Summary) int { return cmp.Compare(a.Left, b.Left) },
	"trials":  func(a, b *api.Summary) int { return cmp.Compare(trialsOf(a), trialsOf(b)) },
}

func trialsOf(one *api.Summary) (sum int) {
	for _, state := range []study.State{study.Pending, study.Running, study.Done, study.Failed, study.Cut, study.StoppedEarly, study.Abandoned} {
		sum += one.Counts[state]
	}
	return sum
}

// catalogue knows how all studies stand. It reads a study again only if its log has grown, so that ten thousand studies can be listed, and
// their leases watched, without opening them.
type catalogue struct {
	turn  turn
	cards map[string]*card
}

// card is what is known of a study.
type card struct {
	head    store.Head
	summary api.Summary
	leases  bool // some trials are leases
	unsure  bool // to be looked at again, even if the log has not grown

	front *api.Front  // nil: there is one objective, or nobody knows the front for the moment
	last  study.Trial // the last that has ended

	due     time.Time                // when its deadline passes; zero: it has none, or that was known
	refusal *atomic.Pointer[refusal] // why the study hands out no trial, if somebody has found that out
	refused *refusal                 // what was known of that
}

// look returns the cards of the studies that the sender of the current request sees, in the order of their creation.
func (s *Server) look(ctx context.Context) ([]*card, error) {
	cards, err := s.lookAtAll(asServer(ctx)) // one catalogue is for everybody
	return slices.DeleteFunc(cards, func(c *card) bool { return !sees(ctx, c.summary.Group) }), err
}

func (s *Server) lookAtAll(ctx context.Context) ([]*card, error) {
	release, err := s.catalogue.turn.take(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	heads, err := s.store.Heads(ctx)
	if err != nil {
		return nil, err
	}
	fits, cancel := context.WithTimeout(ctx, listFits)
	defer cancel()
	now := time.Now()
	list, known := make([]*card, 0, len(heads)), make(map[string]*card, len(heads))
	for _, h := range heads {
		c := s.catalogue.cards[h.Name]
		if c == nil || c.isOld(h, now) {
			if c, err = s.describe(ctx, fits, h); err != nil {
				return nil, err
			}
		}
		if c != nil {
			list, known[h.Name] = append(list, c), c
		}
	}
	s.catalogue.cards = known
	return list, nil
}

// isOld reports whether a card may say something else if it is written anew.
func (c *card) isOld(h store.Head, now time.Time) bool {
	return c.unsure || c.head.Version != h.Version || !c.head.Created.Equal(h.Created) ||
		!c.due.IsZero() && now.After(c.due) || c.refusal != nil && c.refusal.Load() != c.refused
}

// listFits is how long a look at all studies may fit models, to say what the best of studies with noise are. Each is fitted once for the
// same results, so that the next look goes on where this one stops.
const listFits = time.Second

// describe writes the card of a study; nil if it is gone meanwhile. A study that cannot be read has a card that says so.
func (s *Server) describe(ctx, fits context.Context, h store.Head) (*card, error) {
	o, r, err := s.peek(ctx, h.Name)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case isDamage(err):
		if c := s.catalogue.cards[h.Name]; c == nil || c.summary.Damaged == "" {
			s.log.Warn("a study cannot be read", "study", h.Name, "error", err)
		}
		why := "its record in the store is damaged"
		if errors.Is(err, store.ErrNewer) {
			why = "a newer eke has written it"
		}
		return &card{head: h, summary: damaged(h, why), unsure: true}, nil
	case err != nil:
		return nil, err
	}
	c := &card{head: h, refusal: o.refusal, refused: o.refusal.Load()}
	now := o.show(fits, r)
	c.summary, c.front = now.summary, now.rest.Front
	c.summary.Finished = o.finished(r)
	c.unsure = fits.Err() != nil && (o.broker.Study().Noisy || o.broker.Study().Several() && c.front == nil)
	if due := o.broker.Study().Due(r); due.After(time.Now()) {
		c.due = due
	}
	c.head.Version = r.Version
	for _, t := range r.Trials {
		c.leases = c.leases || isLease(t)
		if t.CompareEnds(c.last) > 0 {
			c.last = t
		}
	}
	s.metrics.openTrials(o, len(r.Open()))
	return c, nil
}

// damaged is the summary of a study that cannot be read. What nobody knows is as it would be in an empty study.
func damaged(h store.Head, why string) api.Summary {
	return api.Summary{
		Name: h.Name, Created: h.Created, Changed: h.Created, Version: h.Version, Damaged: why, Tags: []string{}, Counts: map[study.State]int{},
		Objective: study.Objective{Goal: study.Minimize}, Cost: study.Cost{Source: study.Reported},
	}
}

// isDamage reports whether an error is about one study, and not about the store.
func isDamage(err error) bool {
	code := fault.CodeOf(err)
	return (code == fault.StoreBroken || code == fault.BadStudy) && !errors.Is(err, store.ErrGone) && !errors.Is(err, store.ErrClosed)
}
