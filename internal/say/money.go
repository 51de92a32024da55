package say

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/eke-bo/eke/study"
)

// Amount writes a cost with its unit. There are three forms: wall time is a duration, a currency sign stands before
// the number, and every other unit stands after it: "2m30s", "$12.50", "12.5 core-hours", "1 core-hour", "12.5 USD".
func Amount(c study.Cost, x float64) string {
	unit := Clean(c.Unit)
	switch {
	case !finite(x):
		return Nothing
	case c.Source == study.Walltime:
		return Duration(x)
	case isSign(unit):
		return price(unit, x)
	}
	return strings.TrimSpace(Number(x) + " " + unitOf(unit, x))
}

// unitOf is the unit of an amount, in the singular for what is written as 1: "1 euro", "-1 core-hour", "1 USD".
func unitOf(unit string, x float64) string {
	if !one(x) || !plural.MatchString(unit) {
		return unit
	}
	for _, e := range endings {
		if stem, ok := strings.CutSuffix(unit, e[0]); ok {
			return stem + e[1]
		}
	}
	return unit
}

// one says whether a number is written as 1.
func one(x float64) bool { return Number(max(x, -x)) == "1" }

// plural matches units that may be words in the plural: at least four letters, the last three small. In "ms" and "GPUs" the s belongs to an
// abbreviation.
var plural = regexp.MustCompile(`[A-Za-z][a-z]{2,}s$`)

