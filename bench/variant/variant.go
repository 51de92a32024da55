package variant

import (
	"fmt"
	"strings"

	"github.com/eke-bo/eke/policy"
)

// Variant is a policy as a benchmark plays it. Its label is
//
//	NAME[-looks][-changes][@paper][@quiet][@lucky][@failures][@known][@stop][#NOTE]
//
// where NAME is a policy, "tpe" for that of Optuna, or "default" for the product's default. "-looks" plays without looks: every evaluation is at the highest
// fidelity. "-changes" plays without the prices of changes: trials pay them, and the study is not told. "@paper" is the paper's preset. "@quiet" states noisy problems as if they had no noise, "@lucky" reports the best observation as the best, and
// "@failures" tells evaluations beyond the limits as failures. "@known" tells the study prices of changes that the problem would have it learn. "@stop" lets the study end by itself when the rest is not worth its price; others spend all their money. A note such as "#before" only keeps results apart. The label of another program is
// external:COMMAND.
type Variant struct {
	Label  string
	Policy string // as policy.New knows it, or "auto"
	Paper  bool
	// NoChanges says that the study is not told what changes cost.
	NoChanges bool
	// Known says that the study is told what changes cost, even if the problem would have it learn that.
	Known bool

	NoLooks  bool
	Quiet    bool
	Lucky    bool
	Failures bool
	Stop     bool

	Workers int // trials at a time; 0: one. A label does not say it

	Command string // for a shell; only if the policy is External
}

// TPE is the policy of Optuna.
const TPE = "tpe"

// External is the policy of another program, which a command starts.
const External = "external"

// Parse reads a label.
func Parse(label string) (Variant, error) {
	v := Variant{Label: label}
	if command, ok := strings.CutPrefix(label, External+":"); ok {
		if strings.TrimSpace(command) == "" {
			return v, fmt.Errorf("policy %q has no command", label)
		}
		v.Policy, v.Command = External, command
		return v, nil
	}
	name, _, _ := strings.Cut(label, "#")
	name, marks, _ := strings.Cut(name, "@")
	for mark := range strings.SplitSeq(marks, "@") {
		switch mark {
		case "":
		case "paper":
			v.Paper = true
		case "quiet":
			v.Quiet = true
		case "lucky":
			v.Lucky = true
		case "failures":
			v.Failures = true
		case "known":
			v.Known = true
		case "stop":
			v.Stop = true
		default:
			return v, fmt.Errorf("policy %q: @%s is not known; there are @paper, @quiet, @lucky, @failures, @known and @stop", label, mark)
		}
	}
	name, v.NoChanges = strings.CutSuffix(name, "-changes")
	v.Policy, v.NoLooks = strings.CutSuffix(name, "-looks")
	if v.Policy == "default" {
		v.Policy = "auto"
	} else if v.Policy != TPE {
		if _, err := policy.New(v.Policy, policy.Settings{Fantasies: []int{2}}); err != nil {
			return v, fmt.Errorf("policy %q: %w", label, err)
		}
	}
	return v, nil
}
