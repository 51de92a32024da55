package server_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Columns say of every trial what the list of trials says, and have those whole that say more.
func TestColumns(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	for n := 1; n <= 5; n++ {
		g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
		switch n {
		case 3:
			g.post("/studies/kiln/trials/3/fail", `{"cost":1.5,"note":"broke"}`).fine(200, nil)
		case 5: // is under way
		default:
			g.post(fmt.Sprintf("/studies/kiln/trials/%d/tell", n), fmt.Sprintf(`{"value":%d,"cost":2}`, n)).fine(200, nil)
		}
	}
	g.post("/studies/kiln/forget", `{"trials":[2]}`).fine(200, nil)
	var list api.Trials
	g.get("/studies/kiln/trials?why=false").fine(200, &list)
	var c api.Columns
	g.get("/studies/kiln/columns").fine(200, &c)
	if c.Version != list.Version || c.First != 1 || len(c.State) != 5 {
		t.Fatalf("%+v", c)
	}
	var whole []int
	for _, m := range c.More {
		whole = append(whole, m.Number)
		if want := list.Trials[m.Number-1]; !reflect.DeepEqual(m, want) {
			t.Errorf("%+v, want %+v", m, want)
		}
	}
	if fmt.Sprint(whole) != "[2 3 5]" {
		t.Errorf("whole are %v", whole)
	}
	for i, want := range list.Trials {
		if c.States[c.State[i]] != want.State || c.Runners[c.Runner[i]] != want.Runner || c.Charged[i] != want.Charged || !reflect.DeepEqual(c.Values[i], want.Value) ||
			c.Since.Add(time.Duration(c.Asked[i])*time.Millisecond).Sub(want.Asked).Abs() > time.Millisecond || (c.Finished[i] != nil) != (want.State != study.Running) {
			t.Errorf("trial %d: %+v", i+1, c)
		}
		for name, column := range c.Settings {
			if column[i] != want.Setting[name] {
				t.Errorf("trial %d has %s %v, want %v", i+1, name, column[i], want.Setting[name])
			}
		}
	}
	if g.get("/studies/kiln/columns?after=3&limit=1").fine(200, &c); c.First != 4 || len(c.State) != 1 || len(c.Settings["x"]) != 1 {
		t.Errorf("%+v", c)
	}
	g.get("/studies/kiln/columns?limit=0").refused(422, fault.BadRequest, "query.limit")
}

// BenchmarkStudyOf20000 is how long a study with 20,000 trials takes to be read, alone and with all its trials, once it has been opened.
//
//	go test -run '^$' -bench StudyOf20000 ./internal/server
func BenchmarkStudyOf20000(b *testing.B) {
	g := serve(b)
	g.create(strings.Replace(planned, "total: 1000", "total: 1000000", 1))
	for range 20 {
		observe(b, g.store, "planned", 1000)
	}
	for _, c := range []struct{ name, path string }{{"study", ""}, {"columns", "/columns"}, {"trials", "/trials?limit=1000&why=false"}} {
		b.Run(c.name, func(b *testing.B) {
			size := 0
			for b.Loop() {
				a := g.get("/studies/planned" + c.path)
				a.fine(200, nil)
				size = len(a.body)
			}
			b.ReportMetric(float64(size)/1e6, "MB")
		})
	}
}
