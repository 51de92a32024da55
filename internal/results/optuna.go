package results

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// Columns are called as in Optuna's trials_dataframe: params_NAME, user_attrs_NAME, value, duration, state. The values of a study with several
// objectives are values_0, values_1 and so on, or values_NAME if the objectives have names.

// readOptuna reads a study of an Optuna database of schema 12, which Optuna has had since version 3.0.
func readOptuna(ctx context.Context, database *sql.DB, from string) (*Table, error) {
	db, err := database.BeginTx(ctx, nil) // Optuna may go on meanwhile, and all is read as it is at one moment
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Rollback() }() // nothing was changed
	names := map[int64]string{}
	err = each(ctx, db, func(rows *sql.Rows) error {
		var id int64
		var name string
		err := rows.Scan(&id, &name)
		names[id] = name
		return err
	}, "SELECT study_id, study_name FROM studies")
	if err != nil {
		return nil, fault.New(fault.BadRequest, "give an Optuna database of version 3 or 4", "this is not an Optuna database: %w", err)
	}
	id, err := oneStudy(names, from)
	if err != nil {
		return nil, err
	}
	t := &Table{Form: "an Optuna database"}
	var directions []string
	if err := each(ctx, db, func(rows *sql.Rows) error {
		var direction string
		err := rows.Scan(&direction)
		directions = append(directions, direction)
		return err
	}, "SELECT direction FROM study_directions WHERE study_id = ? ORDER BY objective", id); err != nil {
		return nil, err
	}
	var metrics []byte
	if len(directions) > 1 {
		if err := each(ctx, db, func(rows *sql.Rows) error { return rows.Scan(&metrics) },
			"SELECT value_json FROM study_system_attributes WHERE study_id = ? AND key = ?", id, metricNames); err != nil {
			return nil, err
		}
	}
	columns := t.objectives(directions, metrics)
	at := map[int64]int{}
	if err := each(ctx, db, func(rows *sql.Rows) error {
		var trial int64
		var number int
		var state string
		var start, complete sql.NullString
		if err := rows.Scan(&trial, &number, &state, &start, &complete); err != nil {
			return err
		}
		at[trial] = len(t.Rows)
		t.trial(number, state, start.String, complete.String)
		return nil
	}, "SELECT trial_id, number, state, CAST(datetime_start AS TEXT), CAST(datetime_complete AS TEXT) FROM trials WHERE study_id = ? ORDER BY number", id); err != nil {
		return nil, err
	}
	if err := each(ctx, db, func(rows *sql.Rows) error {
		var trial int64
		var name, distribution string
		var value float64
		if err := rows.Scan(&trial, &name, &value, &distribution); err != nil {
			return err
		}
		return t.param(at[trial], name, value, distribution)
	}, "SELECT p.trial_id, p.param_name, p.param_value, p.distribution_json FROM trial_params p JOIN trials t ON t.trial_id = p.trial_id WHERE t.study_id = ? ORDER BY p.param_id", id); err != nil {
		return nil, err
	}
	if err := each(ctx, db, func(rows *sql.Rows) error {
		var trial int64
		var objective int
		var value sql.NullFloat64
		if err := rows.Scan(&trial, &objective, &value); err != nil || !value.Valid || objective < 0 || objective >= len(columns) {
			return err
		}
		t.add(&t.Rows[at[trial]], columns[objective], space.Float(value.Float64))
		return nil
	}, "SELECT v.trial_id, v.objective, v.value FROM trial_values v JOIN trials t ON t.trial_id = v.trial_id WHERE t.study_id = ? ORDER BY v.trial_id, v.objective", id); err != nil {
		return nil, err
	}
	if err := each(ctx, db, func(rows *sql.Rows) error {
		var trial int64
		var name, text string
		if err := rows.Scan(&trial, &name, &text); err != nil {
			return err
		}
		t.attribute(at[trial], name, []byte(text))
		return nil
	}, "SELECT a.trial_id, a.key, a.value_json FROM trial_user_attributes a JOIN trials t ON t.trial_id = a.trial_id WHERE t.study_id = ? ORDER BY a.key", id); err != nil {
		return nil, err
	}
	var tables int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'trial_system_attributes'").Scan(&tables); err != nil || tables == 0 {
		return t, err
	}
	return t, each(ctx, db, func(rows *sql.Rows) error {
		var trial int64
		var text string
		if err := rows.Scan(&trial, &text); err != nil {
			return err
		}
		t.constraints(at[trial], []byte(text))
		return nil
	}, "SELECT a.trial_id, a.value_json FROM trial_system_attributes a JOIN trials t ON t.trial_id = a.trial_id WHERE t.study_id = ? AND a.key = ?", id, constraintsKey)
}

func each(ctx context.Context, db *sql.Tx, do func(*sql.Rows) error, query string, args ...any) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// oneStudy picks the study to read.
func oneStudy(names map[int64]string, from string) (int64, error) {
	var all []string
	for id, name := range names {
		if name == from || from == "" && len(names) == 1 {
			return id, nil
		}
		all = append(all, name)
	}
	slices.Sort(all)
	switch {
	case len(all) == 0:
		return 0, fault.New(fault.NotFound, "", "there is no study in it")
	case from == "":
		return 0, fault.New(fault.BadRequest, "name one: --from "+strings.Join(all, ", --from "), "there are %d studies in it", len(all))
	}
	return 0, fault.New(fault.NotFound, "there are: "+strings.Join(all, ", "), "there is no study %q in it", from)
}

// metricNames is the attribute of a study in which Optuna keeps the names of its objectives.
const metricNames = "study:metric_names"

