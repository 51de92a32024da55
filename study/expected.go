package study

import (
	"encoding/json"
	"math"
)

// Expected is what the models expect of a trial: values with the study's own sign, costs in its unit. The cost has a
// log-normal distribution.
type Expected struct {
	Value      float64 `json:"value"`       // Value is the mean of the value, or the median if values are transformed before they are modelled.
	ValueSD    float64 `json:"value_sd"`    // ValueSD is the standard deviation of the value, or half the width of the central 68 %.
	Cost       float64 `json:"cost"`        // Cost is the mean of the cost.
	CostSD     float64 `json:"cost_sd"`     // CostSD is the standard deviation of the cost.
	CostLow    float64 `json:"cost_low"`    // CostLow is what one trial in ten stays below.
	CostMedian float64 `json:"cost_median"` // CostMedian is what half of the trials stay below.
	CostHigh   float64 `json:"cost_high"`   // CostHigh is what nine trials in ten stay below.
	Fits       float64 `json:"fits"`        // Fits is the chance that the cost is within what is left of the budget.

	// ValueLow is what one value in ten stays below.
	ValueLow float64 `json:"value_low" required:"false" doc:"What one value in ten stays below."`

	// ValueHigh is what nine values in ten stay below.
	ValueHigh float64 `json:"value_high" required:"false" doc:"What nine values in ten stay below."`

	// Early says that fewer than three values were known. Their scale is then not known either, and what is said of the value is a guess.
	Early bool `json:"early,omitempty" doc:"Fewer than three values were known, so what is said of values is a guess."`

	// Beats is the chance that the value beats the best one so far; where values have noise, that the setting is better than the best one. It is 0 where it is
	// not known: before three values are, before anything meets the limits, for the best setting itself, for looks, and in older logs.
	Beats float64 `json:"beats,omitempty"`

	// Setup is the part of Cost that is expected to go into changes.
	Setup float64 `json:"setup,omitempty" doc:"The part of the cost that is expected to go into changes."`

	// SetupSD is its standard deviation, where a price is learnt.
	SetupSD float64 `json:"setup_sd,omitempty" doc:"The standard deviation of that part, where a price is learnt."`

	// Works is the chance that the trial does not fail; nil where none has failed before, or nobody knows.
	Works *float64 `json:"works,omitempty" doc:"The chance that the trial does not fail. Left out where none has failed before, or nobody knows."`

	// FailureCost is what the trial is expected to cost if it fails; 0 where none has failed before, and in older logs.
	FailureCost float64 `json:"failure_cost,omitempty" doc:"What the trial is expected to cost if it fails."`

	// Within is the chance that the trial, or a full evaluation of what it looks at, meets all limits; nil where there are none, or nobody knows.
	Within *float64 `json:"within,omitempty" doc:"The chance that the trial meets all limits; of a look: that its setting does at the highest fidelity. Left out where there are none, or nobody knows."`

	// Also are the other objectives of a study with several, by name. Beats is then the chance to extend the front.
	Also map[string]Range `json:"also,omitempty" doc:"What is expected of the other objectives, by name."`
}

// Clause is one of the reasons for a trial. Clauses of the same words say the same, and differ in how much.
type Clause struct {
	// Words have a verb of package fmt for each number; that of whole numbers is %.0f, and %.2v writes two digits that count. Without numbers they are plain.
	Words string `json:"words" doc:"What is said, with a placeholder for each number, such as %.2f. Without numbers it is plain."`

	// Numbers are what clauses of the same words may differ in.
	Numbers []float64 `json:"numbers,omitempty" doc:"What clauses of the same words may differ in."`
}

// Range is what the models expect of a number.
type Range struct {
	Value float64 `json:"value"` // Value is its mean.
	SD    float64 `json:"sd"`    // SD is its standard deviation.
	Low   float64 `json:"low"`   // Low is what one such number in ten stays below.
	High  float64 `json:"high"`  // High is what nine in ten stay below.
}

// Hypervolume is what a forecast is of with several objectives.
const Hypervolume = "hypervolume"

