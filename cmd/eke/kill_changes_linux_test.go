package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/eke-bo/eke/study"
)

// heater is a command whose slot is an oven, which remembers its heat. It notes which trials had to heat, and which have begun: what is set from then on is theirs.
const heater = `read heat 2>/dev/null < oven-$EKE_SLOT
setup=0
if [ "$heat" != "$EKE_PARAM_X" ]; then
  setup=1
  echo $EKE_TRIAL >> heated
fi
echo $EKE_PARAM_X > oven-$EKE_SLOT
echo $EKE_TRIAL >> begun
echo "$EKE_SLOT $PLACE" >> places
sleep 0.2
echo "{\"objective\": $EKE_PARAM_X, \"cost\": $setup.$((1 + EKE_TRIAL % 9)), \"setup\": $setup}" > $EKE_RESULT.new
mv $EKE_RESULT.new $EKE_RESULT || exit 0
echo "$EKE_TRIAL $EKE_PARAM_X $setup.$((1 + EKE_TRIAL % 9))" >> reported`

// TestKillChanges kills runs of a study with two ovens, two at a time. The log must know what each oven had before every trial, and a change is charged once.
func TestKillChanges(t *testing.T) {
	t.Parallel()
	k := newSlotted(t, heater, "changeover: [{of: [x], cost: 1}]", 3)
	k.parameters = "x: {type: ordered, values: [1, 2]}, y: {type: float, min: 0, max: 1}"
	k.write(1000)
	k.killSlots(4)
	r := k.record()
	var s study.Study
	if err := json.Unmarshal(r.Definition, &s); err != nil { // the last budget was another one, so there is a definition in the log
		t.Fatal(err)
	}
	heated, begun, before := k.noted("heated"), k.noted("begun"), r.Predecessors()
	checked, afterKilled := 0, 0
	for i, trial := range r.Trials {
		if heated[trial.Number] > 1 {
			t.Errorf("trial %d has heated %d times", trial.Number, heated[trial.Number])
		}
		if trial.State != study.Done {
			continue
		}
		if trial.Setup == nil || *trial.Setup != float64(heated[trial.Number]) {
			t.Errorf("trial %d has heated %d times, and the log has %v", trial.Number, heated[trial.Number], trial.Setup)
			continue
		}
		if p := before[i]; p > 0 {
			if begun[p] == 0 {
				continue // it was killed before it could touch the oven, if it was started at all
			}
			if r.Trials[p-1].State == study.Abandoned {
				afterKilled++
			}
		}
		checked++
		if fee := s.FeeOf(r, trial, before[i]); fee.Known != *trial.Setup {
			t.Errorf("trial %d at %s, after trial %d, paid %v for its change; the log says %v", trial.Number, trial.At(), before[i], *trial.Setup, fee.Known)
		}
	}
	t.Logf("%d trials, %d checked, %d of them after one that was killed; changes: %+v", len(r.Trials), checked, afterKilled, s.Changes(r))
	if checked == 0 {
		t.Error("no trial was checked")
	}
}

// noted counts the lines of a file that name a trial.
func (k *slotted) noted(name string) map[int]int {
	raw, err := os.ReadFile(filepath.Join(k.dir, name))
	if err != nil {
		k.t.Fatal(err)
	}
	list := map[int]int{}
	for line := range strings.Lines(string(raw)) {
		if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
			list[n]++
		}
	}
	return list
}
