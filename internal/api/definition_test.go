package api

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/eke-bo/eke/study"
)

// everything is a study that uses every field of a study file.
const everything = `name: all
objective: {name: loss, goal: minimize}
cost: {source: reported, unit: euros}
budget: {total: 100, per_trial: 5, timeout: 30m, deadline: 12h}
parameters:
  lr: {type: float, min: 1e-5, max: 1, log: true}
  n: {type: int, min: 0, max: 10, step: 5, default: 5}
  opt: {type: choice, values: [sgd, adam]}
  size: {type: ordered, values: [1, 2, 8]}
  flag: {type: bool}
  fixed: {type: fixed, value: "yes"}
  beta: {type: float, min: 0, max: 1, when: {opt: adam}}
limits: {memory: {max: 8, min: 1, unit: GB, exceeded_by: {stderr: out of memory, exit: [137]}}}
changeover: [{of: [lr], cost: 2, per_unit: 0.5, down: {cost: 1, per_unit: 0}}, {of: [opt, flag]}]
initial: {lr: 0.1, opt: sgd}
command: [train]
protocol: lines
env: {SEED: "1"}
workdir: .
parallel: 2
slots: [{env: {GPU: "0"}}, {env: {GPU: "1"}}]
policy: {name: bmsei, preset: paper, fantasies: [4, 2], design: 5}
seed: 7
noise: true
stop: {gain: 0.5}
trials:
  - {lr: 0.1, opt: sgd, size: 2, flag: true, fixed: "yes"}
`

// Definition describes what study.Study writes, no more and no less.
func TestDefinitionIsAStudy(t *testing.T) {
	s, err := study.Parse([]byte(everything), "study.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var d Definition
	in := json.NewDecoder(bytes.NewReader(want))
	in.DisallowUnknownFields()
	if err := in.Decode(&d); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the definition is\n%s, the study\n%s", got, want)
	}
	for _, field := range []string{"timeout", "deadline", "per_trial", "step", "when", "workdir", "fantasies", "design", "noise", "env", "stop", "trials", "default", "limits", "exceeded_by", "protocol", "slots", "changeover", "per_unit", "down", "initial"} {
		if !bytes.Contains(got, []byte(`"`+field+`"`)) {
			t.Errorf("the study leaves %s out, so the test says nothing about it", field)
		}
	}
}
