package server

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/study"
)

type listInput struct {
	Search string `query:"search" maxLength:"200" doc:"Only studies with all of these words in their name, their tags or the name of their objective."`
	Tag    string `query:"tag" maxLength:"50" doc:"Only studies with this tag."`
	State  string `query:"state" enum:"active,finished,paused,ended,archived,damaged" doc:"Only studies in this state. Somebody ended one that is ended; one that is finished has no money left, or nothing to spend it on. A study that is active is in none of the others."`
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
