package api

import (
	"time"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Trial is a trial of the ledger as everybody may see it. Keys and seeds stay with the server.
type Trial struct {
	study.Trial
	ID       string    `json:"id,omitempty" doc:"It tells the trial from one of the same number in another study of that name. Send it in the header Eke-Trial with whatever you report of the trial."`
	Value    *float64  `json:"value" doc:"The result, or null unless the trial is done. Of the best, it is the value of the estimate, if there is one."`
	Estimate *Estimate `json:"estimate,omitempty" doc:"What is known about the setting's value. Only the best has it, and only if evaluations have noise."`
}

// TrialWords say what the fields of a study.Trial mean, for the description of the interface.
var TrialWords = map[string]string{
	"number":     "Trials are numbered from 1.",
	"setting":    "The value of each parameter, by name.",
	"point":      "The setting as a point in the unit cube.",
	"reserved":   "The money held for the trial until it ends.",
	"charged":    "What the trial cost.",
	"metrics":    "The other numbers that the trial reported, by name.",
	"violates":   "The limits that the trial does not meet, or is not known to meet, by name. Its value does not count.",
	"look":       "The fidelity is not the highest, so the value does not count.",
	"beyond":     "The cost exceeded the budget, so the value does not count.",
	"forgotten":  "Somebody had the trial forgotten. It is charged, but does not count.",
	"forgot":     "Why the trial was forgotten, if somebody said.",
	"outside":    "The parameters have changed since, and do not allow the setting. It does not count.",
	"queued":     "Why the trial waits for its turn in an engine, in the engine's words. It costs nothing yet.",
	"stopping":   "Somebody wants the trial to be stopped.",
	"item":       "The number in the queue, if somebody wanted the setting to be tried.",
	"retries":    "The earlier trial whose setting this one tries again.",
	"was":        "The figures before each correction, oldest first.",
	"steps":      "The values that the trial had at lower fidelities on its way, oldest first.",
	"early":      "Why the trial is stopped early, or was.",
	"early_at":   "The step at which it was decided to stop the trial early.",
	"resumes":    "The earlier trial, with a lower fidelity of the same setting, that this one goes on from.",
	"checkpoint": "The first of the trials that go on from each other, whose checkpoint this one uses.",
	"lost":       "There was no checkpoint to go on from, so the trial began anew and was paid in full.",
	"wall":       "How long the trial ran, in seconds.",
	"runner":     "Who evaluates the trial.",
	"place":      "Where the trial is evaluated, if changes cost something there.",
	"setup":      "The part of the cost that went into changes, as the trial reported it.",
	"token":      "The ID of the token that the trial was asked for with. Only it, the study's owner and admins may report on the trial and stop it.",
	"note":       "What went wrong.",
	"known":      "The result was known before the study and cost it nothing.",
	"machine":    "The trial failed because of the machine, not because of its setting, which is tried again.",
	"stopped":    "The trial was abandoned because its run was stopped.",
	"exit":       "How the command ended.",
	"why":        "Why this setting was chosen.",
	"thinking":   "How long it took to choose the setting, in seconds.",
	"credible":   "How many seconds the forecast makes credible. A trial that takes longer, from its start or from its last step, is stopped, unless the study has `budget.timeout`, or `budget.per_trial` in time.",
	"estimated":  "The cost could not be measured, and is estimated.",
}

// NewTrial returns the public part of a trial.
func NewTrial(t study.Trial) Trial {
	t.AskKey, t.FinishKey, t.Plan = "", "", nil
	return Trial{Trial: t, ID: t.ID, Value: t.Result()}
}

// Study returns the trial as the ledger has it, as far as everybody may see it.
func (t Trial) Study() study.Trial {
	if t.Trial.ID, t.Trial.Value = t.ID, 0; t.Value != nil {
		t.Trial.Value = *t.Value
	}
	return t.Trial
}

// Estimate is what is known about the value of a setting whose evaluations have noise.
type Estimate struct {
	Value  float64   `json:"value" doc:"The expected value, without the noise."`
	SD     float64   `json:"sd" doc:"Its standard deviation."`
	Low    float64   `json:"low" doc:"The value is above this with a chance of 90 %."`
	High   float64   `json:"high" doc:"The value is below this with a chance of 90 %."`
	Values []float64 `json:"values" doc:"All values observed at this setting, oldest first."`
}

// Trials is some of a study's trials.
type Trials struct {
	Trials  []Trial `json:"trials"`
	Version int64   `json:"version" doc:"The version of the study that was read."`
}

// Neighbours are the settings nearest to a trial's, nearest first.
type Neighbours struct {
	Neighbours []Neighbour `json:"neighbours"`
}

// Neighbour is a trial, or a known result, with a similar setting.
type Neighbour struct {
	Number   int           `json:"number" doc:"The trial's number, or that of the known result."`
	Known    bool          `json:"known" doc:"It is a result from elsewhere."`
	State    study.State   `json:"state"`
	Value    *float64      `json:"value" doc:"What it returned, or null if it returned nothing."`
	Cost     float64       `json:"cost" doc:"What it cost."`
	Setting  space.Setting `json:"setting"`
	Distance float64       `json:"distance" doc:"How far away it is, in the unit cube that the models work in: each parameter has a length of 1. 0: the same setting."`
	Differs  []string      `json:"differs" doc:"The parameters that differ."`
}

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
	More     []Trial                  `json:"more" doc:"Trials with more than this: those that are not over, failed, have a note, do not count, reported further numbers or were corrected. Without their reasons."`
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
	return !plain || t.Look || t.Beyond || t.Forgotten || t.Outside || t.Stopping || t.Known || t.Stopped || t.Estimated || t.Item > 0 || t.Retries > 0 || len(t.Steps) > 0 || t.Early != "" || len(t.Metrics) > 0 || len(t.Violates) > 0 || t.Setup != nil || t.Place != ""
}

