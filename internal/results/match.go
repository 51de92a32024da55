package results

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Matched is what a table gives a study.
type Matched struct {
	Results []Result          `json:"-"`
	Refused []Refusal         `json:"refused"`        // rows that the study does not allow
	Without int               `json:"without_result"` // rows of trials that failed, were pruned or are not over
	Columns map[string]string `json:"columns"`        // which column is which parameter, value, cost or number that the study asks for, by the latter
	Metrics []string          `json:"metrics"`        // the names of other numbers that results have
	Unused  []string          `json:"unused"`         // columns with numbers that are none of these
}

// Result is a row that the study allows.
type Result struct {
	Setting space.Setting
	Value   float64
	Cost    float64 // 0: nobody knows
	Row     string  // tells the row from others, whatever its columns are taken for
	Metrics study.Metrics
	Before  float64 // the part of the cost of the trials that it went on from, which have rows of their own
}

// Refusal says why a row was left out.
type Refusal struct {
	Where   string `json:"where"`
	Problem string `json:"problem"`
}

// The names of the columns that are not parameters.
const asValue, asCost = "value", "cost"

// Role is what the column of a parameter is called in Matched.Columns: its name, unless that is the name of another column.
func Role(parameter string) string {
	if parameter == asValue || parameter == asCost {
		return parameterColumn(parameter)
	}
	return parameter
}

// Match fits a table to a study. named says of columns what they are: a parameter, "value", "cost" or, for another number, "metric.NAME".
func Match(t *Table, s *study.Study, named map[string]string) (*Matched, error) {
	sp, err := s.Space()
	if err != nil {
		return nil, err
	}
	m := &Matched{Refused: []Refusal{}, Metrics: []string{}}
	var missing []string
	if m.Columns, missing, err = Columns(t, s, named); err == nil && len(missing) > 0 {
		err = noColumn(t, missing[0])
		if slices.ContainsFunc(s.Objectives, func(o study.Aim) bool { return o.Name == missing[0] }) {
			err = fault.New(fault.BadRequest, "say which it is: --map COLUMN="+missing[0]+"; there are: "+strings.Join(t.Columns, ", "), "no column is the objective %s", missing[0])
		}
	}
	if err != nil {
		return nil, err
	}
	if goal := t.goal(m.Columns[asValue]); goal != "" && goal != string(s.Objective.Goal) {
		return nil, fault.New(fault.BadRequest, "import it into a study with the same goal", "%s wants to %s, and study %s to %s", t.Form, goal, s.Name, s.Objective.Goal)
	}
	for _, o := range s.Objectives[min(1, len(s.Objectives)):] {
		if goal := t.Goals[m.Columns[o.Name]]; goal != "" && goal != string(o.Goal) {
			return nil, fault.New(fault.BadRequest, "import it into a study with the same goals", "%s wants to %s %s, and study %s to %s it", t.Form, goal, o.Name, s.Name, o.Goal)
		}
	}
	others := study.Metrics{}
	for _, row := range t.Rows {
		if !t.hasResult(row, m.Columns, s) {
			m.Without++
			continue
		}
		result, err := m.read(row, s, sp)
		if err != nil {
			m.Refused = append(m.Refused, Refusal{row.Where, err.Error()})
			continue
		}
		m.Results = append(m.Results, result)
		maps.Copy(others, result.Metrics)
	}
	for _, name := range s.AsksFor() {
		delete(others, name)
	}
	m.Metrics, m.Unused = append(m.Metrics, others.Names()...), t.unused(m.Columns)
	return m, nil
}

// unused returns the columns with numbers that are nothing to the study. An export has many of its own.
func (t *Table) unused(columns map[string]string) []string {
	list, taken := []string{}, slices.Collect(maps.Values(columns))
	for _, c := range t.Columns {
		hasNumber := func(r Row) bool {
			_, err := strconv.ParseFloat(strings.TrimSpace(r.Cells[c].String()), 64)
			return err == nil
		}
		if _, kept := metricIn(c); t.Form != exported && !kept && !slices.Contains(taken, c) && slices.ContainsFunc(t.Rows, hasNumber) {
			list = append(list, c)
		}
	}
	return list
}

// metricIn returns the metric whose numbers a column has, whoever asks for them.
func metricIn(column string) (name string, ok bool) {
	if name, ok = strings.CutPrefix(column, metricColumn("")); !ok {
		name, ok = strings.CutPrefix(column, "user_attrs_")
	}
	return name, ok
}

// asMetric returns the metric that somebody says a column is.
func asMetric(role string, s *study.Study) (name string, ok bool) {
	name, ok = strings.CutPrefix(role, metricColumn(""))
	return name, ok && study.IsMetric(name, 0) && !slices.ContainsFunc(s.Inputs(), func(p space.Param) bool { return p.Name == role })
}

