package study

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// State is where a trial stands.
type State string

const (
	Pending   State = "pending"   // asked for, not begun
	Running   State = "running"   // being evaluated
	Done      State = "done"      // returned a value
	Failed    State = "failed"    // ended without one
	Cut       State = "cut"       // stopped at a limit
	Abandoned State = "abandoned" // its runner died, was stopped, or gave it back

	StoppedEarly State = "stopped early" // stopped on its way, because its rest did not earn its price
)

// Open reports whether a trial in this state holds a reservation.
func (s State) Open() bool { return s == Pending || s == Running }

// Ended reports whether a trial in this state has been charged.
func (s State) Ended() bool {
	return s == Done || s == Failed || s == Cut || s == StoppedEarly || s == Abandoned
}

// Predicate is the state as what a sentence says of a trial: "is done", "has failed", "was stopped early".
func (s State) Predicate() string {
	switch s {
	case Failed:
		return "has failed"
	case Cut, StoppedEarly, Abandoned:
		return "was " + string(s)
	}
	return "is " + string(s)
}

// Trial is one try of a setting.
type Trial struct {
	Number  int           `json:"number"`          // Number counts the trials of a study from 1; 0 is a known result.
	ID      string        `json:"-"`               // ID is the digest of the event that handed the trial out. It tells the trial from one of the same number in another log. Trials of versions before 0.2 have none.
	Known   bool          `json:"known,omitempty"` // Known says that it is a result from elsewhere; see Record.Results.
	State   State         `json:"state"`           // State is where the trial stands.
	Setting space.Setting `json:"setting"`         // Setting is what is tried.
	Point   []float64     `json:"point"`           // Point is the setting's canonical point in the unit cube.

	Reserved float64  `json:"reserved,omitempty"` // Reserved is the money held for it while it is open.
	Charged  float64  `json:"charged,omitempty"`  // Charged is what it cost, once it has ended; of a known result, what it cost elsewhere.
	Value    float64  `json:"value"`              // Value is what it returned, if it is done.
	Setup    *float64 `json:"setup,omitempty"`    // Setup is the part of the charge that went into changes, as the trial reported it; nil: it did not.
	Metrics  Metrics  `json:"metrics,omitempty"`  // Metrics are the other numbers that it reported, by name.
	Look     bool     `json:"look,omitempty"`     // Look says that its fidelity is not the highest, so that its value does not count.
	Beyond   bool     `json:"beyond,omitempty"`   // Beyond says that its cost went past the budget, so that its value does not count.

	// Violates are the limits that it does not meet, or is not known to meet, by name. Its value does not count as long as there are any.
	Violates []string `json:"violates,omitempty"`

	Forgotten bool    `json:"forgotten,omitempty"` // Forgotten says that somebody had it forgotten: it is charged, but does not count.
	Forgot    string  `json:"forgot,omitempty"`    // Forgot is why, if somebody said.
	Outside   bool    `json:"outside,omitempty"`   // Outside says that the parameters have changed, and do not allow its setting any more.
	Queued    string  `json:"queued,omitempty"`    // Queued is why it waits for its turn in an engine, in the engine's words; empty: it does not wait.
	Stopping  bool    `json:"stopping,omitempty"`  // Stopping says that somebody wants it to be stopped.
	Item      int     `json:"item,omitempty"`      // Item is its number in the queue; 0 if its setting was not asked for by somebody.
	Retries   int     `json:"retries,omitempty"`   // Retries is the earlier trial whose setting it tries again.
	Was       []Was   `json:"was,omitempty"`       // Was are its figures before each correction, oldest first.
	Steps     []Step  `json:"steps,omitempty"`     // Steps are the values that it had on its way, oldest first.
	Early     string  `json:"early,omitempty"`     // Early is why it is stopped early, if it is.
	EarlyAt   float64 `json:"early_at,omitempty"`  // EarlyAt is the step at which that was decided.

	Asked    time.Time `json:"asked"`             // Asked is when it was handed out.
	Started  time.Time `json:"started,omitzero"`  // Started is when its evaluation began.
	Finished time.Time `json:"finished,omitzero"` // Finished is when it ended.
	Wall     float64   `json:"wall,omitempty"`    // Wall is how many seconds it took.
	Runner   string    `json:"runner,omitempty"`  // Runner is who asked for it, and then who evaluates it.
	Place    string    `json:"place,omitempty"`   // Place is where it is evaluated, if changes cost something there; see At.
	Token    string    `json:"token,omitempty"`   // Token is the ID of the token of a server that it was asked for with; empty: there was none.
	Note     string    `json:"note,omitempty"`    // Note says what went wrong.
	Machine  bool      `json:"machine,omitempty"` // Machine says that it failed because of the machine, not because of its setting.
	Stopped  bool      `json:"stopped,omitempty"` // Stopped says that it was abandoned because its run was stopped.
	Exit     *Exit     `json:"exit,omitempty"`    // Exit is how its command ended; nil if there was none.

	Estimated bool `json:"estimated,omitempty"` // Estimated says that the charge could not be measured, and is a guess.

	Resumes    int  `json:"resumes,omitempty"`    // Resumes is the earlier trial that it goes on from; 0: it begins anew.
	Checkpoint int  `json:"checkpoint,omitempty"` // Checkpoint is the first of the trials that go on from each other; 0: it is the first.
	Lost       bool `json:"lost,omitempty"`       // Lost says that there was no checkpoint to go on from, so that it began anew.

	AskKey    string `json:"ask_key,omitempty"`    // AskKey is the key of the request that asked for it.
	FinishKey string `json:"finish_key,omitempty"` // FinishKey is the key of the request that ended it.

	Why      json.RawMessage `json:"why,omitempty"`      // Why holds the reasons it was chosen for; see advisor.Why.
	Plan     json.RawMessage `json:"plan,omitempty"`     // Plan is what the policy wants to know when it chooses the next trial.
	Thinking float64         `json:"thinking,omitempty"` // Thinking is how many seconds it took to choose.
	Credible float64         `json:"credible,omitempty"` // Credible is how many seconds its forecast makes credible; 0 means that nobody knows.

	stepped float64 // when it reported its last step, in seconds from its start

	// The events of the log that handed it out, ended it and last corrected it; 0: none did.
	asked, ended, corrected int64
}

