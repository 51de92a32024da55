package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// app is what the verbs share: the global flags, the streams, and the store once it is open.
type app struct {
	db   string     // path of the store
	at   connection // the server whose studies are meant; none: those of the store
	json bool

	in       io.Reader
	out, err io.Writer
	terminal bool // in is a terminal

	needed string // how hints must name the study that was meant; empty: they need not

	opened store.Store
	joined []*broker.Broker // the studies of the store that were opened
}

// close closes the store.
func (a *app) close() {
	if a.opened != nil {
		a.markSeen(context.Background())
		_ = a.opened.Close() // what was acknowledged is on disk already
	}
}

// markSeen notes how far this command has seen the logs that it has appended to, where runs have begun to note it. So the next run knows of a
// budget that was raised, and of a result that was told by hand, even if the store does not. If that fails, the run notes it when it sees it.
func (a *app) markSeen(ctx context.Context) {
	for _, d := range a.joined {
		header, err := d.Header(ctx)
		if err != nil || !d.Appended() {
			continue
		}
		if mark := runner.MarkIn(trialsOf(a.db), header.ID, d.Digest); mark.Exists() {
			if record, err := d.Record(ctx); err == nil {
				_ = mark.Raise(ctx, header.Name, record)
			}
		}
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
func (a *app) printJSON(v any) error { return writeJSON(a.out, v) }

func writeJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// show writes a value as JSON if that is wanted, or else as text.
func (a *app) show(v any, text func()) error {
	if a.json {
		return a.printJSON(v)
	}
	text()
	return nil
}

// oneLine replaces what would break a table.
var oneLine = strings.NewReplacer("\t", " ", "\n", " ", "\v", " ", "\f", " ", "\r", " ")

// table writes rows with aligned columns.
func (a *app) table(indent string, rows [][]string) {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = oneLine.Replace(cell)
		}
		// An empty cell at the end of a line needs no alignment.
		fmt.Fprintln(w, indent+strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	}
	_ = w.Flush() // a Builder never fails
	a.printf("%s", text.String())
}

// ofStudy completes a verb whose only argument is a study. do gets that study and its record. A study that must be there may be on a server.
func (a *app) ofStudy(m mode, cmd *cobra.Command, do func(context.Context, *broker.Broker, *study.Record) error) *cobra.Command {
	cmd.Args, cmd.ValidArgsFunction = atMost(1), a.completeStudies
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.withStudy(cmd.Context(), first(args), m, do)
	}
	if m == known {
		return a.onServers(cmd)
	}
	return cmd
}

// withStudy finds the study that an argument means, and passes it on with its record.
func (a *app) withStudy(ctx context.Context, arg string, m mode, do func(context.Context, *broker.Broker, *study.Record) error) error {
	d, err := a.study(ctx, arg, m)
	if err != nil {
		return err
	}
	record, err := d.Record(ctx)
	if err != nil {
		return err
	}
	if err = do(ctx, d, record); err != nil && a.mustName(ctx, arg) {
		a.needed = a.called(d.Study())
	}
	return err
}

// mustName says whether a study that an argument means has to be named again by whoever goes on with it: on a server, and where there are several.
func (a *app) mustName(ctx context.Context, arg string) bool {
	if a.at.server != "" {
		return true
	}
	names, err := a.names(ctx)
	return err == nil && len(names) > 1 && arg != "" && arg != habitual
}

// family completes a command that does nothing but hold verbs.
func family(cmd *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	cmd.Args = noVerb
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(verbs...)
	return cmd
}

// atMost allows up to n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usage("write: "+cmd.UseLine(), "%q is one argument too many for %s", args[n], cmd.CommandPath())
		}
		return nil
	}
}

// from1To allows up to n arguments, of which one is necessary.
func from1To(n int, hint, missing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage(hint, "%s", missing)
		}
		return atMost(n)(cmd, args)
	}
}

// first returns the first argument, or an empty text.
func first(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return ""
}

// studyAnd splits the arguments [STUDY] X.
func studyAnd(args []string) (study, x string) {
	if len(args) == 1 {
		return "", args[0]
	}
	return args[0], args[1]
}
