package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/source"
)

// workerFlags is what a worker was started with, as it was typed.
type workerFlags struct {
	connection
	study, file  string
	dir, workdir string
	plain        bool
	parallel     int
}

func workerCommand(a *app) *cobra.Command {
	var f workerFlags
	cmd := &cobra.Command{
		Use:   "worker --server URL --study NAME",
		Short: "Evaluate trials of a study on a server",
		Long: `Evaluate trials of a study on a server (eke serve): ask for a trial, run the study's command on this machine, report the
result, and repeat until no affordable setting is worth trying. Any number of workers may do so at once, on any machines.

The worker runs the command that the study has on the server, so anybody who can change the study decides what runs here. The
worker shows the command first, and stops if it changes. With --file, it runs the command of a study file on this machine.

Nothing is lost if the server restarts, the network fails or the worker is killed. The worker keeps each result in a journal, in
the folder --dir, until the server has confirmed it. Start the worker again in the same place, and it first sends the results
that the server does not have. A trial goes on while the server cannot be reached. Its late result is accepted, once.

The worker reads a token from $EKE_TOKEN or from a file. Without --insecure, the worker never sends the token to another machine
over plain http.

Press Ctrl-C once to finish the running trials and ask for no more. Press it twice to stop the running trials as well. SIGTERM
stops them at once. The exit codes are those of eke run, and it gives up as eke run does when trial after trial fails.`,
		Example: `  eke worker --server http://127.0.0.1:8420 --study kiln
  EKE_TOKEN=… eke worker --server https://eke.example.org --study kiln --parallel 4
  eke worker --server https://eke.example.org --token-file token --file kiln.yaml`,
		SuggestFor: []string{"work", "agent", "client"},
		Args:       atMost(0),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("parallel") {
				return nil
			}
			return atLeast1("--parallel", f.parallel)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return a.worker(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	f.connection.add(flags)
	flags.StringVar(&f.study, "study", "", "the study's `name` on the server (default with --file: the name in the file)")
	flags.IntVar(&f.parallel, "parallel", 0, "how many trials run at once (default: 1, or what the study says if it has slots)")
	flags.StringVar(&f.file, "file", "", "run the command of this study `file`, not the server's")
	flags.StringVar(&f.workdir, "workdir", "", "the `folder` in which the command runs (default: the study's workdir, else the current folder)")
	flags.StringVar(&f.dir, "dir", "eke.worker", "the `folder` for the journal and the files of trials")
	flags.BoolVar(&f.plain, "plain", false, "print one line per event, even in a terminal")
	return cmd
}

func (a *app) worker(ctx context.Context, f workerFlags) error {
	if f.server == "" {
		return usage("write: eke worker --server http://127.0.0.1:8420 --study NAME", "the server's address is missing")
	}
	name := f.study
	c := runner.Config{Parallel: f.parallel, Single: true}
	var err error
	if f.workdir != "" {
		if c.WorkDir, err = filepath.Abs(f.workdir); err != nil {
			return err
		}
	}
	if f.file != "" {
		if c.Own, err = readStudyFile(f.file); err != nil {
			return err
		}
		name = cmp.Or(name, c.Own.Name)
	}
	c.Engine = engineOf(c.Own)
	if name == "" || strings.ContainsAny(name, `/\`) || !filepath.IsLocal(name) || name == "." {
		return usage("write: --study NAME", "--study is %q, which is not the name of a study", name)
	}
	client, err := f.client()
	if err != nil {
		return err
	}
	c.Source, c.Dir = &source.Server{Client: client, Name: name}, filepath.Join(f.dir, name)
	c.Called = name + " --" + serverFlag + " " + f.server
	a.needed = c.Called
	err = a.loop(ctx, c, f.plain, hints{over: "see the results on the server's page", again: "start the worker again in the same place", files: c.Dir, notify: c.Own})
	if errors.Is(err, runner.ErrNoCommand) && f.file == "" {
		err = fault.Errorf("give a study file with a command on this machine: eke worker --server "+f.server+" --file study.yaml; or ask for trials and tell their results over HTTP", "%w", err)
	}
	return serverProblem(ctx, client, name, err)
}

// serverProblem adds hints to what a server says.
func serverProblem(ctx context.Context, client *api.Client, name string, err error) error {
	fromServer := errors.As(err, new(*api.Response))
	switch code := fault.CodeOf(err); {
	case code == fault.Unauthenticated && fromServer: // otherwise it is the server that is not to be trusted
		return fault.New(code, "set $EKE_TOKEN or give --token-file; on the server's machine, create one: eke token new --role worker", "the server wants a token that it knows: %w", err)
	case code == fault.Forbidden && fromServer:
		return fault.New(code, cmp.Or(fault.HintOf(err), "use a token of another role (worker runs trials, admin creates studies): eke token new --role ROLE"), "the server does not allow this: %w", err)
	case code == fault.NotFound && fromServer:
		hint := "the server's page lists its studies"
		if list, err := client.Studies(ctx); err == nil && len(list) > 0 {
			names := make([]string, len(list))
			for i, one := range list {
				names[i] = one.Name
			}
			hint = guess(name, names, "choose "+oneOf(names))
		}
		return fault.New(code, hint, "there is no study %s on the server", name)
	}
	return err
}

// connection is how to reach a server, as it was typed.
type connection struct {
	server        string
	tokenFile, ca string
	insecure      bool
}

// serverFlag is the flag that says which server.
const serverFlag = "server"

// add adds the flags of a connection to those of a verb.
func (c *connection) add(flags *pflag.FlagSet) {
	flags.StringVar(&c.server, serverFlag, "", "the server's `URL`")
	flags.StringVar(&c.tokenFile, "token-file", "", "a `file` with the token (default: $EKE_TOKEN)")
	flags.StringVar(&c.ca, "ca", "", "a PEM `file` of certificates to trust instead of the system's")
	flags.BoolVar(&c.insecure, "insecure", false, "send the token to another machine over plain http, where others can read it")
}

// clientFor is client for what is done with a study, which has to be named: a server has no study file to guess it from.
func (c connection) clientFor(study string) (*api.Client, error) {
	if study == "" {
		return nil, usage("give its name", "the name of the study on the server is missing")
	}
	return c.client()
}

// mostSecret is how much is read of a file with a token.
const mostSecret = 4096

// client returns the connection that the flags describe.
func (c connection) client() (*api.Client, error) {
	s := api.Config{URL: c.server, Token: strings.TrimSpace(os.Getenv(engine.TokenVariable)), Insecure: c.insecure}
	if c.tokenFile != "" {
		raw, err := readSome(c.tokenFile, mostSecret)
		if err != nil {
			return nil, usage("give a file that you may read", "the token's file %s cannot be read: %v", c.tokenFile, cause(err))
		}
		if s.Token = strings.TrimSpace(string(raw)); s.Token == "" {
			return nil, usage("put the token into it: eke token new --role worker", "the token's file %s is empty", c.tokenFile)
		}
	}
	if c.ca != "" {
		raw, err := os.ReadFile(c.ca)
		if err != nil {
			return nil, usage("give a PEM file", "the certificates %s cannot be read: %v", c.ca, cause(err))
		}
		s.CA = slices.Concat(raw, []byte("\n")) // an empty file is one without certificates, not none
	}
	client, err := api.NewClient(s)
	if err != nil {
		return nil, usage(fault.HintOf(err), "%v", err)
	}
	return client, nil
}