// UnmarshalJSON reads what is kept with a trial. Older logs have no ends of the value's band. The ends are then as far from the value as the
// ends of a normal. Of the cost, older logs have the mean and the median but no further quantiles. These follow, since the mean of a
// log-normal is exp(σ²/2) times its median.
func (e *Expected) UnmarshalJSON(raw []byte) error {
	const nineInTen = 1.2815515655446004 // Φ⁻¹(0.9)
	type plain Expected
	read := plain{ValueLow: math.NaN(), ValueHigh: math.NaN()}
	err := json.Unmarshal(raw, &read)
	if math.IsNaN(read.ValueLow) || math.IsNaN(read.ValueHigh) {
		read.ValueLow = math.Max(read.Value-nineInTen*read.ValueSD, -math.MaxFloat64)
		read.ValueHigh = math.Min(read.Value+nineInTen*read.ValueSD, math.MaxFloat64)
	}
	if *e = Expected(read); err != nil || e.CostHigh > 0 {
		return err
	}
	e.CostLow, e.CostHigh = e.CostMedian, e.CostMedian
	if e.CostMedian > 0 && e.Cost > e.CostMedian {
		width := math.Exp(nineInTen * math.Sqrt(2*math.Log(e.Cost/e.CostMedian)))
		e.CostLow, e.CostHigh = e.CostMedian/width, math.Min(e.CostMedian*width, math.MaxFloat64)
	}
	return nil
}

// Rest is what the rest of the money is expected to buy: values with the study's own sign, amounts in its unit.
type Rest struct {
	// Best is the best value so far.
	Best float64 `json:"best"`

	// Of is Hypervolume if the front's hypervolume is forecast; Best and the values in Outlook and Fan are then hypervolumes. Empty means that the best
	// value is forecast.
	Of string `json:"of,omitempty" doc:"hypervolume with several objectives: best, and the values in the forecasts, are then hypervolumes of the front."`

	// Left is the money that is not spent yet, with what would be added to it.
	Left float64 `json:"left"`

	// Reserved is the part of it that is reserved for trials under way.
	Reserved float64 `json:"reserved,omitempty" doc:"The part of left that is reserved for trials under way."`

	// Outlook is what all of that money is expected to buy.
	Outlook

	// Fan has the same for a rising series of amounts, of which all the money is the last.
	Fan []Outlook `json:"fan"`

	// Reach is where the front may be when all the money is spent, for every pair of several objectives.
	Reach []Reach `json:"reach,omitempty" doc:"With several objectives: where the front may be when the money is spent, for every pair of them."`
}

// ReachOf returns where the front of two objectives may be, by their names. It is nil if nothing is known of the rest.
func (r *Rest) ReachOf(up, right string) []ReachPoint {
	if r == nil {
		return nil
	}
	for _, reach := range r.Reach {
		if reach.Up == up && reach.Right == right {
			return reach.Points
		}
	}
	return nil
}

// Reach is where the front of two objectives may be when the money is spent.
type Reach struct {
	// Up is the name of an objective.
	Up string `json:"up" doc:"The name of an objective."`
	// Right is the name of the other objective.
	Right string `json:"right" doc:"The name of the other objective."`
	// Points are the edge of the front, from the worst of Right that counts to the best that may be reached.
	Points []ReachPoint `json:"points" doc:"The edge of the front, from the worst of the other objective that counts to the best that may be reached."`
}

// ReachPoint is a point of the edge. If the objective Right is to be at least as good as At, then the best of the objective Up is between Worse and Better with eight
// chances in ten.
type ReachPoint struct {
	// At is a value of Right.
	At float64 `json:"at" doc:"A value of the other objective, which must be at least as good."`
	// Worse is a value of Up: with one chance in ten, the best value of Up here is worse than this.
	Worse float64 `json:"worse" doc:"The best value of the first objective here is worse than this with one chance in ten."`
	// Better is a value of Up: with one chance in ten, the best value of Up here is better than this.
	Better float64 `json:"better" doc:"The best value of the first objective here is better than this with one chance in ten."`
}

// Outlook is what an amount of money is expected to buy. With eight chances in ten the best value will be between Worse and Better.
type Outlook struct {
	// Money is the amount, from now on.
	Money float64 `json:"money"`

	// With one chance in ten, the best value will be worse than Worse once the money is spent.
	Worse float64 `json:"worse"`

	// With one chance in two, it will be better than Median.
	Median float64 `json:"median"`

	// With one chance in ten, it will be better than Better.
	Better float64 `json:"better"`

	// Gain is the expected improvement. The rule that ends a study goes by it.
	Gain float64 `json:"gain"`

	// Same is the chance that the best value stays the same.
	Same float64 `json:"-"`
}