// Limits of the files of trials.
const (
	MaxPart   = 256 << 10 // bytes in one upload
	MaxOutput = 2 << 20   // bytes that are kept of what a trial prints, on stdout and on stderr each
	MaxFile   = 16 << 20  // bytes of an artifact
)

// UploadRequest adds to a file of a trial.
type UploadRequest struct {
	Worker string `json:"worker" pattern:"^[A-Za-z0-9_.:@/+-]{1,100}$" doc:"The worker that has the trial."`
	Offset int64  `json:"offset" minimum:"0" maximum:"1e15" doc:"Where the data begins in the file."`
	Skip   bool   `json:"skip,omitempty" doc:"The data may begin behind the end of the file: what is missing was too much to be sent."`
	Data   []byte `json:"data" maxLength:"349528" doc:"At most 256 KiB, in base64."`
}

// Uploaded says how far a file is.
type Uploaded struct {
	Size int64 `json:"size" doc:"Where the file ends now. Go on from there; if it is less than was sent, send what is missing."`
}

// File is a file of a trial.
type File struct {
	Name string `json:"name" doc:"stdout and stderr are what the trial prints, environment is where it ran; others are artifacts."`
	Size int64  `json:"size" doc:"How many bytes were written."`
	Kept int64  `json:"kept" doc:"How many of them are kept."`
}

// Files are the files of a trial.
type Files struct {
	Files []File `json:"files"`
}

// Output is part of what a trial printed.
type Output struct {
	Text    string `json:"text" doc:"What was printed, as text."`
	Offset  int64  `json:"offset" doc:"Where the text begins."`
	Next    int64  `json:"next" doc:"Where to go on: the after of the next request."`
	Size    int64  `json:"size" doc:"How many bytes were printed."`
	Skipped int64  `json:"skipped" doc:"How many bytes before the text are not kept any more."`
}
