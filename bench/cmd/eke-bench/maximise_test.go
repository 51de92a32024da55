package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const states = "../../../testdata/golden/botorch_states.json"

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	c := rootCommand()
	var out bytes.Buffer
	c.SetOut(&out)
	c.SetErr(&out)
	c.SetArgs(args)
	err := c.Execute()
	return out.String(), err
}

func TestMaximisePrintsWhatItFound(t *testing.T) {
	out, err := run(t, "maximise", states, "--index", "0", "--fantasies", "1,1,1", "--starts", "6", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var m maximised
	if err := json.Unmarshal([]byte(out), &m); err != nil {
		t.Fatal(err)
	}
	if m.Value < 0.0865 || len(m.Root) != 2 || m.Starts != 6 || m.Evaluations == 0 || m.Seconds <= 0 || m.BaseSamples != "state" || m.RemainingBudget != 6 {
		t.Errorf("%+v", m)
	}
	for _, args := range [][]string{{"--refit"}, {"--preset", "paper"}, {"--fantasies", "2", "--threads", "1"}} {
		out, err := run(t, append([]string{"maximise", states, "--starts", "4"}, args...)...)
		if err != nil || !strings.Contains(out, "value ") || !strings.Contains(out, "seconds ") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

func TestMaximiseRefusesBadInput(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "states.json")
	write := func(text string) {
		if err := os.WriteFile(broken, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for want, args := range map[string][]string{
		"--index 99":         {states, "--index", "99"},
		"--preset":           {states, "--preset", "mine"},
		"at least 1":         {states, "--fantasies", "0"},
		"no such file":       {"missing.json"},
		"invalid character":  {broken, "--seed", "1"},
		"0 points, 0 values": {broken, "--seed", "2"},
		"lengthscales":       {broken, "--seed", "3"},
	} {
		switch want {
		case "invalid character":
			write("nonsense")
		case "0 points, 0 values":
			write(`[{"problem":"x"}]`)
		case "lengthscales":
			write(`[{"X":[[0.5]],"y":[1],"z":[1]}]`)
		}
		if _, err := run(t, append([]string{"maximise"}, args...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("wanted %q, got %v", want, err)
		}
	}
}
