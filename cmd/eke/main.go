// Command eke finds good settings for expensive experiments within a budget.
//
//	main.go      the root command, and what all verbs share
//	app.go       app: where a verb reads and writes
//	studies.go   from what was typed to a study
//	database.go  files and databases as stores
//	file.go      reading a study file
//	errors.go    from what went wrong to words, a hint and an exit code
//	exitcodes.go what exit codes mean
//	suggest.go   what was probably meant
//	money.go     amounts, durations and numbers, read and written
//	setting.go   settings and commands on one line
//
// Every other file is a verb, or a part of one (init_flags.go).
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/fault"
)

func main() {
	a := &app{in: os.Stdin, out: &checked{w: os.Stdout}, err: os.Stderr, terminal: isatty.IsTerminal(os.Stdin.Fd())}
	os.Exit(a.execute(context.Background(), os.Args[1:]))
}

// execute does what the arguments say and returns the exit code.
func (a *app) execute(ctx context.Context, args []string) int {
	root := rootCommand(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	a.close()
	if out, ok := a.out.(*checked); ok && err == nil && out.err != nil {
		err = fmt.Errorf("the output could not be written: %w", out.err)
	}
	if err == nil {
		return fault.ExitFine
	}
	return a.complain(err, args)
}

// Groups of verbs.
const (
	groupDefine = "define"
	groupSpend  = "spend"
	groupLook   = "look"
	groupShare  = "share"
)

func rootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "eke",
		Short: "Find good settings for expensive experiments within a budget",
		Long: `eke finds good settings for expensive experiments when every try has its own, unknown price and
the money is finite. It learns what a setting is worth and what trying it costs, and plans ahead under
what is left of the budget.

A study is described in a study file, study.yaml by habit, and kept in a store, the file eke.db:

  eke init                 write a study file
  eke run                  spend its budget
  eke status               see how it stands; any time, from anywhere

Where a verb takes a STUDY, that is a study file or the name of a study in the store. It can be left out
where there is only one.`,
		Args:                       noVerb,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(flagMistake)
	root.PersistentFlags().StringVar(&a.db, "db", defaultStore(), "the store: a `file`, or postgres://USER@HOST/DATABASE; $EKE_DB if not given")
	root.PersistentFlags().Lookup("db").DefValue = placeOf(defaultStore()) // for the help, which is no place for a password
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("db") && hasPassword(a.db) {
			return usage("put the URL into $EKE_DB, or the password alone into $PGPASSWORD or ~/.pgpass",
				"--db has a password in it, and everybody on this machine can see the arguments of a program")
		}
		return nil
	}
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON, errors too")
	root.AddGroup(&cobra.Group{ID: groupDefine, Title: "To define a study:"},
		&cobra.Group{ID: groupSpend, Title: "To spend its budget:"},
		&cobra.Group{ID: groupLook, Title: "To look at it:"},
		&cobra.Group{ID: groupShare, Title: "To share it:"})
	cobra.EnableCommandSorting = false // they are listed in the order in which a study meets them
	for _, of := range []struct {
		group string
		verbs []*cobra.Command
	}{
		{groupDefine, []*cobra.Command{initCommand(a), validateCommand(a), planCommand(a)}},
		{groupSpend, []*cobra.Command{
			runCommand(a),
			askCommand(a),
			tellCommand(a),
			budgetCommand(a),
		}},
		{groupLook, []*cobra.Command{
			statusCommand(a),
			bestCommand(a),
			trialsCommand(a),
			listCommand(a),
			reportCommand(a),
			exportCommand(a),
		}},
		{groupShare, []*cobra.Command{
			serveCommand(a),
			workerCommand(a),
			tokenCommand(a),
		}},
		{"", []*cobra.Command{exampleCommand(), versionCommand(a), exitCodesTopic()}},
	} {
		for _, verb := range of.verbs {
			verb.GroupID = of.group
			root.AddCommand(verb)
		}
	}
	root.SetHelpCommand(helpCommand())
	root.InitDefaultCompletionCmd()
	for _, verb := range root.Commands() { // cobra's own; a mistake there is told in our words
		if verb.Name() == "completion" {
			verb.Args, verb.RunE = noVerb, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			for _, shell := range verb.Commands() {
				shell.Args = atMost(0)
			}
		}
	}
	return root
}

// defaultStore is the store that is meant if none is named.
func defaultStore() string {
	if path := os.Getenv("EKE_DB"); path != "" {
		return path
	}
	return "eke.db"
}

// helpCommand is cobra's, but for an unknown topic, which is an error here.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return noVerb(cmd.Root(), args)
			}
			topic.InitDefaultHelpFlag()
			return topic.Help()
		},
	}
}

// checked remembers the first error of writing, so that no verb ends well whose output is lost.
type checked struct {
	w   io.Writer
	mu  sync.Mutex // a run writes from several goroutines
	err error
}

func (c *checked) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(p)
	c.err = err
	return n, err
}
