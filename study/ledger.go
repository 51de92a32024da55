package study

import "math"

// Ledger says how much of the budget is spent and reserved. It follows from the log; see Record.
type Ledger struct {
	Total    float64 `json:"total"`    // Total is the budget, with all that was added to it.
	Spent    float64 `json:"spent"`    // Spent is what ended trials were charged.
	Reserved float64 `json:"reserved"` // Reserved is what is held for open trials.
}

// Left is what is neither spent nor reserved. It is never negative.
func (l Ledger) Left() float64 { return math.Max(l.Total-l.Spent-l.Reserved, 0) }

// Overrun is how far reported costs have gone past the total.
func (l Ledger) Overrun() float64 { return math.Max(l.Spent-l.Total, 0) }

// slack is how much rounding is allowed in sums of costs, as a fraction of the total.
const slack = 1e-9

// covers reports whether a further amount can be reserved.
func (l Ledger) covers(amount float64) bool {
	return l.Spent+l.Reserved+amount <= l.Total*(1+slack)
}
