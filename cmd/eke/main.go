// Command eke finds good settings for expensive experiments within a budget.
//
// A verb has a file, alone or with verbs like it: run.go, tell.go, manage.go. The other files are shared: app.go has what every verb
// needs, store.go opens the store, studies.go finds the study that was meant, and errors.go shows errors.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/fault"
)

func main() {
	a := &app{in: os.Stdin, out: &checked{w: os.Stdout}, err: os.Stderr, terminal: isatty.IsTerminal(os.Stdin.Fd())}
	os.Exit(a.execute(context.Background(), os.Args[1:]))
}

// execute runs the command line and returns the exit code.
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

func rootCommand(a *app) *cobra.Command {
	root := family(&cobra.Command{
		Use:   "eke",
		Short: "Find good settings for expensive experiments within a budget",
		Long: `eke finds good settings for expensive experiments when each trial has its own unknown cost and the
budget is limited. It learns the result and the cost of each setting, and weighs what a trial may improve
against its price and the budget that is left.

A study is described in a study file, usually study.yaml, and kept in a store, usually the file eke.db:

  eke init                 write a study file
  eke run                  spend its budget
  eke status               see how it stands, at any time

STUDY means a study file or the name of a study in the store. You can leave it out if there is only one study.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	})
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(flagMistake)
	root.PersistentFlags().StringVar(&a.db, "db", defaultStore(), "the store: a `file`, or postgres://USER@HOST/DATABASE; $EKE_DB sets the default")
	root.PersistentFlags().Lookup("db").DefValue = placeOf(defaultStore()) // for the help, which must not show a password
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("db") && hasPassword(a.db) {
			return usage("put the URL into $EKE_DB, or the password alone into $PGPASSWORD or ~/.pgpass",
				"--db has a password in it, and everybody on this machine can see a program's arguments")
		}
		return nil
	}
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON, including errors")
	shows := root.Flags().Bool("version", false, "show which version of eke this is")
	help := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if *shows {
			return a.version()
		}
		return help(cmd, args)
	}
	cobra.EnableCommandSorting = false // list them in the order in which they are needed
	for _, g := range []struct {
		id, title string
		verbs     []*cobra.Command
	}{
		{"define", "Define a study:", []*cobra.Command{initCommand(a), planCommand(a), studyCommand(a), importCommand(a)}},
		{"spend", "Spend its budget:", []*cobra.Command{runCommand(a), askCommand(a), tellCommand(a), enqueueCommand(a), budgetCommand(a)}},
		{"look", "See its results:", []*cobra.Command{
			statusCommand(a), watchCommand(a), bestCommand(a), frontCommand(a), trialsCommand(a), reportCommand(a), exportCommand(a),
		}},
		{"change", "Change your mind:", []*cobra.Command{
			forgetCommand(a), retryCommand(a), correctCommand(a), stopCommand(a), pauseCommand(a), resumeCommand(a),
		}},
		{"share", "Share it:", []*cobra.Command{serveCommand(a), workerCommand(a), tokenCommand(a)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, verb := range g.verbs {
			verb.GroupID = g.id
			root.AddCommand(verb)
		}
	}
	root.AddCommand(exampleCommand(), jobCommand(), manCommand(), exitCodesTopic())
	// Spellings of version 0.1, which work on.
	for _, verb := range []*cobra.Command{listCommand(a, "studies"), labelCommand(a), copyCommand(a), renameCommand(a), archiveCommand(a), deleteCommand(a), validateCommand(a), versionCommand(a)} {
		verb.Hidden = true
		root.AddCommand(verb)
	}
	root.SetHelpCommand(helpCommand())
	root.InitDefaultCompletionCmd()
	for _, verb := range root.Commands() { // cobra made this one; report mistakes in our words
		if verb.Name() == "completion" {
			for _, shell := range family(verb).Commands() {
				shell.Args = atMost(0)
			}
		}
	}
	return root
}

// defaultStore is the store to use if none is named.
func defaultStore() string { return cmp.Or(os.Getenv("EKE_DB"), "eke.db") }

// helpCommand is like cobra's, except that an unknown topic is an error.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
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

// checked remembers the first error of writing, so that no verb succeeds whose output was lost.
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

// These are set by whoever builds a release: -ldflags "-X main.version=v1.2.3 -X main.commit=… -X main.built=…".
var version, commit, built string

// build describes this program.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Changed bool   `json:"changed,omitempty"` // since that commit
	Built   string `json:"built,omitempty"`   // the time of that commit, so that equal sources make equal programs
	Go      string `json:"go"`
	System  string `json:"system"`
}

func buildOf() build {
	b := build{Version: version, Commit: commit, Built: built, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	b.Version = cmp.Or(b.Version, info.Main.Version, "(devel)")
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = cmp.Or(b.Commit, s.Value)
		case "vcs.time":
			b.Built = cmp.Or(b.Built, s.Value)
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show which version of eke this is",
		Long:  "Show which version of eke this is, which commit it was built from, and with which Go.",
		Example: `  eke --version
  eke --json version`,
		Args: atMost(0),
		RunE: func(*cobra.Command, []string) error { return a.version() },
	}
}

func (a *app) version() error {
	b := buildOf()
	return a.show(b, func() {
		a.printf("eke %s", b.Version)
		if b.Commit != "" {
			a.printf(", commit %.12s", b.Commit)
		}
		if b.Changed {
			a.printf(" with changes")
		}
		if b.Built != "" {
			a.printf(" of %s", b.Built)
		}
		a.printf(", %s %s\n", b.Go, b.System)
	})
}
