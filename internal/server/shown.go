package server

import (
	"context"
	"encoding/json"

	"github.com/eke-bo/eke/study"
)

// shown is a study's definition as whoever asks may see it. The environment of its command is for those who run it: passwords
// are kept there.
func shown(ctx context.Context, s *study.Study) *study.Study {
	if len(s.Env) == 0 || may(ctx, Worker) {
		return s
	}
	without := *s
	without.Env = nil
	return &without
}

// shownRaw is shown for the definition in a log's event; most events have none.
func shownRaw(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || may(ctx, Worker) {
		return raw, nil
	}
	var s study.Study
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	return json.Marshal(shown(ctx, &s))
}