// Importer is the runner of trials that were run elsewhere and are charged.
const Importer = "import"

// IsImported says whether a trial was run elsewhere. It left no checkpoint here.
func (t Trial) IsImported() bool { return t.Runner == Importer && t.Started.IsZero() }

// EndedBefore says whether a trial had ended when another was handed out. That goes by the log: the clocks of two machines may differ.
func (t Trial) EndedBefore(other Trial) bool { return t.State.Ended() && t.ended < other.asked }

// CompareEnds orders trials by when they ended, by the log.
func (t Trial) CompareEnds(other Trial) int { return cmp.Compare(t.ended, other.ended) }

// CorrectedAfter says whether the figures of a trial were corrected after another was handed out.
func (t Trial) CorrectedAfter(other Trial) bool { return t.corrected > other.asked }

// Was are the figures of a trial until they were corrected.
type Was struct {
	State   State     `json:"state"`             // State is how the trial had ended.
	Value   float64   `json:"value"`             // Value is what it was said to have returned, if it was done.
	Charged float64   `json:"charged"`           // Charged is what it had been charged.
	Setup   *float64  `json:"setup,omitempty"`   // Setup is the part of it that was said to have gone into changes; nil: nothing was said.
	Metrics Metrics   `json:"metrics,omitempty"` // Metrics are the other numbers that it was said to have reported.
	Until   time.Time `json:"until"`             // Until is when they were corrected.
	Why     string    `json:"why,omitempty"`     // Why says why they were corrected.
}

// Counts reports whether the trial's value counts.
func (t Trial) Counts() bool { return t.HasCounted() && len(t.Violates) == 0 }

// HasCounted reports whether the trial's value would count if there were no limits.
func (t Trial) HasCounted() bool { return t.State == Done && !t.Beyond && !t.Look && t.IsEvidence() }

// Result returns the value of a trial that is done, and nil of any other.
func (t Trial) Result() *float64 {
	if t.State != Done {
		return nil
	}
	return &t.Value
}

// IsEvidence reports whether the models may learn from the trial.
func (t Trial) IsEvidence() bool { return !t.Forgotten && !t.Outside }

// Title names a trial in a sentence.
func (t Trial) Title() string {
	if t.Known {
		return "a known result"
	}
	return "trial " + strconv.Itoa(t.Number)
}

// Exit is how a command ended.
type Exit struct {
	Code   int    `json:"code"`             // Code is its exit code, or −1 if a signal ended it.
	Signal string `json:"signal,omitempty"` // Signal is the name of that signal.
}

// Stray is an open trial whose runner may have died.
type Stray struct {
	Trial           // Trial is the trial as it stands.
	Seen  time.Time // Seen is when the trial was last known to be alive.
}

