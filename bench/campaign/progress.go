package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Progress is an Observer that shows how far a campaign is: on a terminal in one line that is redrawn, elsewhere with a new
// line now and then.
type Progress[K Key] struct {
	out      io.Writer
	terminal bool
	workers  int
	begin    time.Time
	quit     chan struct{}
	drawing  sync.WaitGroup

	mu          sync.Mutex // guards what follows
	total, done int
	wrong       int
	left        map[string]int // jobs without a result, by kind
	weight      map[string]float64
	taken       map[string]spell
	running     map[K]time.Time
}

// spell is how long jobs of a kind took so far.
type spell struct {
	seconds float64
	count   int
}

// NewProgress starts showing the progress of a campaign, until Close. Some jobs may already have
// results.
func (f *Folder[K, R]) NewProgress(out io.Writer, terminal bool, keys []K, results []R, workers int) *Progress[K] {
	p := &Progress[K]{out: out, terminal: terminal, workers: max(workers, 1), begin: time.Now(), quit: make(chan struct{}),
		left: map[string]int{}, weight: map[string]float64{}, taken: map[string]spell{}, running: map[K]time.Time{}}
	missing := f.Missing(keys, results)
	p.total, p.done = len(keys), len(keys)-len(missing)
	for _, k := range missing {
		p.left[k.Kind()]++
		p.weight[k.Kind()] = k.Weight()
	}
	if f.Seconds != nil {
		for _, r := range results {
			k := f.KeyOf(r)
			p.weight[k.Kind()] = k.Weight()
			p.took(k.Kind(), f.Seconds(r))
		}
	}
	period := 10 * time.Second
	if terminal {
		period = time.Second
	}
	p.drawing.Go(func() {
		tick := time.NewTicker(period)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.draw()
			case <-p.quit:
				return
			}
		}
	})
	return p
}

// Close draws a last line and stops.
func (p *Progress[K]) Close() {
	close(p.quit)
	p.drawing.Wait()
	p.draw()
	if p.terminal {
		fmt.Fprintln(p.out)
	}
}

// Started implements Observer.
func (p *Progress[K]) Started(k K) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[k] = time.Now()
}

// Ended implements Observer.
func (p *Progress[K]) Ended(k K, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	begin := p.running[k]
	delete(p.running, k)
	p.left[k.Kind()]--
	switch {
	case errors.Is(err, context.Canceled):
		return // interrupted, not failed
	case err != nil:
		p.wrong++
		return
	}
	p.done++
	p.took(k.Kind(), time.Since(begin).Seconds())
}

func (p *Progress[K]) took(kind string, seconds float64) {
	t := p.taken[kind]
	p.taken[kind] = spell{t.seconds + seconds, t.count + 1}
}

func (p *Progress[K]) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	line := p.line()
	if p.terminal {
		if r := []rune(line); len(r) > 120 {
			line = string(r[:119]) + "…" // a line that wraps cannot be drawn again
		}
		fmt.Fprintf(p.out, "\r\x1b[K%s", line)
		return
	}
	fmt.Fprintln(p.out, line)
}

func (p *Progress[K]) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d/%d, %s", p.done, p.total, short(time.Since(p.begin)))
	if s, ok := p.secondsLeft(); ok {
		fmt.Fprintf(&b, ", about %s left", short(time.Duration(s*float64(time.Second))))
	}
	if p.wrong > 0 {
		fmt.Fprintf(&b, ", %d went wrong", p.wrong)
	}
	byName := func(a, b K) int { return cmp.Compare(a.String(), b.String()) }
	for _, k := range slices.SortedFunc(maps.Keys(p.running), byName) {
		fmt.Fprintf(&b, " | %s: %s", k, short(time.Since(p.running[k])))
	}
	return b.String()
}

// secondsLeft estimates how long the rest will take from how long jobs of each kind took.
func (p *Progress[K]) secondsLeft() (float64, bool) {
	measured, guessed := 0.0, 0.0
	for kind, t := range p.taken {
		measured += t.seconds
		guessed += p.weight[kind] * float64(t.count)
	}
	if guessed == 0 {
		return 0, false
	}
	each := func(kind string) float64 {
		if t, ok := p.taken[kind]; ok {
			return t.seconds / float64(t.count)
		}
		return p.weight[kind] * measured / guessed
	}
	sum, last := 0.0, 0.0
	for kind, n := range p.left {
		sum += each(kind) * float64(n)
	}
	for k, begin := range p.running {
		run, whole := time.Since(begin).Seconds(), each(k.Kind())
		rest := max(whole-run, 0.1*run) // a job that is late already will take a while longer
		sum += rest - whole
		last = max(last, rest)
	}
	return max(sum/float64(p.workers), last), true
}

func short(d time.Duration) string {
	if d < time.Hour {
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
