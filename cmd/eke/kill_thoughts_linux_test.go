package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eke-bo/eke/study"
)

// What somebody may think better of while a run is being killed. Each may be refused, and may be killed itself.
func (k *killed) thought() []string {
	trial := fmt.Sprint(1 + k.rng.IntN(12))
	list := [][]string{
		{"forget", trial}, {"forget", trial, "--undo"}, {"retry", trial}, {"correct", trial, "--cost", "0.25"}, {"correct", trial, "--value", "0.5"},
		{"import", "known.csv"}, {"import", "charged.csv", "--charge"}, {"stop", trial}, {"enqueue", "x=0.125"}, {"pause"}, {"resume"}, {"budget", "add", "0.1"},
	}
	return list[k.rng.IntN(len(list))]
}

// think has second thoughts at random moments, and kills some of them.
func (k *killed) think(times int) {
	for range times {
		args, wait, kill := k.thought(), time.Duration(k.rng.IntN(60))*time.Millisecond, time.Duration(0)
		if k.rng.IntN(3) == 0 {
			kill = time.Duration(1+k.rng.IntN(40)) * time.Millisecond
		}
		time.Sleep(wait)
		c := k.eke(args...)
		var out strings.Builder
		c.Stdout, c.Stderr = &out, &out
		if err := c.Start(); err != nil {
			k.t.Error(err)
			return
		}
		if kill > 0 {
			time.Sleep(kill)
			_ = c.Process.Kill()
		}
		_ = c.Wait() // what was refused says why
		if strings.Contains(out.String(), "panic") || strings.Contains(out.String(), "damaged") {
			k.t.Errorf("%v:\n%s", args, out.String())
		}
	}
}

var total = regexp.MustCompile(`total: \S+}`)

// editBudget changes the budget in the study file. No run is alive. Before a run takes the edit over, three thoughts may each make it a lowered
// budget, by adding to that of the store, or use money, 0.25 at most, by correcting a cost: the edit leaves room for them, or the run would be
// refused.
func (k *killed) editBudget() {
	if _, err := os.Stat(filepath.Join(k.dir, "eke.db")); err != nil {
		return // the study has not begun
	}
	b := k.record().Ledger
	wanted := b.Total + (k.rng.Float64()-0.5)*0.8
	path := filepath.Join(k.dir, "study.yaml")
	raw, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, total.ReplaceAll(raw, fmt.Appendf(nil, "total: %v}", max(wanted, b.Spent+b.Reserved+3*0.25))), 0o666)
	}
	if err != nil {
		k.t.Fatal(err)
	}
}

// killThinking starts a run and kills it while somebody has second thoughts. Nobody thinks any more when it returns, nor when it fails.
func (k *killed) killThinking() (ended bool) {
	thinker := *k // with its own luck
	thinker.rng = k.fork()
	var thinking sync.WaitGroup
	defer thinking.Wait()
	thinking.Go(func() { thinker.think(3) })
	return k.killOnce()
}

// TestKillThoughts kills runs while others forget, retry, correct, stop, import, pause and edit the budget. The history replays to a ledger in
// which nothing is lost or doubled.
func TestKillThoughts(t *testing.T) {
	eachKilled(t, map[study.Source]int{study.Reported: 4, study.Walltime: 4}, func(k *killed) {
		kills := 10
		if testing.Short() {
			kills = 6
		}
		for name, csv := range map[string]string{
			"known.csv":   "x,objective,cost\n0.2,0.2,0.1\n0.4,0.4,0.1\n0.6,0.6,0.1\n",
			"charged.csv": "x,objective,cost\n0.3,0.3,0.1\n0.5,0.5,0.1\n",
		} {
			if err := os.WriteFile(filepath.Join(k.dir, name), []byte(csv), 0o666); err != nil {
				k.t.Fatal(err)
			}
		}
		n := 0
		for n < kills || n < 10*kills && !k.abandoned() {
			k.resume()
			k.editBudget()
			k.patient = n%2 == 0
			if !k.killThinking() {
				n++
				continue
			}
			k.must("budget", "add", "2")
		}
		k.resume()
		k.finish()
		k.audit(n)
	})
}

// resume makes sure that the study is not left paused, which a run would wait for.
func (k *killed) resume() { _ = k.eke("resume").Run() }
