package results

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// entry is a line of an Optuna journal.
type entry struct {
	Op           *int                       `json:"op_code"`
	Study        string                     `json:"study_name"`
	Directions   []int                      `json:"directions"`
	StudyID      int64                      `json:"study_id"`
	TrialID      int64                      `json:"trial_id"`
	Param        string                     `json:"param_name"`
	Value        float64                    `json:"param_value_internal"`
	Distribution string                     `json:"distribution"`
	State        *int                       `json:"state"`
	Values       []*float64                 `json:"values"`
	Start        string                     `json:"datetime_start"`
	Complete     string                     `json:"datetime_complete"`
	Attributes   map[string]json.RawMessage `json:"user_attr"`
}

// The operations that matter here, by Optuna's numbers.
const (
	opCreateStudy = 0
	opDeleteStudy = 1
	opCreateTrial = 4
	opParam       = 5
	opState       = 6
	opAttribute   = 8
)

var states = map[int]string{0: "RUNNING", 1: "COMPLETE", 2: "PRUNED", 3: "FAIL", 4: "WAITING"}

func isJournal(raw []byte) bool {
	line, _, _ := bytes.Cut(raw, []byte("\n"))
	var e entry
	return json.Unmarshal(line, &e) == nil && e.Op != nil
}

// logged is a trial as the journal tells it.
type logged struct {
	study           int64
	state           string
	start, complete string
	value           *float64
	params          []entry
	attributes      []entry
}

// readJournal replays an Optuna journal. Studies and trials are numbered as they come. A last line that was not written to its end
// is left out.
func readJournal(raw []byte, from string) (*Table, error) {
	names, directions := map[int64]string{}, map[int64][]int{}
	var trials []*logged
	next := int64(0)
	lines := bytes.Split(raw, []byte("\n"))
	for i, line := range lines {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			if i == len(lines)-1 {
				break
			}
			return nil, fault.New(fault.BadRequest, "", "line %d of the journal cannot be read: %w", i+1, err)
		}
		if e.Op == nil {
			continue
		}
		var t *logged
		if e.TrialID >= 0 && e.TrialID < int64(len(trials)) {
			t = trials[e.TrialID]
		}
		switch op := *e.Op; {
		case op == opCreateStudy:
			names[next], directions[next] = e.Study, e.Directions
			next++
		case op == opDeleteStudy:
			delete(names, e.StudyID)
		case op == opCreateTrial:
			trials = append(trials, newLogged(e))
		case t == nil:
		case op == opParam:
			t.params = append(t.params, e)
		case op == opAttribute:
			t.attributes = append(t.attributes, e)
		case op == opState:
			t.end(e)
		}
	}
	id, err := oneStudy(names, from)
	if err != nil {
		return nil, err
	}
	return tableOf(trials, id, directions[id])
}

// newLogged is a trial as it is created, which may be with its result.
func newLogged(e entry) *logged {
	t := &logged{study: e.StudyID, start: e.Start}
	t.end(e)
	return t
}

func (t *logged) end(e entry) {
	if e.State != nil {
		t.state = states[*e.State]
	}
	if e.Complete != "" {
		t.complete = e.Complete
	}
	if e.Start != "" {
		t.start = e.Start
	}
	if len(e.Values) > 0 {
		t.value = e.Values[0]
	}
}

func tableOf(trials []*logged, id int64, directions []int) (*Table, error) {
	t := &Table{Form: "an Optuna journal"}
	words := make([]string, len(directions))
	for i, d := range directions {
		words[i] = map[int]string{1: "MINIMIZE", 2: "MAXIMIZE"}[d]
	}
	if err := t.setGoal(words); err != nil {
		return nil, err
	}
	number := 0
	for _, l := range trials {
		if l.study != id {
			continue
		}
		t.trial(number, l.state, l.start, l.complete)
		row := len(t.Rows) - 1
		for _, p := range l.params {
			if err := t.param(row, p.Param, p.Value, p.Distribution); err != nil {
				return nil, fault.New(fault.BadRequest, "", "trial %d: %w", number, err)
			}
		}
		if l.value != nil {
			t.add(&t.Rows[row], "value", space.Float(*l.value))
		}
		for _, a := range l.attributes {
			for name, raw := range a.Attributes {
				t.attribute(row, name, raw)
			}
		}
		number++
	}
	if number == 0 {
		return nil, fault.New(fault.NotFound, "", "%s", fmt.Sprintf("there are no trials in %s", t.Form))
	}
	return t, nil
}
