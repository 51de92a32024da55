package paper

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/eke-bo/eke/bench/show"
)

// Draw writes the paper's figures and tables into a folder, and a short table and the names of its files to out. It
// draws any subset of the results. Pictures that do not depend on results, and take long, are drawn only if they are
// missing.
func Draw(dir string, results []Replication, out io.Writer) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f := &show.Folder{Dir: dir}
	list := races(results)
	for _, part := range []func(*show.Folder, []race) error{drawRegret, drawHalf, writeTables} {
		if err := part(f, list); err != nil {
			return err
		}
	}
	for _, lasting := range []struct {
		name string
		draw func(*show.Folder) error
	}{
		{theorem1File, drawTheorem1},
		{costsFile, drawCosts},
		{oneDimensionFile, drawOneDimension},
	} {
		if f.Has(lasting.name) {
			continue
		}
		if err := lasting.draw(f); err != nil {
			return fmt.Errorf("%s: %w", lasting.name, err)
		}
	}
	if len(list) == 0 {
		fmt.Fprintln(out, "no results yet")
	}
	writeSummary(out, "mean log10 regret", wholeRaces(list))
	writeSummary(out, "\nhalf the budget", halfRaces(list))
	_, err := fmt.Fprintf(out, "written to %s: %s\n", dir, strings.Join(f.Written, " "))
	return err
}
