package main

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	stdout, stderr, err := runExample(t, "spirals", "--width=6", "--epochs=20", "--optimizer=sgd", "--momentum=0.9", "--rate=0.1")
	if err != nil {
		t.Fatal(err)
	}
	var result struct{ Objective, Accuracy float64 }
	if err := json.Unmarshal([]byte(stdout), &result); err != nil || result.Objective <= 0 || result.Accuracy <= 0 {
		t.Errorf("stdout %q: %v", stdout, err)
	}
	if !strings.Contains(stderr, "epoch 20 of 20") {
		t.Errorf("stderr %q tells of no last epoch", stderr)
	}
}

// A bad value is answered with its flag, the value and a hint.
func TestExampleSpiralsBadFlags(t *testing.T) {
	for flag, want := range map[string]string{
		"--width=wide":      "give a whole number from 1 to 1024",
		"--width=0":         "give a whole number from 1 to 1024",
		"--layers=2.5":      "give a whole number from 1 to 8",
		"--rate=0":          "give a number above 0",
		"--rate=fast":       "give a number above 0",
		"--epochs=-1":       "give a whole number from 1 to 100000",
		"--optimizer=rprop": "give adam or sgd",
		"--momentum=1":      "give a number from 0 to below 1",
		"--batch=10000":     "give a whole number from 1 to 512",
		"--activation=":     "give tanh or relu",
		"--seed=-1":         "give a whole number from 0",
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
