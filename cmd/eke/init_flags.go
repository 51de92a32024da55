package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eke-bo/eke/study"
)

// read is the study that the flags describe. study.Parse checks it later.
func (f initFlags) read() (study.Study, error) {
	s := f.Study
	if err := oneOfThese("--goal", s.Objective.Goal, study.Minimize, study.Maximize); err != nil {
		return s, err
	}
	if err := oneOfThese("--cost", s.Cost.Source, append([]study.Source{study.Walltime}, slices.DeleteFunc(study.Sources(), func(s study.Source) bool { return s == study.Walltime })...)...); err != nil {
		return s, err
	}
	if err := oneOfThese("--engine", f.engine, study.EngineTypes()...); err != nil {
		return s, err
	}
	if f.engine != "" || len(f.options) > 0 {
		s.Engine = &study.Engine{Type: cmp.Or(f.engine, study.EngineTypes()[0]), Options: map[string]string{}}
		s.Cost.Source = cmp.Or(s.Cost.Source, study.Source(s.Engine.Type))
	}
	for _, o := range f.options {
		name, value, given := strings.Cut(strings.TrimLeft(o, "-"), "=")
		if !given {
			value = "true"
		}
		s.Engine.Options[name] = value
	}
	if s.Cost.Source == "" && s.Cost.Unit != "" {
		s.Cost.Source = study.Reported // only a reported cost has a unit of its own
	}
	for _, p := range []struct {
		flag, text string
		to         *float64
	}{{"--budget", f.budget, &s.Budget.Total}, {"--per-trial", f.perTrial, &s.Budget.PerTrial}} {
		if err := positive(p.flag, p.text, costOrDefault(s.Cost), p.to); err != nil {
			return s, err
		}
	}
	switch b := s.Budget; {
	case b.Trials < 0:
		return s, usage("give a whole number from 1", "--trials is %d", b.Trials)
	case b.Timeout < 0:
		return s, usage("give a duration such as 90s or 2h30m", "--timeout is %v", b.Timeout)
	case b.Deadline < 0:
		return s, usage("give a duration such as 90s or 2h30m", "--deadline is %v", b.Deadline)
	}
	for _, text := range f.params {
		p, err := parseParam(text)
		if err != nil {
			return s, err
		}
		s.Parameters = append(s.Parameters, p)
	}
	if len(s.Parameters) > 0 {
		if _, err := s.Space(); err != nil {
			return s, err
		}
	}
	var err error
	s.Command, err = commandOf(f.command, s.Parameters)
	return s, err
}

// oneOfThese returns an error if a word is given that is not one of these.
func oneOfThese[T ~string](what string, word T, these ...T) error {
	if word == "" || slices.Contains(these, word) {
		return nil
	}
	return usage("give "+oneOf(these), "%s is %q", what, word)
}

// atLeast1 returns an error if a number is less than 1.
func atLeast1(what string, n int) error {
	if n < 1 {
		return usage("give a whole number from 1", "%s is %d", what, n)
	}
	return nil
}

// positive reads an amount above zero, if one is given.
func positive(what, text string, c study.Cost, to *float64) (err error) {
	if text == "" {
		return nil
	}
	if *to, err = parseAmount(text, what, c); err == nil && *to <= 0 {
		err = usage("give an amount above zero", "%s is %s", what, text)
	}
	if err == nil && *to > study.MaxAmount {
		err = usage(fmt.Sprintf("give at most %g", study.MaxAmount), "%s is %s, more than can be counted exactly", what, text)
	}
	return err
}

// costOrDefault is the cost that the file will have.
func costOrDefault(c study.Cost) study.Cost {
	return study.Cost{Source: cmp.Or(c.Source, study.Walltime), Unit: cmp.Or(c.Unit, "units")}
}

// parseAmount reads an amount: a number or, where the cost is wall time, a duration. Messages call it what.
func parseAmount(text, what string, c study.Cost) (float64, error) {
	text = strings.TrimSpace(text)
	x, err := strconv.ParseFloat(text, 64)
	d, notDuration := time.ParseDuration(text)
	switch {
	case err == nil && (math.IsNaN(x) || math.IsInf(x, 0)):
		return 0, usage("give a finite number", "%s is %s", what, text)
	case err == nil:
		return x, nil
	case notDuration == nil && c.Source == study.Walltime:
		return d.Seconds(), nil
	case notDuration == nil:
		return 0, usage("give a number of "+c.Unit, "%s is the duration %s, but the cost is counted in %s", what, text, c.Unit)
	case c.Source == study.Walltime:
		return 0, usage("give seconds, or a duration such as 1m30s or 36h", "%s is %q, which is not an amount of time", what, text)
	}
	return 0, usage("give a number of "+c.Unit, "%s is %q, which is not a number", what, text)
}
