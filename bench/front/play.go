package front

import (
	"context"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/study"
)

// Play plays a study of a problem with a policy to the end of its money, and returns the decimal logarithm of how much its hypervolume lacks, as a fraction of
// the whole.
func Play(ctx context.Context, p Problem, policy string, replication uint64) (float64, error) {
	_, _, numbers := p.Evaluate(middle(p.Bounds))
	limits := study.Limits{}
	for i := range numbers {
		limits[limitNames[i]] = study.Min(0)
	}
	opt, err := eke.New(eke.Config{Parameters: eke.Box(p.Bounds...), Objectives: p.objectives(), Limits: limits, Budget: p.Budget, Seed: replication,
		Stop: study.Stop{Never: true}, Policy: study.Policy{Name: policy}})
	if err != nil {
		return 0, err
	}
	for {
		trial, err := opt.Ask(ctx)
		if eke.Over(err) {
			break
		}
		if err != nil {
			return 0, err
		}
		y, cost, numbers := p.Evaluate(trial.X())
		metrics := study.Metrics{}
		for j, v := range y[1:] {
			metrics[names[j+1]] = v
		}
		for i, v := range numbers {
			metrics[limitNames[i]] = v
		}
		if err := opt.TellMetrics(ctx, trial.Number, y[0], cost, metrics); err != nil {
			return 0, err
		}
	}
	front, err := opt.Front(ctx)
	if err != nil {
		return 0, err
	}
	return math.Log10(math.Max(1-front.Hypervolume/p.Best, 1e-9)), nil
}

func middle(bounds [][2]float64) []float64 {
	x := make([]float64, len(bounds))
	for i, b := range bounds {
		x[i] = (b[0] + b[1]) / 2
	}
	return x
}

// Compare plays all problems with some policies, and writes the mean of each, and the mean of the paired differences from the first with its standard error.
func Compare(ctx context.Context, w io.Writer, list []Problem, policies []string, replications int) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(out, "problem")
	for _, policy := range policies {
		fmt.Fprintf(out, "\t%s", policy)
	}
	fmt.Fprintln(out, "\tlog10 of the fraction of the hypervolume that is missing")
	all := make([][]float64, len(policies))
	for _, p := range list {
		fmt.Fprint(out, p.Name)
		for k, policy := range policies {
			sum := 0.0
			for r := range replications {
				v, err := Play(ctx, p, policy, uint64(r)+1)
				if err != nil {
					return fmt.Errorf("%s, %s, replication %d: %w", p.Name, policy, r+1, err)
				}
				sum += v
				all[k] = append(all[k], v)
			}
			fmt.Fprintf(out, "\t%.2f", sum/float64(replications))
		}
		fmt.Fprintln(out)
	}
	for k := range policies {
		if k == 0 {
			fmt.Fprint(out, "all, against "+policies[0])
			continue
		}
		mean, squares, n := 0.0, 0.0, float64(len(all[k]))
		for i, v := range all[k] {
			mean += (v - all[0][i]) / n
		}
		for i, v := range all[k] {
			squares += math.Pow(v-all[0][i]-mean, 2)
		}
		fmt.Fprintf(out, "\t\t%+.2f ± %.2f", mean, math.Sqrt(squares/math.Max(n-1, 1)/n))
	}
	fmt.Fprintln(out)
	return out.Flush()
}