// objectives notes the goals of a study, and returns the columns of its objectives.
func (t *Table) objectives(directions []string, metrics []byte) (columns []string) {
	goals := map[string]string{"MINIMIZE": "minimize", "MAXIMIZE": "maximize"}
	if len(directions) < 2 {
		if len(directions) == 1 {
			t.Goal = goals[directions[0]]
		}
		return []string{"value"}
	}
	var names []string
	named := json.Unmarshal(metrics, &names) == nil && len(names) == len(directions)
	t.Goals = map[string]string{}
	for i, direction := range directions {
		column := fmt.Sprintf("values_%d", i)
		if named {
			column = "values_" + names[i]
		}
		columns, t.Goals[column] = append(columns, column), goals[direction]
	}
	return columns
}

// trial begins a row.
func (t *Table) trial(number int, state, start, complete string) {
	r := Row{Where: fmt.Sprintf("trial %d", number), Cells: map[string]space.Value{}}
	t.add(&r, "state", space.String(state))
	if seconds, ok := between(start, complete); ok {
		t.add(&r, "duration", space.Float(seconds))
	}
	t.Rows = append(t.Rows, r)
}

// param notes a parameter. Of a choice, Optuna keeps the place among its values.
func (t *Table) param(row int, name string, value float64, distribution string) error {
	var d struct {
		Name       string `json:"name"`
		Attributes struct {
			Choices []json.RawMessage `json:"choices"`
		} `json:"attributes"`
	}
	if err := json.Unmarshal([]byte(distribution), &d); err != nil {
		return fmt.Errorf("the distribution of %s: %w", name, err)
	}
	v := space.Float(value)
	if strings.HasPrefix(d.Name, "Int") {
		v = space.Int(int64(value))
	}
	if d.Name == "CategoricalDistribution" {
		i := int(value)
		if i < 0 || i >= len(d.Attributes.Choices) {
			return fmt.Errorf("%s has no choice %d", name, i)
		}
		if v = (space.Value{}); string(d.Attributes.Choices[i]) == "null" {
			v = space.String("None")
		} else if err := json.Unmarshal(d.Attributes.Choices[i], &v); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	t.add(&t.Rows[row], "params_"+name, v)
	return nil
}

// attribute notes what the user kept with a trial, if it is one value.
func (t *Table) attribute(row int, name string, raw []byte) {
	var v space.Value
	if json.Unmarshal(raw, &v) == nil {
		t.add(&t.Rows[row], "user_attrs_"+name, v)
	}
}

// constraintsKey is where Optuna keeps what the constraints_func of a sampler returned for a trial.
const constraintsKey = "constraints"

// constraints notes the constraints of a trial. In Optuna a trial is feasible if none of them is above 0.
func (t *Table) constraints(row int, raw []byte) {
	var list []float64
	if len(raw) == 0 || json.Unmarshal(raw, &list) != nil {
		return
	}
	for i, x := range list {
		t.add(&t.Rows[row], metricColumn(fmt.Sprintf("constraint_%d", i)), space.Float(x))
	}
}

// between is how many seconds lie between two times, as Optuna writes them.
func between(start, end string) (float64, bool) {
	var times [2]time.Time
	for i, text := range []string{start, end} {
		var err error
		if times[i], err = time.Parse("2006-01-02 15:04:05.999999999", strings.Replace(strings.TrimSuffix(text, "Z"), "T", " ", 1)); err != nil {
			return 0, false
		}
	}
	seconds := times[1].Sub(times[0]).Seconds()
	return seconds, seconds > 0
}

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
	System       map[string]json.RawMessage `json:"system_attr"`
}

// The operations that matter here, by Optuna's numbers.
const (
	opCreateStudy = 0
	opDeleteStudy = 1
	opStudySystem = 3
	opCreateTrial = 4
	opParam       = 5
	opState       = 6
	opAttribute   = 8
	opSystem      = 9
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
	values          []*float64
	params          []entry
	attributes      []entry
}

// readJournal replays an Optuna journal. Studies and trials are numbered as they come. A last line that was not written to its end
// is left out.
func readJournal(raw []byte, from string) (*Table, error) {
	names, directions, metrics := map[int64]string{}, map[int64][]int{}, map[int64][]byte{}
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
		case op == opStudySystem:
			if raw := e.System[metricNames]; raw != nil {
				metrics[e.StudyID] = raw
			}
		case op == opCreateTrial:
			trials = append(trials, newLogged(e))
		case t == nil:
		case op == opParam:
			t.params = append(t.params, e)
		case op == opAttribute || op == opSystem:
			t.attributes = append(t.attributes, e)
		case op == opState:
			t.end(e)
		}
	}
	id, err := oneStudy(names, from)
	if err != nil {
		return nil, err
	}
	return tableOf(trials, id, directions[id], metrics[id])
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
		t.values = e.Values
	}
}

func tableOf(trials []*logged, id int64, directions []int, metrics []byte) (*Table, error) {
	t := &Table{Form: "an Optuna journal"}
	words := make([]string, len(directions))
	for i, d := range directions {
		words[i] = map[int]string{1: "MINIMIZE", 2: "MAXIMIZE"}[d]
	}
	columns := t.objectives(words, metrics)
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
		for i, v := range l.values {
			if v != nil && i < len(columns) {
				t.add(&t.Rows[row], columns[i], space.Float(*v))
			}
		}
		for _, a := range l.attributes {
			for name, raw := range a.Attributes {
				t.attribute(row, name, raw)
			}
			t.constraints(row, a.System[constraintsKey])
		}
		number++
	}
	if number == 0 {
		return nil, fault.New(fault.NotFound, "", "%s", fmt.Sprintf("there are no trials in %s", t.Form))
	}
	return t, nil
}