// Columns finds out which column is what, first by what the caller named and then by their own names. missing lists what has no column
// and needs one: parameters, and the value.
func Columns(t *Table, s *study.Study, named map[string]string) (columns map[string]string, missing []string, err error) {
	taken := map[string]bool{} // columns that are parameters, or that an export has for something else
	have := func(names ...string) string {
		for _, isSame := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
			for _, name := range names {
				for _, c := range t.Columns {
					if isSame(c, name) && !taken[c] {
						return c
					}
				}
			}
		}
		return ""
	}
	roles := []string{asValue, asCost}
	for _, p := range s.Inputs() {
		roles = append(roles, Role(p.Name))
	}
	roles = append(roles, s.AsksFor()...)
	columns = map[string]string{}
	for _, column := range slices.Sorted(maps.Keys(named)) {
		role := named[column]
		if role == s.Objective.Name && !slices.Contains(roles, role) {
			role = asValue
		}
		if _, isMetric := asMetric(role, s); !isMetric && !slices.Contains(roles, role) {
			return nil, nil, fault.New(fault.BadRequest, "give "+strings.Join(roles, ", ")+", or metric.NAME for another number", "column %s cannot be %s, which the study does not have", column, role)
		}
		c := have(column, "params_"+column, "user_attrs_"+column, "values_"+column)
		if c == "" {
			return nil, nil, fault.New(fault.BadRequest, "there are: "+strings.Join(t.Columns, ", "), "there is no column %s", column)
		}
		if columns[role] != "" {
			return nil, nil, fault.New(fault.BadRequest, "name one of them", "columns %s and %s cannot both be %s", columns[role], c, role)
		}
		columns[role] = c
	}
	aims := []string{asValue} // each objective has a column of its own, which may be the cost as well
	for _, o := range s.Objectives[min(1, len(s.Objectives)):] {
		aims = append(aims, o.Name)
	}
	find := func(role string, names ...string) {
		before := taken
		if slices.Contains(aims, role) {
			taken = maps.Clone(taken)
			for _, aim := range aims {
				taken[columns[aim]] = true
			}
		}
		if c := have(names...); c != "" && columns[role] == "" {
			columns[role] = c
		}
		taken = before
	}
	if t.Form == exported { // whatever the objective and the parameters are called
		find(asValue, asValue)
		find(asCost, asCost)
		for _, c := range ownColumns {
			taken[c] = true
		}
	}
	for _, p := range s.Inputs() {
		role := Role(p.Name)
		find(role, parameterColumn(p.Name), "params_"+p.Name, "param."+p.Name, p.Name)
		if taken[columns[role]] = true; columns[role] == "" && p.Default.IsZero() && p.Kind != space.KindFixed && len(p.When) == 0 {
			missing = append(missing, role)
		}
	}
	find(asValue, s.Objective.Name, "values_"+s.Objective.Name, "value", "objective")
	if t.Goals == nil || s.Several() {
		find(asValue, "values_0")
	}
	unit := strings.NewReplacer("-", "_", " ", "_").Replace(s.Cost.Unit)
	find(asCost, "cost", "charged", s.Cost.Unit, unit, "user_attrs_cost", "user_attrs_"+s.Cost.Unit, "user_attrs_"+unit)
	if s.Measured() {
		find(asCost, "wall", "duration")
	}
	for _, name := range s.AsksFor() {
		find(name, metricColumn(name), name, "user_attrs_"+name)
	}
	for i, o := range s.Objectives[min(1, len(s.Objectives)):] {
		find(o.Name, "values_"+o.Name, fmt.Sprintf("values_%d", i+1))
		if columns[o.Name] == "" {
			missing = append(missing, o.Name)
		}
	}
	if columns[asValue] == "" {
		missing = append(missing, asValue)
	}
	return columns, missing, nil
}

// goal is what the values of a column are to be, or empty if the table does not say.
func (t *Table) goal(column string) string {
	if t.Goals != nil {
		return t.Goals[column]
	}
	return t.Goal
}

// noColumn is the error of a table without a column that the study needs.
func noColumn(t *Table, role string) error {
	if len(t.Rows) == 0 {
		return fault.New(fault.BadRequest, "give a file with results", "%s has no results", t.Form)
	}
	what := "parameter " + strings.TrimPrefix(role, parameterColumn(""))
	switch {
	case role == asValue && len(t.Goals) > 0:
		list := slices.Sorted(maps.Keys(t.Goals))
		return fault.New(fault.BadRequest, "say which one to import: --map "+strings.Join(list, "=value, or --map ")+"=value; or give the study objectives", "%s has %d objectives, and the study has one", t.Form, len(list))
	case role == asValue:
		what = "the value"
	}
	return fault.New(fault.BadRequest, "say which it is: --map COLUMN="+role+"; there are: "+strings.Join(t.Columns, ", "), "no column is %s", what)
}

// hasResult says whether a row is of a trial that returned a value. In an export of eke, somebody may have had it forgotten; and looks are results only
// for a study that has a fidelity.
func (t *Table) hasResult(r Row, columns map[string]string, s *study.Study) bool {
	says := func(column string) bool {
		return t.Form == exported && strings.EqualFold(r.Cells[column].String(), "true")
	}
	if says("forgotten") || says("look") && s.Fidelity == nil {
		return false
	}
	if state, ok := r.Cells["state"]; ok && columns["state"] != "state" && !slices.Contains([]string{"done", "complete", "trialstate.complete"}, strings.ToLower(state.String())) {
		return false
	}
	return !r.Cells[columns[asValue]].IsZero()
}

