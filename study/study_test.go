package study

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eke-bo/eke/space"
)

func TestJSONRoundTrip(t *testing.T) {
	for file, raw := range read(t, "testdata/good/*.yaml") {
		s, err := Parse(raw, file)
		if err != nil {
			t.Fatal(err)
		}
		checkJSON(t, s)
	}
	rapid.Check(t, func(t *rapid.T) { s := anyStudy(t); checkJSON(t, &s) })
}

// checkJSON writes a study as JSON and compares what is read back.
func checkJSON(t interface{ Fatalf(string, ...any) }, s *Study) {
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var back Study
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	if diff := cmp.Diff(s, &back, valueEqual); diff != "" {
		t.Fatalf("(-written +read):\n%s", diff)
	}
}

func TestJSONUsesTheWordsOfTheFile(t *testing.T) {
	s, err := Parse(read(t, "testdata/good/airfoil.yaml")["testdata/good/airfoil.yaml"], "")
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`"budget":{"total":200,"per_trial":20,"deadline":"72h"}`,
		`{"name":"lr","type":"float","min":0.00001,"max":0.1,"log":true}`,
		`"when":[{"param":"opt","values":["adam"]}]`,
	} {
		if !strings.Contains(string(data), part) {
			t.Errorf("%s is not in %s", part, data)
		}
	}
}

func TestJSONErrors(t *testing.T) {
	for _, text := range []string{`[]`, `{"budget":{"deadline":"soon"}}`, `{"parameters":[{"value":null}]}`} {
		if err := json.Unmarshal([]byte(text), new(Study)); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

// A text is the value that is written like this, rather than one of the same number.
func TestReadValueIsExact(t *testing.T) {
	text := space.String("01")
	s := &Study{Parameters: []space.Param{{Name: "id", Kind: space.KindChoice, Values: []space.Value{
		space.Int(1), text, space.Int(1234567890123456789), space.Int(1234567890123456788), space.Float(0.5)}}}}
	for given, want := range map[string]space.Value{
		"1": space.Int(1), "01": text, "1.0": space.Int(1), "1234567890123456788": space.Int(1234567890123456788), "+1234567890123456788": space.Int(1234567890123456788),
		"1234567890123456787": space.String("1234567890123456787"), "5e-1": space.Float(0.5),
	} {
		if got := s.ReadValue("id", given); got != want {
			t.Errorf("%s is read as %v, want %v", given, got, want)
		}
	}
}
