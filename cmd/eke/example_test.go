package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/fault"
)

func runExample(t *testing.T, args ...string) (stdout, stderr string, err error) {
	cmd := exampleCommand()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	var out, errs bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errs.String(), err
}

func TestExampleSpirals(t *testing.T) {
	flags := []string{"spirals", "--width=6", "--optimizer=sgd", "--momentum=0.9", "--rate=0.1"}
	whole := steps(t, append(flags, "--epochs=25")...)
	if len(whole) != 3 || whole[0].Step != 10 || whole[1].Step != 20 || whole[2].Step != 25 || whole[2].Objective <= 0 || whole[2].Accuracy <= 0 {
		t.Errorf("%+v, want values after 10, 20 and 25 epochs", whole)
	}
	// It goes on where it ended, and ends as if it had never stopped.
	flags = append(flags, "--checkpoint="+t.TempDir())
	first, rest := steps(t, append(flags, "--epochs=10")...), steps(t, append(flags, "--epochs=25")...)
	if !slices.Equal(slices.Concat(first, rest), whole) {
		t.Errorf("%+v and then %+v, at once %+v", first, rest, whole)
	}
}

type step struct {
	Step                int
	Objective, Accuracy float64
}

// steps returns what the example printed.
func steps(t *testing.T, args ...string) (list []step) {
	t.Helper()
	stdout, _, err := runExample(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(stdout) {
		var s step
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("stdout %q: %v", stdout, err)
		}
		list = append(list, s)
	}
	return list
}

// A bad value is answered with its flag, the value and a hint.
func TestExampleSpiralsBadFlags(t *testing.T) {
	for flag, want := range map[string]string{
		"--width=wide":                 "give a whole number from 1 to 1024",
		"--width=0":                    "give a whole number from 1 to 1024",
		"--layers=2.5":                 "give a whole number from 1 to 8",
		"--rate=0":                     "give a number above 0",
		"--rate=fast":                  "give a number above 0",
		"--epochs=-1":                  "give a whole number from 1 to 100000",
		"--optimizer=rprop":            "give adam or sgd",
		"--momentum=1":                 "give a number from 0 to below 1",
		"--batch=10000":                "give a whole number from 1 to 512",
		"--activation=":                "give tanh or relu",
		"--seed=-1":                    "give a whole number from 0",
		"--checkpoint=/no/such/folder": "give a folder that exists",
	} {
		_, _, err := runExample(t, "spirals", flag)
		name, value, _ := strings.Cut(flag, "=")
		said := fmt.Sprint(err)
		said += "; " + fault.HintOf(err)
		if err == nil || !strings.Contains(said, name) || !strings.Contains(said, value) || !strings.Contains(said, want) {
			t.Errorf("%s: %s, want its name, its value and %q", flag, said, want)
		}
	}
}
