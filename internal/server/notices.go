package server

import (
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

// mark is how a study stood when the server last looked for news.
type mark struct {
	created   time.Time
	best      *api.Trial
	finished  bool
	abandoned int
	damaged   bool
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
		was, known := before[one.Name]
		if !known || !was.created.Equal(one.Created) {
			was = mark{created: one.Created}
		}
		is := markOf(one)
		if is.best == nil { // it is not known for the moment
			is.best = was.best
		}
		if end := c.refused; end != nil && end.old && end.version == one.Version {
			was.finished = true
		}
		now[one.Name] = is
		if before == nil || one.Archived {
			continue
		}
		for _, n := range s.newsOf(ctx, was, one) {
			send(n)
		}
	}
	return now
}

func markOf(one *api.Summary) mark {
	return mark{one.Created, one.Best, one.Finished != nil, one.Counts[study.Abandoned], one.Damaged != ""}
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
	text += " for " + say.Amount(one.Cost, one.Best.Charged)
	if o, _, err := s.peek(ctx, one.Name); err == nil {
		text += " (" + say.Setting(o.broker.Study(), one.Best.Setting) + ")"
	}
	return text
}

func withoutWhy(t api.Trial) api.Trial {
	t.Why = nil
	return t
}