// metricsOf returns the numbers of a row besides its value and its cost: those that the study has limits on, those that
// somebody says are metrics, those of an export, and what users of Optuna kept with a trial.
func metricsOf(row Row, s *study.Study, columns map[string]string) study.Metrics {
	all, taken := study.Metrics{}, slices.Collect(maps.Values(columns))
	add := func(name, column string) {
		if x, err := strconv.ParseFloat(strings.TrimSpace(row.Cells[column].String()), 64); err == nil && study.IsMetric(name, x) && len(all) < study.MaxMetrics {
			all[name] = x
		}
	}
	for _, name := range s.AsksFor() {
		add(name, columns[name])
	}
	for _, role := range slices.Sorted(maps.Keys(columns)) {
		if name, of := asMetric(role, s); of {
			add(name, columns[role])
		}
	}
	for _, column := range slices.Sorted(maps.Keys(row.Cells)) {
		if name, of := metricIn(column); of && !slices.Contains(taken, column) {
			add(name, column)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

func (m *Matched) read(row Row, s *study.Study, sp *space.Space) (r Result, err error) {
	r.Setting, r.Row = space.Setting{}, row.key()
	for _, p := range s.Inputs() {
		if v, ok := row.of(p, m.Columns[Role(p.Name)]); ok {
			r.Setting[p.Name] = s.ReadValue(p.Name, v.String())
		}
	}
	r.Setting = sp.Complete(r.Setting)
	if err := sp.Allows(r.Setting); err != nil {
		return r, err
	}
	if r.Value, err = number(row.Cells[m.Columns[asValue]]); err != nil {
		return r, fmt.Errorf("the value is %w", err)
	}
	for _, name := range s.AsksFor() { // a text such as 7.5 GB would be taken for no number at all, and the result would not count
		if text := strings.TrimSpace(row.Cells[m.Columns[name]].String()); !slices.Contains(absent, text) {
			if _, err := strconv.ParseFloat(text, 64); err != nil {
				return r, fmt.Errorf("%s is %q, which is not a number", name, text)
			}
		}
	}
	r.Metrics = metricsOf(row, s, m.Columns)
	if cost, ok := row.Cells[m.Columns[asCost]]; ok {
		if r.Cost, err = number(cost); err != nil {
			return r, fmt.Errorf("the cost is %w", err)
		}
		if r.Cost < 0 || r.Cost > study.MaxAmount {
			return r, fmt.Errorf("the cost is %v", r.Cost)
		}
		own := r.Cost
		r.Cost = row.whole(own, m.Columns[asCost])
		r.Before = r.Cost - own
	}
	return r, nil
}

// absent is what spreadsheets, R, Python and databases write for a number that is not there.
var absent = []string{"", "NA", "None", "null", "NULL"}

// number reads a number, or a duration as pandas writes it, such as 0 days 00:01:30.5, in seconds.
func number(v space.Value) (float64, error) {
	text := strings.TrimSpace(v.String())
	if x, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
		return x, nil
	}
	var days, hours, minutes float64
	var seconds float64
	if _, err := fmt.Sscanf(text, "%f days %f:%f:%f", &days, &hours, &minutes, &seconds); err == nil {
		return ((days*24+hours)*60+minutes)*60 + seconds, nil
	}
	return 0, fmt.Errorf("%q, which is not a number", text)
}

// Earlier returns the results of a table as prior knowledge of a study. The table may be of another, similar study: parameters are matched by
// their names, and rows may lack some.
func Earlier(t *Table, s *study.Study) (*study.Earlier, error) {
	columns, missing, err := Columns(t, s, nil)
	if err == nil && slices.Contains(missing, asValue) {
		err = noColumn(t, asValue)
	}
	if err != nil {
		return nil, err
	}
	if goal := t.goal(columns[asValue]); goal != "" && goal != string(s.Objective.Goal) {
		return nil, fault.New(fault.BadStudy, "start from a study with the same goal", "start_from: %s wants to %s, and this study to %s", t.Form, goal, s.Objective.Goal)
	}
	earlier := &study.Earlier{}
	for _, row := range t.Rows {
		if !t.hasResult(row, columns, s) {
			continue
		}
		e := study.EarlierResult{Setting: space.Setting{}}
		for _, param := range s.Inputs() {
			if v, ok := row.of(param, columns[Role(param.Name)]); ok {
				e.Setting[param.Name] = s.ReadValue(param.Name, v.String())
			}
		}
		if e.Value, err = number(row.Cells[columns[asValue]]); err != nil {
			continue
		}
		if cost, ok := row.Cells[columns[asCost]]; ok {
			e.Cost, _ = number(cost) // without one, nobody knows
			e.Cost = row.whole(e.Cost, columns[asCost])
		}
		e.Metrics = metricsOf(row, s, columns)
		earlier.Results = append(earlier.Results, e)
	}
	return earlier, nil
}
