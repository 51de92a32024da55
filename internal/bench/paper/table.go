package paper

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// table is rows of text under a header.
type table struct {
	header []string
	rows   [][]string
}

func (t *table) add(row ...string) { t.rows = append(t.rows, row) }

// markdown writes the table; all columns but the first few, which hold words, stand to the right.
func (t *table) markdown(out *bytes.Buffer, leftColumns int) {
	rule := make([]string, len(t.header))
	for i := range rule {
		rule[i] = "---:"
		if i < leftColumns {
			rule[i] = "---"
		}
	}
	for _, row := range slices.Concat([][]string{t.header, rule}, t.rows) {
		fmt.Fprintf(out, "| %s |\n", strings.Join(row, " | "))
	}
	out.WriteByte('\n')
}

// write writes the table for a terminal.
func (t *table) write(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range slices.Concat([][]string{t.header}, t.rows) {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush()
}

// missing is what stands where nothing was run.
const missing = "–"

// fixed writes v with so many decimals and a proper minus; NaN is missing.
func fixed(v float64, decimals int) string {
	if math.IsNaN(v) {
		return missing
	}
	return properMinus(fmt.Sprintf("%.*f", decimals, v))
}

// plusMinus writes a mean and its half-width, which one replication does not have.
func plusMinus(mean, halfWidth float64) string {
	if math.IsNaN(halfWidth) {
		return fixed(mean, 2)
	}
	return fixed(mean, 2) + " ± " + fixed(halfWidth, 2)
}

// writeTables writes all tables as one piece of Markdown, to be taken into a document.
func writeTables(f *folder, list []race) error {
	if len(list) == 0 {
		return nil
	}
	var out bytes.Buffer
	out.WriteString("<!-- written by internal/bench/paper: eke-bench paper -->\n\n# Tables\n\n")
	regretTables(&out, wholeRaces(list), "the budget")
	regretTables(&out, halfRaces(list), "half the budget")
	winsTable(&out, list)
	secondsTable(&out, list)
	return f.write("results.md", bytes.TrimRight(out.Bytes(), "\n"))
}
