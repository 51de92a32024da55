package slurm

import (
	"context"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/cluster"
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
	found := map[string][]record{}
	for part := range slices.Chunk(intents, 1000) { // no argument of a command may be longer than 128 KiB
		names, since := make([]string, len(part)), time.Now()
		for i, in := range part {
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
		maps.Copy(found, readRecords(out))
	}
	return found, nil
}

// readRecords reads what sacct prints, and leaves out what it does not understand.
func readRecords(out string) map[string][]record {
	found := map[string][]record{}
	for _, line := range strings.Split(out, "\n") {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 8 {
			continue
		}
		r := record{id: f[0], name: f[1], state: f[2], exit: f[7], tres: readTRES(f[4]), closed: f[5] != "" && f[5] != "Unknown"}
		r.elapsed, _ = strconv.ParseInt(f[3], 10, 64)
		if joules, err := strconv.ParseInt(f[6], 10, 64); err == nil && joules < math.MaxInt64/2 {
			r.energy = joules
		}
		found[r.name] = append(found[r.name], r)
	}
	return found
}

// readTRES reads what was allocated: "billing=12,cpu=4,gres/gpu=2,node=1".
func readTRES(text string) map[string]int64 {
	tres := map[string]int64{}
	for _, item := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(item, "=")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			tres[name] = n
		}
	}
	return tres
}

// accounted is what Slurm's accounts call the units.
var accounted = map[string]string{cluster.CoreHours: "cpu", cluster.GPUHours: "gres/gpu", cluster.NodeHours: "node", cluster.BillingHours: "billing"}

// amount is what records add up to. The sum is one of whole seconds, so nothing is lost by rounding.
func amount(records []record, c study.Cost) float64 {
	var sum, joules int64
	for _, r := range records {
		sum += r.elapsed * r.tres[accounted[c.Of]]
		joules += r.energy
	}
	if c.Of == cluster.Energy {
		return price(float64(joules)/3.6e6, c)
	}
	return price(float64(sum)/3600, c)
}

func price(units float64, c study.Cost) float64 {
	if c.Price > 0 {
		return units * c.Price
	}
	return units
}

// isClosed reports whether the records are final, and none is missing. When it is late, what Slurm has is taken for all there will be. Slurm
// has no record of a job that was cancelled before it could start. If its controller was killed, it may have lost a start that the job has
// noted. Once it is settled that slurmctld has forgotten a job that waited to be started again, it will not be started.
func (in *intent) isClosed(records []record, isLate, isSettled bool) bool {
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
		return closed[in.ID] || isSettled && len(records) > 0 || len(records) == 0 && len(in.runs()) == 0
	}
	return closed[in.ID] && started >= len(in.runs()) && !slices.ContainsFunc(in.Others, func(id string) bool { return !closed[id] })
}

// Cost is what Slurm's accounting says of a job, or what the command reported.
func (e *Engine) Cost(ctx context.Context, j engine.Job) (engine.Cost, error) {
	in, err := readIntent(key(j))
	switch {
	case err != nil:
		return engine.Cost{}, err
	case in == nil: // it was never submitted, or its folder is not here
		return engine.Cost{Known: j.ID != ""}, nil
	case !in.Charge.Accounted():
		return in.reported(), nil
	case in.ID == "" && len(in.runs()) == 0: // Slurm never took it
		return engine.Cost{Known: true}, nil
	}
	c, err := e.look(ctx)
	if err == nil && !c.accounting {
		guess := in.estimate()
		guess.Guess = true
		return guess, nil
	}
	until := in.lastSeen().Add(e.late())
	for pause := time.Second; ; pause = min(2*pause, 10*time.Second) {
		begun := time.Now()
		settled, lives := e.isSettled(ctx, in) // before sacct is asked
		records, err := e.accounts.of(ctx, in)
		if lives || slices.ContainsFunc(records, func(r record) bool { return isWaiting(r.state) && !r.closed }) {
			in.stopGhost(ctx)
		}
		if err == nil && in.isClosed(records, begun.After(until), settled) {
			return engine.Cost{Amount: amount(records, in.Charge), Known: true, Fresh: !settled}, nil
		}
		if begun.After(until) || ctx.Err() != nil {
			guess := in.estimate()
			guess.Guess = err == nil && begun.After(until.Add(forgotten))
			guess.Late = !guess.Guess
			return guess, nil
		}
		late := time.NewTimer(pause)
		select {
		case <-late.C:
		case <-ctx.Done():
		}
		late.Stop()
	}
}

// certain is how long slurmctld takes at most to save a job's end. If it is killed before that it comes back believing that the job runs,
// takes its node for failed, and changes accounts that were closed.
const certain = time.Minute

