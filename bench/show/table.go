package show

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// Table is rows of text under a header.
type Table struct {
	Header []string
	Rows   [][]string
}

// Add adds a row.
func (t *Table) Add(row ...string) { t.Rows = append(t.Rows, row) }

// Markdown writes the table. The first few columns have words; all others are aligned to the right.
func (t *Table) Markdown(out io.Writer, leftColumns int) {
	rule := make([]string, len(t.Header))
	for i := range rule {
		rule[i] = "---:"
		if i < leftColumns {
			rule[i] = "---"
		}
	}
	for _, row := range slices.Concat([][]string{t.Header, rule}, t.Rows) {
		fmt.Fprintf(out, "| %s |\n", strings.Join(row, " | "))
	}
	fmt.Fprintln(out)
}

// Text writes the table for a terminal.
func (t *Table) Text(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range slices.Concat([][]string{t.Header}, t.Rows) {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush()
}

// Missing is the text of a cell where nothing was run.
const Missing = "–"

// Fixed writes v with this many decimals and a proper minus sign. NaN is Missing.
func Fixed(v float64, decimals int) string {
	if math.IsNaN(v) {
		return Missing
	}
	return ProperMinus(fmt.Sprintf("%.*f", decimals, v))
}

// PlusMinus writes a mean and its half-width, which one replication does not have.
func PlusMinus(mean, halfWidth float64) string {
	if math.IsNaN(halfWidth) {
		return Fixed(mean, 2)
	}
	return Fixed(mean, 2) + " ± " + Fixed(halfWidth, 2)
}

// ProperMinus replaces hyphens by minus signs.
func ProperMinus(s string) string { return strings.ReplaceAll(s, "-", "−") }
