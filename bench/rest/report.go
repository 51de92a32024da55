package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/show"
)

// findings are what is counted on some of the problems. Only values without noise count: with noise, the best value seen is not
// the value of a setting.
type findings struct {
	bands map[float64]*bands // by share
	stops []Stopped
}

// bands are what is counted of bands at a share of the budget: how many outcomes were worse, in it, better, with equal values in it and
// with equal values split.
type bands struct {
	beside, split    [3]float64
	claimed, seconds float64
}

// Report judges the courses, some at a time, and writes what came of tuning and of validation problems, apart.
func Report(ctx context.Context, w io.Writer, courses []Course, jobs int) error {
	validation := map[string]bool{}
	for _, info := range slices.Concat(problem.Tasks(), problem.Fidelities()) {
		validation[info.Name] = info.Validation
	}
	found := map[bool]*findings{}
	var mu sync.Mutex // guards found and wrong
	var wrong []error
	var wait sync.WaitGroup
	next := make(chan Course)
	for range max(jobs, 1) {
		wait.Go(func() {
			for c := range next {
				verdicts, err := Judge(ctx, c)
				stop, err2 := Stop(ctx, c)
				mu.Lock()
				wrong = append(wrong, err, err2)
				f := found[validation[c.Problem]]
				if f == nil {
					f = &findings{bands: map[float64]*bands{}}
					found[validation[c.Problem]] = f
				}
				f.add(c, verdicts, stop)
				mu.Unlock()
			}
		})
	}
	for _, c := range courses {
		if !c.Noisy && ctx.Err() == nil {
			next <- c
		}
	}
	close(next)
	wait.Wait()
	if err := errors.Join(append(wrong, ctx.Err())...); err != nil {
		return err
	}
	bands, ends := bandTable(found), stopTable(found)
	fmt.Fprintln(w, "The best value once all the money is spent, and its 80 % band")
	bands.Text(w)
	fmt.Fprintln(w, "\nThe default rule to stop")
	ends.Text(w)
	return nil
}

func (f *findings) add(c Course, verdicts []Verdict, stop Stopped) {
	for _, v := range verdicts {
		b := f.bands[v.Share]
		if b == nil {
			b = &bands{}
			f.bands[v.Share] = b
		}
		goal := c.Definition.Objective.Goal
		b.beside[v.Beside(goal)+1]++
		for i, part := range v.Split(goal) {
			b.split[i] += part
		}
		b.claimed += v.Claimed()
		b.seconds += v.Seconds
	}
	f.stops = append(f.stops, stop)
}

var sets = map[bool]string{false: "tuning", true: "validation"}

func bandTable(found map[bool]*findings) show.Table {
	t := show.Table{Header: []string{"set", "spent", "studies", "held", "worse", "better", "claimed", "split: held", "worse", "better", "seconds"}}
	for _, validation := range []bool{false, true} {
		for _, share := range Shares {
			if found[validation] == nil || found[validation].bands[share] == nil {
				continue
			}
			b := found[validation].bands[share]
			n := b.beside[0] + b.beside[1] + b.beside[2]
			part := func(sum float64) string { return show.Fixed(100*sum/n, 1) + " %" }
			t.Add(sets[validation], show.Fixed(100*share, 0)+" %", fmt.Sprint(n), part(b.beside[1]), part(b.beside[0]), part(b.beside[2]), part(b.claimed),
				part(b.split[1]), part(b.split[0]), part(b.split[2]), show.Fixed(b.seconds/n, 2))
		}
	}
	return t
}

// tooMuch is the fraction of the spread of the values that no study should give away.
const tooMuch = 0.01

func stopTable(found map[bool]*findings) show.Table {
	t := show.Table{Header: []string{"set", "studies", "ended early", "gave away > 1 %", "converged by half time", "money saved on these", "steady since half time", "money saved on these"}}
	for _, validation := range []bool{false, true} {
		if found[validation] == nil {
			continue
		}
		var early, bad, converged, steady int
		var saved, savedSteady float64
		for _, s := range found[validation].stops {
			if s.Spent < 1 {
				early++
			}
			if s.Given > tooMuch {
				bad++
			}
			if s.Converged {
				converged, saved = converged+1, saved+1-s.Spent
			}
			if s.Steady {
				steady, savedSteady = steady+1, savedSteady+1-s.Spent
			}
		}
		n := len(found[validation].stops)
		part := func(sum float64, of int) string { return show.Fixed(100*sum/float64(of), 1) + " %" }
		t.Add(sets[validation], fmt.Sprint(n), part(float64(early), n), part(float64(bad), n), fmt.Sprint(converged), part(saved, converged), fmt.Sprint(steady), part(savedSteady, steady))
	}
	return t
}
