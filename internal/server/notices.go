package server

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/internal/webhook"
	"github.com/eke-bo/eke/study"
)

// noticeEvery is how often the server looks for news. It finds those of other processes on the same store, too.
const noticeEvery = 2 * time.Second

// mark is how a study stood when the server last looked for news, and could read it.
type mark struct {
	best      *api.Trial
	last      study.Trial // the last that had ended when it was told which are on the front
	finished  bool
	abandoned int
	damaged   bool // it could not be read last time
	unread    bool // nor any time before
	missed    bool // it was not in the list: it may have been renamed while that was made
}

// tellForEver passes on what happens in all studies. How they stand at first is no news.
func (s *Server) tellForEver(ctx context.Context, send func(webhook.Notice)) {
	tick := time.NewTicker(noticeEvery)
	defer tick.Stop()
	var marks map[string]mark
	for {
		if cards, err := s.look(ctx); err == nil { // if it cannot be read, the sweep says so
			marks = s.tellNews(ctx, marks, cards, send)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (s *Server) tellNews(ctx context.Context, before map[string]mark, cards []*card, send func(webhook.Notice)) map[string]mark {
	now := make(map[string]mark, len(cards))
	for _, c := range cards {
		one := &c.summary
		key := cmp.Or(one.ID, c.head.ID, one.Name+" "+one.Created.String()) // a study that was renamed is no new one
		was, known := before[key]
		is := markOf(c)
		switch {
		case one.Damaged != "": // how it stood is not known for the moment
			is = was
			is.damaged, is.unread, is.missed = true, !known || was.unread, false
		case was.unread: // how it stands at first is no news
			was = is
		case is.best == nil:
			is.best = was.best
		}
		if before != nil && one.Damaged == "" && len(one.Objectives) > 0 && c.front == nil { // what has ended is told when the front is known
			is.last = was.last
		}
		if end := c.refused; end != nil && end.old && end.version == one.Version {
			was.finished = true
		}
		now[key] = is
		if before == nil || one.Archived {
			continue
		}
		for _, n := range s.newsOf(ctx, was, c) {
			send(n)
		}
	}
	for key, was := range before {
		if _, listed := now[key]; !listed && !was.missed {
			was.missed = true
			now[key] = was
		}
	}
	return now
}

func markOf(c *card) mark {
	return mark{best: c.summary.Best, last: c.last, finished: c.summary.Finished != nil, abandoned: c.summary.Counts[study.Abandoned]}
}

// newsOf says what is worth telling of a study.
func (s *Server) newsOf(ctx context.Context, was mark, c *card) (list []webhook.Notice) {
	one := &c.summary
	for _, t := range newBests(was, c) {
		list = append(list, webhook.Notice{Event: study.NoticeBest, Study: one.Name, Text: s.bestText(ctx, one, t), Trial: withoutWhy(t)})
	}
	if n := one.Counts[study.Abandoned] - was.abandoned; n > 0 {
		list = append(list, webhook.Notice{Event: study.NoticeTrouble, Study: one.Name, Text: say.Count(n, "trial") + " abandoned: whoever evaluated them fell silent, or gave them back"})
	}
	if one.Damaged != "" && !was.damaged {
		list = append(list, webhook.Notice{Event: study.NoticeTrouble, Study: one.Name, Text: "the study cannot be read: " + one.Damaged})
	}
	if one.Finished != nil && !was.finished {
		list = append(list, webhook.Notice{Event: study.NoticeEnd, Study: one.Name, Text: strings.TrimSuffix("the study is over: "+one.Finished.Reason+"; "+one.Infeasible, "; ")})
	}
	return list
}

// newBests returns the best if it is new or, with several objectives, the trials that have ended meanwhile and are on the front, in the order of their ends.
func newBests(was mark, c *card) (list []api.Trial) {
	one := &c.summary
	if len(one.Objectives) == 0 {
		if one.Best != nil && isNewBest(was.best, one.Best) {
			list = append(list, *one.Best)
		}
		return list
	}
	if c.front == nil {
		return nil
	}
	for _, t := range c.front.Trials {
		if !t.Known && t.CompareEnds(was.last) > 0 {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b api.Trial) int { return a.CompareEnds(b.Trial) })
	return list
}

// isNewBest reports whether the best is another than before; where evaluations have noise, another setting. A lucky draw is no news.
func isNewBest(was, is *api.Trial) bool {
	switch {
	case was == nil:
		return true
	case is.Estimate != nil:
		return !slices.Equal(was.Point, is.Point)
	}
	return was.Number != is.Number || *was.Value != *is.Value
}

func (s *Server) bestText(ctx context.Context, one *api.Summary, t api.Trial) string {
	text := fmt.Sprintf("new best: %s %s", one.Objective.Name, say.Number(*t.Value))
	if len(one.Objectives) > 0 {
		text = "on the front: " + say.Outcome(&study.Study{Objectives: one.Objectives}, t.Trial)
	}
	text += say.For(one.Cost, t.Trial)
	if o, _, err := s.peek(ctx, one.Name); err == nil {
		text += " (" + say.Setting(o.broker.Study(), t.Setting) + ")"
	}
	return text
}

func withoutWhy(t api.Trial) api.Trial {
	t.Why = nil
	return t
}
