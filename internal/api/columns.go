package api

import (
	"time"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Columns are trials column by column, for whoever wants all of them: what every trial has is written once for all, and takes a fifth
// of the room. Trials with more than that are in More as well, whole.
type Columns struct {
	Version  int64                    `json:"version" doc:"The version of the study that this is."`
	First    int                      `json:"first" doc:"The number of the first trial. The others follow without gaps."`
	States   []study.State            `json:"states" doc:"The states that trials have."`
	State    []int                    `json:"state" doc:"The state of each trial, as a place in states, from 0."`
	Runners  []string                 `json:"runners" doc:"Those who evaluated trials."`
	Runner   []int                    `json:"runner" doc:"Who evaluated each trial, as a place in runners, from 0."`
	Values   []*float64               `json:"values" doc:"The result of each trial, or null unless it is done."`
	Charged  []float64                `json:"charged" doc:"What each trial cost."`
	Wall     []float64                `json:"wall" doc:"How long each trial ran, in seconds."`
	Since    time.Time                `json:"since" doc:"What asked and finished count from."`
	Asked    []int64                  `json:"asked" doc:"When each trial was asked for, in milliseconds after since."`
	Finished []*int64                 `json:"finished" doc:"When each trial ended, in milliseconds after since, or null."`
	Settings map[string][]space.Value `json:"settings" doc:"The settings: a list for each parameter, with null where it does not exist."`
	More     []Trial                  `json:"more" doc:"Trials with more than this: those that are not over, failed, have a note, do not count or were corrected. Without their reasons."`
}

// NewColumns returns trials whose numbers follow each other, column by column.
func NewColumns(version int64, s *study.Study, trials []study.Trial) Columns {
	n := len(trials)
	c := Columns{Version: version, First: 1, States: []study.State{}, Runners: []string{}, State: make([]int, n), Runner: make([]int, n), Values: make([]*float64, n),
		Charged: make([]float64, n), Wall: make([]float64, n), Asked: make([]int64, n), Finished: make([]*int64, n), Settings: map[string][]space.Value{}, More: []Trial{}}
	if n > 0 {
		c.First, c.Since = trials[0].Number, trials[0].Asked
	}
	states, runners := map[study.State]int{}, map[string]int{}
	for _, p := range s.Inputs() {
		c.Settings[p.Name] = make([]space.Value, n)
	}
	for i, t := range trials {
		c.State[i], c.States = placeOf(states, c.States, t.State)
		c.Runner[i], c.Runners = placeOf(runners, c.Runners, t.Runner)
		c.Values[i], c.Charged[i], c.Wall[i], c.Asked[i] = t.Result(), t.Charged, t.Wall, t.Asked.Sub(c.Since).Milliseconds()
		if !t.Finished.IsZero() {
			after := t.Finished.Sub(c.Since).Milliseconds()
			c.Finished[i] = &after
		}
		for name, list := range c.Settings {
			list[i] = t.Setting[name]
		}
		if hasMore(t) {
			more := NewTrial(t)
			more.Why = nil
			c.More = append(c.More, more)
		}
	}
	return c
}

// placeOf is the place of something in a list, to which it is added if it is new.
func placeOf[T comparable](places map[T]int, list []T, x T) (int, []T) {
	place, known := places[x]
	if !known {
		place = len(list)
		places[x], list = place, append(list, x)
	}
	return place, list
}

// hasMore says whether a trial has something to say for which there is no column.
func hasMore(t study.Trial) bool {
	plain := t.State == study.Done && t.Note == "" && len(t.Was) == 0 && (t.Exit == nil || t.Exit.Code == 0 && t.Exit.Signal == "")
	return !plain || t.Look || t.Beyond || t.Forgotten || t.Outside || t.Stopping || t.Known || t.Stopped || t.Estimated || t.Item > 0 || t.Retries > 0 || len(t.Steps) > 0 || t.Early != ""
}
