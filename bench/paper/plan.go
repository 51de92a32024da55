package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/policy"
)

// Contender is a policy in one of its presets.
type Contender struct{ Policy, Preset string }

// ParseContender reads "ei", "paper:ei" or "default:ei". Without a preset it is the paper's. "default" alone is eke's own path of four steps.
func ParseContender(text string) (Contender, error) {
	preset, name, ok := strings.Cut(text, ":")
	switch {
	case text == "default":
		preset, name = "default", ours.Policy
	case !ok:
		preset, name = "paper", text
	}
	if err := checkPreset(preset); err != nil {
		return Contender{}, fmt.Errorf("policy %q: %w", text, err)
	}
	if _, err := policy.New(name, policy.Settings{}); err != nil {
		return Contender{}, err
	}
	return Contender{name, preset}, nil
}

// String is what ParseContender reads.
func (c Contender) String() string {
	switch {
	case c.Policy == ours.Policy && c.Preset != "paper":
		return c.Preset
	case c.Preset == "paper":
		return c.Policy
	}
	return c.Preset + ":" + c.Policy
}

// Contenders returns those of the paper and the default of eke, from cheap to expensive.
func Contenders() []Contender {
	return []Contender{
		{"random", "paper"}, {"ei", "paper"}, {"ei-puc", "paper"}, {"ei-puc-cc", "paper"},
		{"2-bmsei-p", "paper"}, {"4-bmsei-p", "paper"}, {"4-bmsei-p", "default"},
		{"2-bmsei", "paper"}, {"4-bmsei", "paper"},
	}
}

// isTree reports whether the policy plans over a tree of scenarios, which takes longest.
func (c Contender) isTree() bool { return strings.HasSuffix(c.Policy, "-bmsei") }

// replications is the default number of replications. There are fewer where they take longest.
func (c Contender) replications() int {
	if c.isTree() {
		return 20
	}
	return 40
}

// halved are the problems that the paper runs with half of the budget, too: does it help to know the budget?
var halved = []string{"dropwave", "lda", "robot"}

// Experiment says what to run.
type Experiment struct {
	Problems     []string
	Contenders   []Contender
	Replications int  // of each; 0: as many as usual
	Half         bool // run some problems with half of the budget, too
	Data         string
}

// Keys lists the replications in the order to run them: all problems and policies once, the cheap ones
// first, then all once more, so that an interrupted run has about as many of each. Problems without their data are
// left out, and reported to leftOut.
func (e Experiment) Keys(leftOut func(error)) ([]Key, error) {
	type ranked struct {
		Key
		rank int
	}
	var list []ranked
	for _, name := range e.Problems {
		p, err := problem.New(name, 0, e.Data)
		if err != nil {
			if !slices.Contains(problem.Names(), name) {
				return nil, err
			}
			leftOut(err)
			continue
		}
		budgets := []float64{p.Budget}
		if e.Half && slices.Contains(halved, name) {
			budgets = append(budgets, p.Budget/2)
		}
		for _, c := range e.Contenders {
			n := e.Replications
			if n <= 0 {
				n = c.replications()
			}
			for _, budget := range budgets {
				for i := range n {
					list = append(list, ranked{Key{name, c.Policy, c.Preset, budget, i}, c.rank()})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.rank, b.rank))
	})
	var keys []Key
	seen := map[Key]bool{} // a policy may be named twice
	for _, r := range list {
		if !seen[r.Key] {
			seen[r.Key] = true
			keys = append(keys, r.Key)
		}
	}
	return keys, nil
}

// rank orders contenders from cheap to expensive.
func (c Contender) rank() int {
	known := Contenders()
	if i := slices.Index(known, c); i >= 0 {
		return i
	}
	// In another preset a policy takes about as long.
	if i := slices.IndexFunc(known, func(k Contender) bool { return k.Policy == c.Policy }); i >= 0 {
		return i
	}
	return len(known)
}

// contender returns the contender of the replication that a key names.
func (k Key) contender() Contender { return Contender{k.Policy, k.Preset} }

// String names the replication for people.
func (k Key) String() string {
	return fmt.Sprintf("%s %s budget %g rep %d", k.Problem, k.contender(), k.Budget, k.Number)
}

// compareKeys orders keys by problem, policy, preset, budget and number.
func compareKeys(a, b Key) int {
	return cmp.Or(
		cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Policy, b.Policy), cmp.Compare(a.Preset, b.Preset),
		cmp.Compare(a.Budget, b.Budget), cmp.Compare(a.Number, b.Number))
}

// checkPreset says whether a preset is known: the paper's or the default.
func checkPreset(name string) error {
	if name != "paper" && name != "default" {
		return fmt.Errorf("preset %q is not known; there are paper and default", name)
	}
	return nil
}
