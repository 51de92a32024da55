package lbfgsb

// Tests name the reasons in what they say.
var reasonNames = [...]string{
	ConvergedGradient: "projected gradient converged",
	ConvergedValue:    "value converged",
	IterationLimit:    "iteration limit reached",
	EvaluationLimit:   "evaluation limit reached",
	NoProgress:        "no progress in the line search",
	Stopped:           "stopped by the caller",
	NotFinite:         "start not finite",
}

func (r Reason) String() string {
	if r <= 0 || int(r) >= len(reasonNames) {
		return "unknown reason"
	}
	return reasonNames[r]
}
