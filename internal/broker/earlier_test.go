package broker_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

func kiln(name, from string, goal study.Goal) *study.Study {
	return &study.Study{Name: name, Objective: study.Objective{Name: "strength", Goal: goal}, Cost: study.Cost{Unit: "euros", Source: study.Reported},
		Budget: study.Budget{Total: 50}, Parameters: []space.Param{{Name: "heat", Kind: space.KindFloat, Min: 0, Max: 10}}, Parallel: 1,
		Policy: study.Policy{Name: "auto", Preset: study.PresetDefault}, StartFrom: from}
}

func someResults(n int) (list []broker.Result) {
	for i := range n {
		heat := float64(i) + 0.5
		list = append(list, broker.Result{Setting: space.Setting{"heat": space.Float(heat)}, Value: -(heat - 4) * (heat - 4), Cost: 1 + heat/10})
	}
	return list
}

// The results are in the new study's log, and deleting the earlier study changes nothing.
func TestStartFromIsPinned(t *testing.T) {
	ctx, st := t.Context(), store.Memory()
	old, err := broker.Create(ctx, st, kiln("old", "", study.Maximize))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.Import(ctx, someResults(8), false); err != nil {
		t.Fatal(err)
	}
	b, err := broker.Create(ctx, st, kiln("new", "old", study.Maximize))
	if err != nil {
		t.Fatal(err)
	}
	before, _ := b.Record(ctx)
	if before.Earlier == nil || before.Earlier.From != "old" || len(before.Earlier.Results) != 8 {
		t.Fatalf("it starts from %+v", before.Earlier)
	}
	if err := st.Delete(ctx, "old"); err != nil {
		t.Fatal(err)
	}
	again, err := broker.Join(ctx, st, kiln("new", "old", study.Maximize))
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := again.Record(ctx); !reflect.DeepEqual(r.Earlier, before.Earlier) || r.Version != before.Version {
		t.Errorf("after the earlier study was deleted: %+v, version %d", r.Earlier, r.Version)
	}
	if _, err := broker.Join(ctx, st, kiln("new", "", study.Maximize)); !errors.Is(err, broker.ErrDiffers) {
		t.Errorf("start_from was taken away, and the error is %v", err)
	}
}

