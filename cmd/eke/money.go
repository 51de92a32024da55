package main

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/eke-bo/eke/study"
)

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
		return 0, usage("give seconds, or a duration such as 1m30s", "%s is %q, which is not an amount of time", what, text)
	}
	return 0, usage("give a number of "+c.Unit, "%s is %q, which is not a number", what, text)
}
