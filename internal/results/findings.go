package results

import (
	"slices"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Findings returns the results of a table as prior knowledge of a study. The table may be of another, similar study: parameters are matched by
// their names, and rows may lack some.
func Findings(t *Table, s *study.Study) (*study.Prior, error) {
	if t.Goal != "" && t.Goal != string(s.Objective.Goal) {
		return nil, fault.New(fault.BadStudy, "start from a study with the same goal", "start_from: %s wants to %s, and this study to %s", t.Form, t.Goal, s.Objective.Goal)
	}
	columns, missing, err := Columns(t, s, nil)
	if err == nil && slices.Contains(missing, asValue) {
		err = noColumn(t, asValue)
	}
	if err != nil {
		return nil, err
	}
	p := &study.Prior{}
	for _, row := range t.Rows {
		if !t.hasResult(row, columns[asValue], s) {
			continue
		}
		e := study.Earlier{Setting: space.Setting{}}
		for _, param := range s.Parameters {
			if v, ok := row.Cells[columns[param.Name]]; ok {
				e.Setting[param.Name] = s.ReadValue(param.Name, v.String())
			}
		}
		if e.Value, err = number(row.Cells[columns[asValue]]); err != nil {
			continue
		}
		if cost, ok := row.Cells[columns[asCost]]; ok {
			e.Cost, _ = number(cost) // without one, nobody knows
		}
		p.Results = append(p.Results, e)
	}
	return p, nil
}