// isSettled reports whether accounts that sacct calls closed from here on will stay closed. They will if slurmctld has answered after it must
// have saved the job's end, did not list the job, and has told slurmdbd all that it had to tell. Lives says that it still lists the job.
func (e *Engine) isSettled(ctx context.Context, in *intent) (settled, lives bool) {
	saved := in.lastSeen().Add(certain)
	queue, asked := e.queueSince(ctx, saved)
	if !asked.After(saved) {
		return false, false
	}
	lives = slices.ContainsFunc(queue[in.Name], func(j queued) bool { return !isOver(j.state) })
	return !lives && e.isTold(ctx, asked), lives
}

// stopGhost cancels a job whose trial has ended: Slurm would start it again, or charge it until it sees that it is gone.
func (in *intent) stopGhost(ctx context.Context) {
	if in.ended() != nil {
		_ = in.scancel(ctx) // otherwise when it is asked for the next time
	}
}

var backlog = regexp.MustCompile(`(?m)^\s*DBD Agent queue size:\s*(\d+)`)

// isTold reports whether there was a time after since at which slurmctld had nothing left to tell slurmdbd. If sdiag does not say, it had nothing left.
func (e *Engine) isTold(ctx context.Context, since time.Time) bool {
	e.asking.Lock()
	defer e.asking.Unlock()
	if e.told.After(since) || time.Since(e.doubted) < certain/6 {
		return e.told.After(since)
	}
	now := time.Now()
	out, err := call(ctx, nil, "sdiag")
	if found := backlog.FindStringSubmatch(out); err == nil && found != nil && found[1] != "0" || isDown(err) {
		e.doubted = now
		return false
	}
	e.told = now
	return true
}

// queueSince returns the latest answer of squeue, and when it was asked for. If that was not after since, and nobody polls, squeue is asked again.
func (e *Engine) queueSince(ctx context.Context, since time.Time) (map[string][]queued, time.Time) {
	e.asking.Lock()
	defer e.asking.Unlock()
	e.mu.Lock()
	queue, asked := e.queue, e.asked
	e.mu.Unlock()
	if asked.After(since) || time.Now().Before(since) || time.Since(asked) < certain+2*e.every() || time.Since(e.tried) < certain {
		return queue, asked
	}
	e.tried = time.Now()
	if now, err := e.squeue(ctx); err == nil {
		return now, e.tried
	}
	return queue, asked
}

// forgotten is how long an answer of sacct's that leaves a cost open is doubted. A slurmctld that was killed may have lost a job before its
// accounts knew of it, or leave its record open until an administrator sees to it (sacctmgr show runawayjobs).
const forgotten = 7 * 24 * time.Hour

// estimate is what a job has cost by its own account: how long it was seen to run, times what it said that it was given.
func (in *intent) estimate() engine.Cost {
	var sum float64
	for _, file := range in.runs() {
		took, tres := lasted(file)
		rate := in.Rate
		if n, ok := tres[accounted[in.Charge.Of]]; ok {
			rate = price(float64(n)/3600, in.Charge)
		} else if rate == 0 {
			return engine.Cost{}
		}
		sum += took.Seconds() * rate
	}
	return engine.Cost{Amount: sum, Known: true}
}

// reported is what a command has said that it cost, or how long it ran.
func (in *intent) reported() engine.Cost {
	if end := in.ended(); end != nil {
		return engine.Cost{Amount: end.Cost, Known: end.HasCost}
	}
	if in.WallTime {
		return engine.Cost{Amount: in.ran().Seconds(), Known: len(in.runs()) > 0, Guess: true}
	}
	if cost := local.Found(in.job()).Outcome.Cost; cost != nil {
		return engine.Cost{Amount: *cost, Known: true}
	}
	return engine.Cost{}
}

// runs are the files of the times that the job was started.
func (in *intent) runs() []string {
	list, _ := filepath.Glob(in.path(runPrefix + "*"))
	return list
}

// ran is how long the job was seen to run, all starts together.
func (in *intent) ran() (sum time.Duration) {
	for _, file := range in.runs() {
		took, _ := lasted(file)
		sum += took
	}
	return sum
}

// lasted is how long one start was alive, from what the file says to when it was last touched, and what it was given.
func lasted(file string) (time.Duration, map[string]int64) {
	raw, err := os.ReadFile(file)
	info, e := os.Stat(file)
	text, given, _ := strings.Cut(strings.TrimSpace(string(raw)), "\n")
	began, e2 := time.Parse(time.RFC3339Nano, text)
	if err != nil || e != nil || e2 != nil {
		return 0, nil
	}
	return max(info.ModTime().Sub(began), 0), readTRES(given)
}

// isAlive reports whether the job has given a sign of life of late. Clocks of machines differ; a job that Slurm has forgotten is then
// waited for a little longer.
func (in *intent) isAlive() bool {
	return slices.ContainsFunc(in.runs(), func(file string) bool {
		info, err := os.Stat(file)
		return err == nil && time.Since(info.ModTime()) < 4*beat
	})
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

// accounts asks sacct for several jobs at once: those that ask within a moment of each other, or while another question is under way, share
// one answer.
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
	time.Sleep(50 * time.Millisecond) // jobs whose ends were seen in one poll come one after the other

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
