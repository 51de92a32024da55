package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/eke-bo/eke/study"
)

// testimony is what a command has reported.
type testimony struct {
	id          string
	value, cost float64
	at          time.Time
}

// witnessed is how often each trial was started, what was about to be reported, by its value, and what was.
func (u *unrest) witnessed() (started map[string]int, byValue map[float64]testimony, reports []testimony) {
	file, err := os.Open(filepath.Join(u.dir, "witnessed"))
	if err != nil {
		u.t.Fatal(err)
	}
	defer file.Close()
	started, byValue = map[string]int{}, map[float64]testimony{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var r testimony
		var what string
		var at float64
		switch n, _ := fmt.Sscan(lines.Text(), &what, &r.id, &r.value, &r.cost, &at); {
		case what == "started" && n == 2:
			started[r.id]++
		case what == "reports" && n == 5:
			byValue[r.value] = r
		case what == "reported" && n == 5:
			r.at = time.Unix(0, int64(at*1e9))
			reports = append(reports, r)
		default:
			u.t.Fatalf("%q", lines.Text())
		}
	}
	return started, byValue, reports
}

// audit holds the logs of all studies against what the commands have witnessed.
func (u *unrest) audit(kills int) {
	started, byValue, reports := u.witnessed()
	trials, first := map[string]*study.Trial{}, 0
	for id, n := range started {
		if n > 1 && !slices.ContainsFunc(reports, func(r testimony) bool { return r.id == id && u.wasTakenBack(r) }) {
			u.t.Errorf("trial %s was run %d times", id, n)
		}
	}
	for _, h := range u.studies() {
		r, sum := u.record(h.Name), 0.0
		for i := range r.Trials {
			t := &r.Trials[i]
			sum += t.Charged
			trials[t.ID] = t
			if got, ok := byValue[t.Value]; t.State == study.Done && (!ok || got.id != t.ID || got.cost != t.Charged) {
				u.t.Errorf("%s has %v at %v of trial %d (%s), which reported: %v, %+v", h.Name, t.Value, t.Charged, t.Number, t.ID, ok, got)
			}
			if t.Charged > 0 && started[t.ID] == 0 {
				if first++; !u.wasStarted(t.ID) {
					u.t.Errorf("%s has charged %v for trial %d (%s), which never ran: %+v", h.Name, t.Charged, t.Number, t.ID, t)
				}
			}
		}
		if math.Abs(sum-r.Ledger.Spent) > 1e-9 || r.Ledger.Reserved != 0 {
			u.t.Errorf("%s: the trials cost %v, the ledger has %+v", h.Name, sum, r.Ledger)
		}
	}
	there, gone := 0, 0
	for _, r := range reports {
		t := trials[r.id]
		switch {
		case t == nil: // its study was deleted, or a backup restored that does not have it
			gone++
		case t.State == study.Done && t.Value == r.value:
			there++
		case u.wasTakenBack(r):
			gone++
		default:
			u.t.Errorf("trial %d (%s) reported %v, the store has %+v", t.Number, r.id, r.value, t)
		}
	}
	u.t.Logf("%d kills, %v; %d commands ran, %d reported: %d of them are on record, %d went with their studies; %d were killed in their first moment", kills, u.did, len(started), len(reports), there, gone, first)
	if there == 0 {
		u.t.Error("no result was looked at")
	}
}

// wasStarted says whether a trial has its start marker: it may be killed before it can say so itself.
func (u *unrest) wasStarted(id string) bool {
	found := false
	_ = filepath.WalkDir(u.dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil && filepath.Base(path) == "trial.id" {
			raw, _ := os.ReadFile(path)
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), "started")); err == nil && strings.TrimSpace(string(raw)) == id {
				found = true
			}
		}
		return nil
	})
	return found
}

// wasTakenBack says whether a result was told after a backup, and before it was restored.
func (u *unrest) wasTakenBack(r testimony) bool {
	for _, b := range u.restored {
		if r.at.Before(b.back) && !b.done[r.id] {
			return true
		}
	}
	return false
}
