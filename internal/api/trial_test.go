package api

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// A trial comes back from the wire as it was sent, but for what stays with the server. Known was once forgotten on the way back.
func TestTrialComesBack(t *testing.T) {
	sent := study.Trial{State: study.Done, Setting: space.Setting{"x": space.Float(0.5)}, Why: json.RawMessage(`{"a":1}`), Plan: json.RawMessage(`{}`)}
	fill(t, reflect.ValueOf(&sent).Elem())
	raw, err := json.Marshal(Lease{Trial: NewTrial(sent)})
	if err != nil {
		t.Fatal(err)
	}
	var came Lease
	if err := json.Unmarshal(raw, &came); err != nil {
		t.Fatal(err)
	}
	want := sent
	want.AskKey, want.FinishKey, want.Plan = "", "", nil
	if got := came.Study(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	for field := range TrialWords {
		if _, ok := fields[field]; !ok {
			t.Errorf("%s is described, but not sent", field)
		}
	}
	for _, secret := range []string{"ask_key", "finish_key", "plan"} {
		if _, ok := fields[secret]; ok {
			t.Errorf("%s is sent", secret)
		}
	}
	if got := came.ID; got != sent.ID || fields["value"] != sent.Value {
		t.Errorf("ID %q, %v", got, fields["value"])
	}
}

// Only a trial that is done has a value.
func TestTrialWithoutValue(t *testing.T) {
	raw, err := json.Marshal(NewTrial(study.Trial{Number: 1, State: study.Running, Value: 3}))
	if want := `{"number":1,"state":"running","setting":null,"point":null,"asked":"0001-01-01T00:00:00Z","value":null}`; err != nil || string(raw) != want {
		t.Errorf("%s, %v, want %s", raw, err, want)
	}
}

// fill gives a value to every exported field that has none.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case !f.IsZero() || !f.CanSet():
		case f.Type() == reflect.TypeFor[time.Time]():
			f.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
		case f.Kind() == reflect.String:
			f.SetString("word")
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		case f.Kind() == reflect.Int:
			f.SetInt(7)
		case f.Kind() == reflect.Float64:
			f.SetFloat(0.25)
		case f.Kind() == reflect.Struct:
			fill(t, f)
		case f.Kind() == reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
			if f.Elem().Kind() == reflect.Float64 {
				f.Elem().SetFloat(0.25)
				continue
			}
			fill(t, f.Elem())
		case f.Type() == reflect.TypeFor[study.Metrics]():
			f.Set(reflect.ValueOf(study.Metrics{"memory": 7.5}))
		case f.Type() == reflect.TypeFor[[]string]():
			f.Set(reflect.ValueOf([]string{"memory"}))
		case f.Type() == reflect.TypeFor[[]float64]():
			f.Set(reflect.ValueOf([]float64{0.5}))
		case f.Kind() == reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
			fill(t, f.Index(0))
		default:
			t.Fatalf("nobody knows how to fill a %s", f.Type())
		}
	}
}