// A crash between the study's creation and the copy of the results is made up for before the first trial.
func TestStartFromAfterACrash(t *testing.T) {
	ctx, st := t.Context(), store.Memory()
	old, err := broker.Create(ctx, st, kiln("old", "", study.Maximize))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.Import(ctx, someResults(8), false); err != nil {
		t.Fatal(err)
	}
	if _, err := broker.Create(ctx, st, kiln("new", "old", study.Maximize)); err != nil {
		t.Fatal(err)
	}
	header, _, err := st.Read(ctx, "new", 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(st.Delete(ctx, "new"), st.Create(ctx, header)); err != nil { // its header without its log
		t.Fatal(err)
	}
	b, err := broker.Open(ctx, st, "new")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Ask(ctx, "runner"); err != nil {
		t.Fatal(err)
	}
	if r, _ := b.Record(ctx); r.Earlier == nil || len(r.Trials) != 1 {
		t.Errorf("it starts from %+v, with %d trials", r.Earlier, len(r.Trials))
	}
}

func TestStartFromIsRefused(t *testing.T) {
	ctx, st := t.Context(), store.Memory()
	old, err := broker.Create(ctx, st, kiln("old", "", study.Maximize))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.Import(ctx, someResults(3), false); err != nil {
		t.Fatal(err)
	}
	other := kiln("new", "old", study.Maximize)
	other.Parameters[0].Name = "cold"
	for name, s := range map[string]*study.Study{
		"missing": kiln("new", "nobody", study.Maximize), "another goal": kiln("new", "old", study.Minimize), "too few": kiln("new", "old", study.Maximize),
		"itself": kiln("new", "new", study.Maximize), "nothing in common": other,
	} {
		if _, err := broker.Create(ctx, st, s); fault.CodeOf(err) != fault.BadStudy {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err := st.Read(ctx, "new", 0); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: the study was created", name)
		}
	}
}

// The looks of an earlier study are no results: they cost less, and return something else. They are taken over as looks.
func TestStartFromWithLooks(t *testing.T) {
	ctx, st := t.Context(), store.Memory()
	earlier := kiln("old", "", study.Maximize)
	earlier.Fidelity = &study.Fidelity{Name: "hours", Min: 1, Max: 9}
	old, err := broker.Create(ctx, st, earlier)
	if err != nil {
		t.Fatal(err)
	}
	var list []broker.Result
	for i, r := range someResults(10) {
		r.Setting["hours"] = space.Int(int64(1 + 8*(i%2)))
		list = append(list, r)
	}
	if _, err := old.Import(ctx, list, true); err != nil {
		t.Fatal(err)
	}
	if _, err := old.Import(ctx, list[:5], false); err != nil {
		t.Fatal(err)
	}
	later := kiln("new", "old", study.Maximize)
	later.Fidelity = &study.Fidelity{Name: "hours", Min: 1, Max: 20}
	p, _, err := broker.Earlier(ctx, st, "old", later)
	if err != nil || len(p.Results) != 5 || len(p.Looks) != 5 {
		t.Fatalf("%+v, %v", p, err)
	}
	for _, r := range p.Results {
		if r.Setting["hours"] != space.Int(9) {
			t.Errorf("a look is taken for a result: %v", r)
		}
	}

	// What counted in a study with the same fidelity counts at the highest of another. In a file, what is below that is a look.
	b, err := broker.Create(ctx, st, later)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := b.Record(ctx)
	if len(r.Earlier.Looks) > 0 {
		t.Errorf("looks at less than another highest fidelity: %+v", r.Earlier.Looks)
	}
	if len(r.Earlier.Results) != 5 || r.Earlier.Results[0].Setting["heat"].IsZero() || !r.Earlier.Results[0].Setting["hours"].IsZero() {
		t.Errorf("it starts from %+v", r.Earlier)
	}
	if p, err := broker.FitEarlier(later, p, nil); fault.CodeOf(err) != fault.BadStudy {
		t.Errorf("from a file of looks it starts from %+v, %v", p, err)
	}
	later.Fidelity.Max = 9
	_, of, _ := broker.Earlier(ctx, st, "old", later)
	if p, err := broker.FitEarlier(later, p, of); err != nil || len(p.Results) != 5 || len(p.Looks) != 5 || p.Looks[0].Setting["hours"] != space.Int(1) {
		t.Errorf("with the same highest fidelity it starts from %+v, %v", p, err)
	} else if again, err := broker.FitEarlier(later, p, nil); err != nil || !reflect.DeepEqual(again, p) {
		t.Errorf("on its way to a server it becomes %+v, %v", again, err)
	}
	if p, err := broker.FitEarlier(later, p, nil); err != nil || len(p.Results) != 5 {
		t.Errorf("from a file of results it starts from %+v, %v", p, err)
	}
}

// A study that has prices for changes starts from what the earlier trials cost without them. To any other, they cost what was paid.
func TestStartFromWithChanges(t *testing.T) {
	ctx, st, heating := t.Context(), store.Memory(), 3.0
	changes := []study.Changeover{{Of: []string{"heat"}, Cost: &heating}}
	earlier := kiln("old", "", study.Maximize)
	earlier.Changeover = changes
	old, err := broker.Create(ctx, st, earlier)
	if err != nil {
		t.Fatal(err)
	}
	said := 2.0
	for i := range 4 {
		trial, err := old.Ask(ctx, "runner")
		if err != nil {
			t.Fatal(err)
		}
		f := study.Finished{State: study.Done, Value: float64(i), Charged: 5}
		if i == 1 {
			f.Setup = &said
		}
		if err := errors.Join(old.StartAt(ctx, trial.Number, "runner", ""), old.Finish(ctx, trial.Number, f)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string][]float64{"prices": {2, 3, 2, 2}, "no prices": {5, 5, 5, 5}} {
		later := kiln(name, "old", study.Maximize)
		if name == "prices" {
			later.Changeover = changes
		}
		b, err := broker.Create(ctx, st, later)
		if err != nil {
			t.Fatal(err)
		}
		r, _ := b.Record(ctx)
		for i, e := range r.Earlier.Results {
			if e.Cost != want[i] {
				t.Errorf("%s: trial %d cost %v, want %v", name, i+1, e.Cost, want[i])
			}
		}
	}
}