// Step is a value that a running trial has at a lower fidelity, on its way to its own.
type Step struct {
	Step  float64 `json:"step"`           // Step is the fidelity.
	Value float64 `json:"value"`          // Value is the objective there.
	Cost  float64 `json:"cost,omitempty"` // Cost is what the trial had cost until then; 0 means that nobody knows.
	Look  bool    `json:"look,omitempty"` // Look says that the models learn from it: it is the first to reach one of the study's levels.
}

// finest is how many recorded steps a trial may have at most, beside the first to reach each level: a hundredth of its fidelity apart.
const finest = 100

// Thin returns the recorded steps among a trial's next steps. A trial may report as often as it likes, but each step is an event.
// So a step is recorded if it is the first to reach a level of the fidelity, or if it is at least a hundredth of the trial's fidelity
// beyond the last. Steps that do not rise, or pass the trial's fidelity, are left out: whoever reports again changes nothing.
func (s *Study) Thin(t Trial, steps []Step) (kept []Step, err error) {
	if s.Fidelity == nil {
		return nil, fault.New(fault.BadRequest, "name it in the study file: "+fidelityHint, "the study has no fidelity, so a trial's values on its way mean nothing to it")
	}
	top, levels := s.FidelityOf(t.Setting), s.Fidelity.Levels()
	var last Step
	if n := len(t.Steps); n > 0 {
		last = t.Steps[n-1]
	}
	for _, step := range steps {
		if !step.isSound() {
			return nil, fault.New(fault.BadRequest, "give a step above 0, a finite value, and a cost from 0 to 1e15, or none", "step %v has value %v and cost %v", step.Step, step.Value, step.Cost)
		}
		if step.Step <= last.Step || step.Step > top {
			continue
		}
		step.Look = step.Step < top && slices.ContainsFunc(levels, func(level float64) bool { return last.Step < level && level <= step.Step })
		if !step.Look && step.Step < last.Step+top/finest && step.Step < top {
			continue
		}
		if step.Cost > 0 {
			step.Cost = math.Max(step.Cost, last.Cost)
		}
		kept, last = append(kept, step), step
	}
	return kept, nil
}

func (s Step) isSound() bool {
	return s.Step > 0 && !math.IsInf(s.Step, 1) && !math.IsNaN(s.Value) && !math.IsInf(s.Value, 0) && isAmount(s.Cost)
}

// FidelityOf returns the fidelity of a setting; 0 if the study has none.
func (s *Study) FidelityOf(setting space.Setting) float64 {
	if s.Fidelity == nil {
		return 0
	}
	if level, given := setting[s.Fidelity.Name].Number(); given {
		return level
	}
	return s.Fidelity.Top()
}

func (r *Record) step(e Event) error {
	t, err := r.trial(e.Trial)
	switch {
	case err != nil:
		return err
	case e.Step == nil || !e.Step.isSound():
		return refuse("trial %d cannot have a step without a fidelity and a value", t.Number)
	case t.State != Running && t.State != Abandoned:
		return refuse("trial %d %s; only a running trial has steps", t.Number, t.State.Predicate())
	case len(t.Steps) > 0 && e.Step.Step <= t.Steps[len(t.Steps)-1].Step:
		return refuse("trial %d: step %v does not follow step %v", t.Number, e.Step.Step, t.Steps[len(t.Steps)-1].Step)
	}
	t.Steps, t.stepped = append(slices.Clip(t.Steps), *e.Step), math.Max(e.At.Sub(t.Started).Seconds(), 0)
	return nil
}

// LastStep returns the last step of a trial that has any.
func (t Trial) LastStep() (last Step, ok bool) {
	if n := len(t.Steps); n > 0 {
		return t.Steps[n-1], true
	}
	return Step{}, false
}

// Reached returns the fidelity that a trial has got to; 0 if it showed nothing.
func (s *Study) Reached(t Trial) float64 {
	if t.State == Done {
		return s.FidelityOf(t.Setting)
	}
	last, _ := t.LastStep()
	return last.Step
}

// FolderOf returns the number of the trial whose checkpoint folder a trial uses: the first of the trials that go on from each other.
func (t Trial) FolderOf() int {
	if t.Checkpoint > 0 {
		return t.Checkpoint
	}
	return t.Number
}

// PaidBefore returns what was paid for the trials that a trial goes on from. If the checkpoint was lost, it goes on from nothing.
func (r *Record) PaidBefore(t Trial) (sum float64) {
	for t.Resumes > 0 && t.Resumes < t.Number && !t.Lost {
		t = r.Trials[t.Resumes-1]
		sum += t.Charged
	}
	return sum
}
