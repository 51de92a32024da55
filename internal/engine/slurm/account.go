package slurm

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/study"
)

// record is a line of sacct: one for each time that a job was started, or could not be.
type record struct {
	id, name, state, exit string
	elapsed               int64 // seconds
	closed                bool  // it has an end
	tres                  map[string]int64
	energy                int64 // joules
}

const fields = "JobIDRaw,JobName,State,ElapsedRaw,AllocTRES,End,ConsumedEnergyRaw,ExitCode"

// sacct returns all records of jobs, by name. Requeued and duplicate ones are among them.
func sacct(ctx context.Context, intents []*intent) (map[string][]record, error) {
	names, since := make([]string, len(intents)), time.Now()
	for i, in := range intents {
		names[i] = in.Name
		if in.Made.Before(since) {
			since = in.Made
		}
	}
	// Without a start sacct shows today's jobs only; clocks of machines differ.
	out, err := call(ctx, nil, "sacct", "--duplicates", "--allocations", "--noheader", "--parsable2", "--format="+fields,
		"--name="+strings.Join(names, ","), "--starttime="+since.Add(-24*time.Hour).Local().Format("2006-01-02T15:04:05"))
	if err != nil {
		return nil, down(err)
	}
	return readRecords(out), nil
}

// readRecords reads what sacct prints, and leaves out what it does not understand.
func readRecords(out string) map[string][]record {
	found := map[string][]record{}
	for _, line := range strings.Split(out, "\n") {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 8 {
			continue
		}
		r := record{id: f[0], name: f[1], state: f[2], exit: f[7], tres: map[string]int64{}, closed: f[5] != "" && f[5] != "Unknown"}
		r.elapsed, _ = strconv.ParseInt(f[3], 10, 64)
		for _, item := range strings.Split(f[4], ",") {
			name, value, _ := strings.Cut(item, "=")
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				r.tres[name] = n
			}
		}
		if joules, err := strconv.ParseInt(f[6], 10, 64); err == nil && joules < math.MaxInt64/2 {
			r.energy = joules
		}
		found[r.name] = append(found[r.name], r)
	}
	return found
}

// amount is what records add up to. The sum is one of whole seconds, so nothing is lost by rounding.
func amount(records []record, c study.Cost) float64 {
	name := map[string]string{study.CoreHours: "cpu", study.GPUHours: "gres/gpu", study.NodeHours: "node", study.BillingHours: "billing"}[c.Of]
	var sum, joules int64
	for _, r := range records {
		sum += r.elapsed * r.tres[name]
		joules += r.energy
	}
	units := float64(sum) / 3600
	if c.Of == study.Energy {
		units = float64(joules) / 3.6e6
	}
	if c.Price > 0 {
		return units * c.Price
	}
	return units
}

// isClosed reports whether the records are final, and all. After a while what Slurm says is the truth: it has no record of a job that was
// cancelled before it might start, and if its controller was killed it may have lost a start that the job has noted.
func (in *intent) isClosed(records []record, isLate bool) bool {
	started, closed := 0, map[string]bool{}
	for _, r := range records {
		if !r.closed || !isOver(r.state) && plain(r.state) != "REQUEUED" {
			return false
		}
		if r.elapsed > 0 || len(r.tres) > 0 {
			started++
		}
		closed[r.id] = closed[r.id] || isOver(r.state)
	}
	if isLate {
		return closed[in.ID] || len(records) == 0 && len(in.runs()) == 0
	}
	return closed[in.ID] && started >= len(in.runs()) && !slices.ContainsFunc(in.Others, func(id string) bool { return !closed[id] })
}

// Cost is what Slurm's accounting says of a job, or what the command reported.
func (e *Engine) Cost(ctx context.Context, j engine.Job) (engine.Cost, error) {
	in, err := readIntent(key(j))
	switch {
	case err != nil || in == nil:
		return engine.Cost{}, err
	case in.Charge.Source != study.FromSlurm:
		return in.reported(), nil
	case in.ID == "" && len(in.runs()) == 0: // Slurm never took it
		return engine.Cost{Known: true}, nil
	}
	c, err := e.look(ctx)
	if err == nil && !c.accounting {
		return engine.Cost{Amount: in.ran().Seconds() * in.Rate, Known: in.Rate > 0, Guess: true}, nil
	}
	until := in.lastSeen().Add(e.late())
	for pause := time.Second; ; pause = min(2*pause, 10*time.Second) {
		begun := time.Now()
		if records, err := e.accounts.of(ctx, in); err == nil && in.isClosed(records, begun.After(until)) {
			return engine.Cost{Amount: amount(records, in.Charge), Known: true}, nil
		}
		if begun.After(until) || ctx.Err() != nil {
			return engine.Cost{Amount: in.ran().Seconds() * in.Rate, Known: in.Rate > 0, Late: true}, nil
		}
		late := time.NewTimer(pause)
		select {
		case <-late.C:
		case <-ctx.Done():
		}
		late.Stop()
	}
}

// reported is what a command has said that it cost, or how long it ran.
func (in *intent) reported() engine.Cost {
	if end := in.ended(); end != nil {
		return engine.Cost{Amount: end.Cost, Known: end.HasCost}
	}
	if in.WallTime {
		return engine.Cost{Amount: in.ran().Seconds(), Known: len(in.runs()) > 0, Guess: true}
	}
	_, cost := local.Found(in.job())
	return cost
}

// runs are the files of the times that the job was started.
func (in *intent) runs() []string {
	list, _ := filepath.Glob(in.path(runPrefix + "*"))
	return list
}

// ran is how long the job was seen to run, all starts together.
func (in *intent) ran() (sum time.Duration) {
	for _, file := range in.runs() {
		sum += lasted(file)
	}
	return sum
}

// lasted is how long one start was alive: from what the file says to when it was last touched.
func lasted(file string) time.Duration {
	raw, err := os.ReadFile(file)
	info, e := os.Stat(file)
	began, e2 := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(raw)))
	if err != nil || e != nil || e2 != nil {
		return 0
	}
	return max(info.ModTime().Sub(began), 0)
}

// lastSeen is when the job was last alive, or submitted.
func (in *intent) lastSeen() time.Time {
	last := in.Tried
	for _, file := range append(in.runs(), in.path(endFile)) {
		if info, err := os.Stat(file); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// accounts asks sacct for several jobs at once: those that ask while another question is under way share the next one.
type accounts struct {
	mu      sync.Mutex // held while sacct runs
	waiting sync.Mutex
	wanted  map[string]*intent
	latest  map[string]answer
}

type answer struct {
	records []record
	asked   time.Time
	err     error
}

func (a *accounts) of(ctx context.Context, in *intent) ([]record, error) {
	begun := time.Now()
	a.waiting.Lock()
	if a.wanted == nil {
		a.wanted, a.latest = map[string]*intent{}, map[string]answer{}
	}
	a.wanted[in.Name] = in
	a.waiting.Unlock()

	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting.Lock()
	if known := a.latest[in.Name]; known.asked.After(begun) {
		delete(a.latest, in.Name)
		a.waiting.Unlock()
		return known.records, known.err
	}
	var list []*intent
	for _, w := range a.wanted {
		list = append(list, w)
	}
	a.wanted = map[string]*intent{}
	a.waiting.Unlock()

	asked := time.Now()
	found, err := sacct(ctx, list)
	a.waiting.Lock()
	defer a.waiting.Unlock()
	for _, w := range list {
		if w.Name != in.Name {
			a.latest[w.Name] = answer{found[w.Name], asked, err}
		}
	}
	return found[in.Name], err
}
