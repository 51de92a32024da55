package paper

import (
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

// Progress is an Observer that says how far a run is: on a terminal in one line drawn again and again, elsewhere now and
// then in a line of its own.
type Progress struct {
	out      io.Writer
	terminal bool
	workers  int
	begin    time.Time
	quit     chan struct{}
	drawing  sync.WaitGroup

	mu          sync.Mutex // guards what follows
	total, done int
	wrong       int
	left        map[kind]int // replications without a result
	taken       map[kind]spell
	running     map[Key]time.Time
}

// kind is what takes about as long for all replications.
type kind struct {
	problem   string
	contender Contender
	budget    float64
}

// spell is how long some replications of a kind took.
type spell struct {
	seconds float64
	count   int
}

// NewProgress begins to tell of a run of the keys, of which some may have results, until Close.
func NewProgress(out io.Writer, terminal bool, keys []Key, results []Replication, workers int) *Progress {
	p := &Progress{out: out, terminal: terminal, workers: max(workers, 1), begin: time.Now(), quit: make(chan struct{}),
		left: map[kind]int{}, taken: map[kind]spell{}, running: map[Key]time.Time{}}
	missing := Missing(keys, results)
	p.total, p.done = len(keys), len(keys)-len(missing)
	for _, k := range missing {
		p.left[kindOf(k)]++
	}
	for _, r := range results {
		p.took(kindOf(r.Key()), r.Seconds*float64(len(r.Values)))
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

// Close draws a last line and no more.
func (p *Progress) Close() {
	close(p.quit)
	p.drawing.Wait()
	p.draw()
	if p.terminal {
		fmt.Fprintln(p.out)
	}
}

// Started implements Observer.
func (p *Progress) Started(k Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[k] = time.Now()
}

// Ended implements Observer.
func (p *Progress) Ended(k Key, _ Replication, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	begin := p.running[k]
	delete(p.running, k)
	p.left[kindOf(k)]--
	switch {
	case errors.Is(err, context.Canceled):
		return // interrupted, not wrong
	case err != nil:
		p.wrong++
		return
	}
	p.done++
	p.took(kindOf(k), time.Since(begin).Seconds())
}

func (p *Progress) took(k kind, seconds float64) {
	t := p.taken[k]
	p.taken[k] = spell{t.seconds + seconds, t.count + 1}
}

func (p *Progress) draw() {
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

func (p *Progress) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d/%d, %s", p.done, p.total, short(time.Since(p.begin)))
	if s, ok := p.secondsLeft(); ok {
		fmt.Fprintf(&b, ", about %s left", short(time.Duration(s*float64(time.Second))))
	}
	if p.wrong > 0 {
		fmt.Fprintf(&b, ", %d went wrong", p.wrong)
	}
	for _, k := range slices.SortedFunc(maps.Keys(p.running), compareKeys) {
		begin := p.running[k]
		fmt.Fprintf(&b, " | %s %s %d: %s", k.Problem, k.contender(), k.Number, short(time.Since(begin)))
	}
	return b.String()
}

func kindOf(k Key) kind { return kind{k.Problem, k.contender(), k.Budget} }

func short(d time.Duration) string {
	if d < time.Hour {
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
