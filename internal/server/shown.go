package server

import (
	"context"
	"encoding/json"

	"github.com/eke-bo/eke/study"
)

// shown is the part of a study's definition that the client may see. Only those who may run the command see its environment,
// which may contain passwords.
func shown(ctx context.Context, s *study.Study) *study.Study {
	if len(s.Env) == 0 || may(ctx, Worker) {
		return s
	}
	without := *s
	without.Env = nil
	return &without
}

// shownRaw is shown for the definition in an event of the log. Most events have none.
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
