package main

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// No two columns of a front have the same name, in any case, whatever objectives and parameters are called.
func TestColumnsOfAFront(t *testing.T) {
	for _, c := range []struct {
		objectives, parameters []string
		expected               bool
		want                   string
	}{
		{[]string{"accuracy", "latency_ms"}, []string{"x", "waste"}, false, "trial,accuracy,latency_ms,cost,x,waste"},
		{[]string{"accuracy", "b"}, []string{"x"}, true, "trial,accuracy,b,cost,expected.accuracy,expected.b,x"},
		{[]string{"trial", "b"}, []string{"Trial", "cost", "B"}, false, "trial,metric.trial,b,cost,parameter.Trial,parameter.cost,parameter.B"},
		{[]string{"Cost", "metric.Cost"}, []string{"x"}, false, "trial,metric.Cost,metric.metric.Cost,cost,x"},
		{[]string{"b", "expected.b"}, []string{"expected.expected.b"}, true, "trial,b,metric.expected.b,cost,expected.b,expected.expected.b,parameter.expected.expected.b"},
		{[]string{"a", "b"}, []string{"trial", "parameter.trial"}, false, "trial,a,b,cost,parameter.trial,parameter.parameter.trial"},
		{[]string{"trial", "b"}, []string{"metric.trial"}, false, "trial,metric.trial,b,cost,parameter.metric.trial"},
	} {
		s := &study.Study{}
		for _, name := range c.objectives {
			s.Objectives = append(s.Objectives, study.Aim{Objective: study.Objective{Name: name}})
		}
		for _, name := range c.parameters {
			s.Parameters = append(s.Parameters, space.Param{Name: name, Kind: space.KindFloat, Max: 1})
		}
		var file strings.Builder
		if err := writeFront(&file, s, advisor.Front{Expected: c.expected}); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(file.String())).ReadAll()
		if err != nil || len(rows) != 1 || !slices.Equal(rows[0], strings.Split(c.want, ",")) {
			t.Errorf("%q, %v; want %s", rows, err, c.want)
		}
	}
}
