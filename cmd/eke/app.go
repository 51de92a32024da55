package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/store"
)

// app is what the verbs share: the global flags, the streams, and the store once it is open.
type app struct {
	db   string // path of the store
	json bool

	in       io.Reader
	out, err io.Writer
	terminal bool // in is a terminal

	opened store.Store
}

// close closes the store.
func (a *app) close() {
	if a.opened != nil {
		_ = a.opened.Close() // what was acknowledged is on disk already
	}
}

// printf writes text to stdout. execute notices an error at the end.
func (a *app) printf(format string, args ...any) {
	_, _ = io.WriteString(a.out, printable(fmt.Sprintf(format, args...)))
}

// printable keeps control characters away from the terminal. Names and notes may come from other people.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// printJSON writes a value as indented JSON.
func (a *app) printJSON(v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s\n", raw)
	return err
}

// table writes rows with aligned columns.
func (a *app) table(indent string, rows [][]string) {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for len(row) > 0 && row[len(row)-1] == "" { // an empty cell at the end of a line needs no alignment
			row = row[:len(row)-1]
		}
		fmt.Fprint(w, indent)
		for i, cell := range row {
			cell = strings.Map(func(r rune) rune {
				if unicode.IsSpace(r) {
					return ' ' // tabs and line ends would break the table
				}
				return r
			}, cell)
			if i < len(row)-1 {
				cell += "\t"
			}
			fmt.Fprint(w, cell)
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // a Builder never fails
	a.printf("%s", text.String())
}

// atMost allows up to n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usage(fmt.Sprintf("write: %s", cmd.UseLine()), "%q is one argument too many for %s", args[n], cmd.CommandPath())
		}
		return nil
	}
}

// first returns the first argument, or an empty text.
func first(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return ""
}
