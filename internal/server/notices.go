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
		is := markOf(one)
		switch {
		case one.Damaged != "": // how it stood is not known for the moment
			is = was
			is.damaged, is.unread, is.missed = true, !known || was.unread, false
		case was.unread: // how it stands at first is no news
			was = is
		case is.best == nil:
			is.best = was.best
		}
		if end := c.refused; end != nil && end.old && end.version == one.Version {
			was.finished = true
		}
		now[key] = is
		if before == nil || one.Archived {
			continue
		}
		for _, n := range s.newsOf(ctx, was, one) {
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

func markOf(one *api.Summary) mark {
	return mark{best: one.Best, finished: one.Finished != nil, abandoned: one.Counts[study.Abandoned]}
}

// newsOf says what is worth telling of a study.
func (s *Server) newsOf(ctx context.Context, was mark, one *api.Summary) (list []webhook.Notice) {
	if one.Best != nil && isNewBest(was.best, one.Best) {
		list = append(list, webhook.Notice{Event: study.NoticeBest, Study: one.Name, Text: s.bestText(ctx, one), Trial: withoutWhy(*one.Best)})
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

func (s *Server) bestText(ctx context.Context, one *api.Summary) string {
	text := fmt.Sprintf("new best: %s %s", one.Objective.Name, say.Number(*one.Best.Value))
	for _, o := range one.Objectives[min(1, len(one.Objectives)):] {
		text += fmt.Sprintf(", %s %s", o.Name, say.Number(one.Best.Metrics[o.Name]))
	}
	text += say.For(one.Cost, one.Best.Trial)
	if o, _, err := s.peek(ctx, one.Name); err == nil {
		text += " (" + say.Setting(o.broker.Study(), one.Best.Setting) + ")"
	}
	return text
}

func withoutWhy(t api.Trial) api.Trial {
	t.Why = nil
	return t
}
