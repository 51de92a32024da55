package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/eke-bo/eke/internal/bench/problem"
	"github.com/eke-bo/eke/internal/bench/show"
)

// findings are what is counted on some of the problems. Only values without noise count: with noise, the best value seen is not
// the value of a setting.
type findings struct {
	beside  map[float64][3]int // by share: how many outcomes were worse than the band, in it, better
	seconds map[float64]float64
	stops   []Stopped
}

// Report judges the courses, some at a time, and writes what came of tuning and of validation problems, apart.
func Report(ctx context.Context, w io.Writer, courses []Course, jobs int) error {
	validation := map[string]bool{}
	for _, info := range problem.Tasks() {
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
					f = &findings{beside: map[float64][3]int{}, seconds: map[float64]float64{}}
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
		n := f.beside[v.Share]
		n[v.Beside(c.Definition.Objective.Goal)+1]++
		f.beside[v.Share] = n
		f.seconds[v.Share] += v.Seconds
	}
	f.stops = append(f.stops, stop)
}

var sets = map[bool]string{false: "tuning", true: "validation"}

func bandTable(found map[bool]*findings) show.Table {
	t := show.Table{Header: []string{"set", "spent", "studies", "held", "worse", "better", "seconds"}}
	for _, validation := range []bool{false, true} {
		for _, share := range Shares {
			if found[validation] == nil {
				continue
			}
			n := found[validation].beside[share]
			all := float64(n[0] + n[1] + n[2])
			part := func(k int) string { return show.Fixed(100*float64(k)/all, 1) + " %" }
			t.Add(sets[validation], show.Fixed(100*share, 0)+" %", fmt.Sprint(all), part(n[1]), part(n[0]), part(n[2]), show.Fixed(found[validation].seconds[share]/all, 2))
		}
	}
	return t
}

// tooMuch is the part of the spread of the values that no study should give away.
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