// endings are endings of words in the plural and in the singular. The first that fits counts.
var endings = [][2]string{{"calories", "calorie"}, {"ies", "y"}, {"ches", "ch"}, {"shes", "sh"}, {"sses", "ss"}, {"xes", "x"}, {"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"s", ""}}

// Are is the verb of a sentence about an amount: "1 euro is left", "2 euros are left".
func Are(c study.Cost, x float64) string {
	if c.Source != study.Walltime && one(x) {
		return "is"
	}
	return "are"
}

// CostOf writes what a trial cost. It is empty for a result from elsewhere whose cost nobody told.
func CostOf(c study.Cost, t study.Trial) string {
	if t.Known && t.Charged == 0 {
		return ""
	}
	return Amount(c, t.Charged)
}

// For is CostOf after what the money bought: " for 3 euros".
func For(c study.Cost, t study.Trial) string {
	if cost := CostOf(c, t); cost != "" {
		return " for " + cost
	}
	return ""
}

// Bare writes an amount beside another one that names the unit, as in "3 of 12.5 core-hours". A currency sign stays.
func Bare(c study.Cost, x float64) string {
	if c.Source == study.Walltime || isSign(Clean(c.Unit)) {
		return Amount(c, x)
	}
	return Number(x)
}

// Axis names an axis of money: "spent, core-hours". The labels of a clock name their units themselves.
func Axis(name string, c study.Cost) string {
	if unit := Clean(c.Unit); unit != "" && c.Source != study.Walltime {
		return name + ", " + unit
	}
	return name
}

func isSign(unit string) bool {
	runes := []rune(unit)
	return len(runes) == 1 && unicode.Is(unicode.Sc, runes[0])
}

// price writes cents, or nothing for none. Amounts below 1 keep their digits: they may be a fraction of a cent.
func price(sign string, x float64) string {
	size := max(x, -x)
	text := plain(size, 4)
	if size >= 1 && size < 1e7 {
		text = trimmed(fixed(size, 2))
	}
	if strings.IndexByte(text, '.') == len(text)-2 && len(text) > 2 {
		text += "0"
	}
	return signed(x, sign+grouped(text))
}

// Part is a part of the budget, such as the money spent.
type Part struct {
	Kind  string // spent, looks, lost, reserved, left, overrun
	Name  string
	Money float64
}

// Parts splits all money that was there or was spent. Given what it was spent on, money for results, for looks, and for neither stand
// apart.
func Parts(l study.Ledger, on *study.Spending) []Part {
	over := l.Overrun()
	useful, looks, lost, spent := l.Spent-over, 0.0, 0.0, "spent"
	if on != nil {
		useful, looks, lost, spent = on.Results, on.Looks, on.Lost, "spent on results"
		// What is over budget is a part of these sums. A trial that went over the total may count; then nothing, or too little, was lost.
		beyond := over
		for _, sum := range []*float64{&lost, &useful, &looks} {
			part := math.Min(beyond, *sum)
			*sum, beyond = *sum-part, beyond-part
		}
	}
	var list []Part
	add := func(kind, name string, money float64, always bool) {
		if money = whole(l, money); money > 0 || always {
			list = append(list, Part{kind, name, money})
		}
	}
	add("spent", spent, useful, true)
	add("looks", "spent on looks", looks, false)
	add("lost", "spent without a result", lost, false)
	add("reserved", "reserved", l.Reserved, false)
	add("left", "left", l.Left(), over == 0)
	add("overrun", "over budget", over, false)
	return list
}

// Account writes the ledger on one line: "3 spent, 2 reserved, 5 left of 10 core-hours". Each part passes through paint,
// if there is one.
func Account(c study.Cost, l study.Ledger, paint func(kind, text string) string) string {
	var words []string
	for _, p := range Parts(l, nil) {
		if p.Kind == "spent" {
			p.Money = l.Spent // with what is over budget
		}
		text := Bare(c, p.Money) + " " + p.Name
		if paint != nil {
			text = paint(p.Kind, text)
		}
		words = append(words, text)
	}
	return strings.Join(words, ", ") + " of " + Amount(c, l.Total)
}

// SpentOn writes what the money was spent on: "3 euros on results, 2 euros on looks, 1 euro without a result". It is empty where all was
// spent on results.
func SpentOn(c study.Cost, l study.Ledger, on study.Spending) string {
	looks, lost := whole(l, on.Looks), whole(l, on.Lost)
	if looks == 0 && lost == 0 {
		return ""
	}
	text := Amount(c, whole(l, on.Results)) + " on results"
	if looks > 0 {
		text += ", " + Amount(c, looks) + " on looks"
	}
	if lost > 0 {
		text += ", " + Amount(c, lost) + " without a result"
	}
	return text
}

// Changes writes what went into changes: "about 60 euros in 3 trials, 40% of what was spent".
func Changes(c study.Cost, of study.Changes, spent float64) string {
	if of.Count == 0 {
		return "none paid so far"
	}
	text := Amount(c, of.Spent) + " in " + Count(of.Count, "trial")
	if of.Unsure > 0 {
		text = "about " + text
	}
	if spent > 0 {
		text += ", " + Percent(of.Spent/spent) + " of what was spent"
	}
	if of.Unsure > 0 {
		text += "; " + Count(of.Unsure, "trial") + " did not report it: see setup"
	}
	return text
}

// Changeover writes what changes cost: "20 euros for temperature; a learnt price for solvent; 0.1 euros a unit for heat, downwards 3 euros".
func Changeover(s *study.Study) string {
	var list []string
	for _, e := range s.Changeover {
		text := changePrice(s.Cost, e.Cost, e.PerUnit) + " for " + Clean(strings.Join(e.Of, " or "))
		if d := e.Down; d != nil && e.IsLearntDown() {
			text += ", downwards " + changePrice(s.Cost, nil, 0)
		} else if d != nil {
			text += ", downwards " + changePrice(s.Cost, cmp.Or(d.Cost, e.Cost), *cmp.Or(d.PerUnit, &e.PerUnit))
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

func changePrice(c study.Cost, cost *float64, perUnit float64) string {
	var parts []string
	if cost != nil {
		parts = append(parts, Amount(c, *cost))
	}
	if perUnit != 0 {
		parts = append(parts, Amount(c, perUnit)+" a unit")
	}
	return cmp.Or(strings.Join(parts, " and "), "a learnt price")
}

// Buys says how many full trials a sum of money is enough for, at a price that is known, where no more than most may be started: "about 12 full trials
// of 0.5 euros each". A trial is called full where the study also has looks.
func Buys(s *study.Study, money, each, most float64) string {
	noun := "trial"
	if s.Fidelity != nil {
		noun = "full trial"
	}
	n := Bought(money, each, most)
	trials := Count(n, noun) + " of " + Amount(s.Cost, each) + " each"
	switch {
	case most == 0:
		return "nothing more: no more trials may be started"
	case money < each:
		return "less than one more " + noun
	case float64(n) == most:
		return trials + "; no more may be started"
	}
	return "about " + trials
}

// Bought is how many trials a sum of money is enough for, where no more than most may be started.
func Bought(money, each, most float64) int { return int(min(money/each, most, math.MaxInt32)) }

// Left writes what is left of a budget.
func Left(c study.Cost, l study.Ledger) string { return Amount(c, whole(l, l.Left())) }

// whole drops what the rounding of many sums leaves of a budget.
func whole(l study.Ledger, money float64) float64 {
	if money < 1e-9*l.Total {
		return 0
	}
	return money
}

// ByFidelity is where the money of a study with a fidelity went. Its JSON form is a promise.
type ByFidelity struct {
	Levels []LevelCost `json:"fidelity,omitempty"` // Levels are the fidelities of its trials, lowest first; none: the study has no fidelity.
	Early  *EarlyStops `json:"early,omitempty"`    // Early are the trials that were stopped early; nil: none.
}

// LevelCost is what the trials of a fidelity cost.
type LevelCost struct {
	Fidelity float64 `json:"fidelity"` // Fidelity is the level.
	Trials   int     `json:"trials"`   // Trials is the number of trials at this level.
	Cost     float64 `json:"cost"`     // Cost is what these trials cost.
}

// EarlyStops are the trials that were stopped early, and by how much they stayed below what they were expected to cost.
type EarlyStops struct {
	Trials int     `json:"trials"` // Trials is their number.
	Saved  float64 `json:"saved"`  // Saved is how much less they cost than was expected.
}

// CostByFidelity adds up what the trials of a study cost. The function tells what stopping a trial early has saved.
func CostByFidelity(s *study.Study, trials []study.Trial, saved func(study.Trial) float64) (b ByFidelity) {
	if s.Fidelity == nil {
		return b
	}
	for _, t := range trials {
		level := s.FidelityOf(t.Setting)
		i, known := slices.BinarySearchFunc(b.Levels, level, func(l LevelCost, level float64) int { return cmp.Compare(l.Fidelity, level) })
		if !known {
			b.Levels = slices.Insert(b.Levels, i, LevelCost{Fidelity: level})
		}
		b.Levels[i].Trials++
		b.Levels[i].Cost += t.Charged
		if t.State == study.StoppedEarly {
			if b.Early == nil {
				b.Early = &EarlyStops{}
			}
			b.Early.Trials++
			b.Early.Saved += saved(t)
		}
	}
	return b
}

// Words says what was spent at each fidelity, and what stopping early has saved. Either is empty if there is nothing to say.
func (b ByFidelity) Words(s *study.Study) (spent, saved string) {
	if len(b.Levels) > 1 {
		var parts []string
		for _, l := range b.Levels {
			parts = append(parts, fmt.Sprintf("%s=%s: %s", s.Fidelity.Name, Number(l.Fidelity), Amount(s.Cost, l.Cost)))
		}
		spent = strings.Join(parts, ", ")
	}
	if e := b.Early; e != nil {
		saved = fmt.Sprintf("about %s by stopping %s early", Amount(s.Cost, e.Saved), Count(e.Trials, "trial"))
	}
	return spent, saved
}

const (
	minute = 60.0
	hour   = 60 * minute
	day    = 24 * hour
)

// Duration writes seconds in the one or two units that matter: "420µs", "3.14s", "2m30s", "1h30m", "2d8h". A
// study file has them without days: 56h. Less than half a microsecond is nothing: no clock measured it.
func Duration(seconds float64) string {
	switch s := seconds; {
	case !finite(s):
		return Nothing
	case math.Abs(s) < 0.5e-6:
		return "0s"
	case s < 0:
		return "-" + Duration(-s)
	case s < 0.9995e-3:
		return fixed(s*1e6, 0) + "µs"
	case s < 0.9995:
		return plain(s*1e3, 3) + "ms"
	case s < 59.95:
		return plain(s, 3) + "s"
	case s < hour-0.5:
		return two(s, minute, 1, "m", "s")
	case s < 2*day-30:
		return two(s, hour, minute, "h", "m")
	case s < 100*day:
		return two(s, day, hour, "d", "h")
	default:
		return Digits(math.Floor(s/day+0.5), 4) + "d"
	}
}

// two writes a number of large units and the rest in small ones.
func two(seconds, large, small float64, largeName, smallName string) string {
	n, per := math.Floor(seconds/small+0.5), large/small
	text := fixed(math.Floor(n/per), 0) + largeName
	if rest := math.Mod(n, per); rest > 0 {
		text += fixed(rest, 0) + smallName
	}
	return text
}

// Clock writes a time that is watched as it passes. Tenths of a second are its last digit, so that it does not flicker.
func Clock(seconds float64) string {
	if seconds < 10 {
		return fixed(math.Floor(10*math.Max(seconds, 0))/10, 1) + "s"
	}
	return Duration(math.Floor(seconds))
}

// Ago writes how long before now something was.
func Ago(now, then time.Time) string {
	seconds := now.Sub(then).Seconds()
	if seconds < 2 {
		return "just now"
	}
	return Duration(math.Floor(seconds)) + " ago"
}
