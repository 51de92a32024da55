package front

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/eke-bo/eke/bench/stats"
)

// Playing plays what is missing of all problems, policies and replications, one replication after another, and appends every run to a file of lines of JSON,
// so that it may be interrupted. Without a file nothing is kept.
func Playing(ctx context.Context, list []Recipe, policies []string, first, replications int, file string) ([]Run, error) {
	runs, err := Read(file)
	if err != nil {
		return nil, err
	}
	for r := range replications {
		for _, policy := range policies {
			for _, p := range list {
				replication := uint64(first + r)
				if slices.ContainsFunc(runs, func(old Run) bool {
					return old.Problem == p.Name && old.Policy == policy && old.Replication == replication
				}) {
					continue
				}
				run, err := Play(ctx, p, policy, replication)
				if err != nil {
					return runs, fmt.Errorf("%s, %s, replication %d: %w", p.Name, policy, replication, err)
				}
				if runs = append(runs, run); file != "" {
					if err := add(file, run); err != nil {
						return runs, err
					}
				}
			}
		}
	}
	return runs, nil
}

// Read reads the runs of a file. One that does not exist has none.
func Read(file string) (runs []Run, err error) {
	f, err := os.Open(file)
	if file == "" || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var r Run
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		runs = append(runs, r)
	}
	return runs, lines.Err()
}

func add(file string, r Run) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(r)
	if err == nil {
		_, err = f.Write(append(raw, '\n'))
	}
	return errors.Join(err, f.Close())
}

// Draw writes the mean of each policy on each problem, and how far each is behind the first: the mean of the paired differences, with its interval over problems,
// on all and on the validation problems alone. Only replications that a policy shares with the first count in the last lines.
func Draw(w io.Writer, runs []Run, policies []string) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(out, "log10 missing")
	for _, policy := range policies {
		fmt.Fprintf(out, "\t%s", policy)
	}
	fmt.Fprintln(out)
	var names []string
	for _, r := range runs {
		if !slices.Contains(names, r.Problem) {
			names = append(names, r.Problem)
		}
	}
	of := func(policy, name string) map[uint64]float64 {
		found := map[uint64]float64{}
		for _, r := range runs {
			if r.Policy == policy && r.Problem == name {
				found[r.Replication] = r.Missing
			}
		}
		return found
	}
	validation := func(name string) bool {
		return slices.ContainsFunc(runs, func(r Run) bool { return r.Problem == name && r.Validation })
	}
	for _, name := range names {
		fmt.Fprint(out, name, map[bool]string{true: " (validation)"}[validation(name)])
		for _, policy := range policies {
			sum, got := 0.0, of(policy, name)
			for _, v := range got {
				sum += v
			}
			if len(got) == 0 {
				fmt.Fprint(out, "\t")
				continue
			}
			fmt.Fprintf(out, "\t%.2f (%d)", sum/float64(len(got)), len(got))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprint(out, "announced extensions, and how many came")
	for _, policy := range policies {
		announced, extended := 0.0, 0
		for _, r := range runs {
			if r.Policy == policy {
				announced, extended = announced+r.Announced, extended+r.Extended
			}
		}
		if fmt.Fprint(out, "\t"); announced > 0 {
			fmt.Fprintf(out, "%.1f, %d", announced, extended)
		}
	}
	fmt.Fprintln(out)
	for _, part := range []string{"behind the first", "behind on validation"} {
		fmt.Fprint(out, part)
		for k, policy := range policies {
			var groups [][]float64
			pairs := 0
			for _, name := range names {
				if part == "behind on validation" && !validation(name) {
					continue
				}
				first, got, group := of(policies[0], name), of(policy, name), []float64(nil)
				for replication, v := range got {
					if before, both := first[replication]; both {
						group = append(group, v-before)
					}
				}
				if len(group) > 0 {
					groups, pairs = append(groups, group), pairs+len(group)
				}
			}
			if k == 0 || len(groups) == 0 {
				fmt.Fprint(out, "\t")
				continue
			}
			i := stats.Between(groups)
			fmt.Fprintf(out, "\t%+.2f [%.2f, %.2f] (%d)", i.Mean, i.Low, i.High, pairs)
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}
