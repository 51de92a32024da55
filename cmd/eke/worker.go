package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/source"
)

// workerFlags is what a worker was started with, as it was typed.
type workerFlags struct {
	server, study, file string
	dir, workdir        string
	tokenFile, ca       string
	insecure, plain     bool
	parallel            int
}

func workerCommand(a *app) *cobra.Command {
	var f workerFlags
	cmd := &cobra.Command{
		Use:   "worker --server URL --study NAME",
		Short: "Evaluate trials of a study that a server keeps",
		Long: `Evaluate trials of a study that a server keeps (eke serve): ask for one, run the study's command on this machine, tell what came of
it, and so on until no affordable setting is worth trying. Any number of workers may do so at once, on any machines.

The command is the one that the study has on the server: whoever may change the study decides what is run here. So it is shown
first, and the worker ends if it changes. With --file it is the one of a study file on this machine, and never the server's.

Nothing is lost when the server is restarted, the network is gone, or the worker is killed: what came of a trial is kept in the
journal, in the folder --dir, until the server has acknowledged it. Start the worker again in the same place, and what had not been told
is told first. A trial goes on while the server cannot be reached; its late result is taken, once.

A token is taken from $EKE_TOKEN or from a file, and is not sent over http to another machine, unless --insecure says so.

Ctrl-C once asks for no new trial and waits for those that run; twice stops them, too. SIGTERM is like twice. Exit codes are those of
eke run.`,
		Example: `  eke worker --server http://127.0.0.1:8420 --study kiln
  EKE_TOKEN=… eke worker --server https://eke.example.org --study kiln --parallel 4
  eke worker --server https://eke.example.org --token-file token --file kiln.yaml`,
		SuggestFor: []string{"work", "agent", "client"},
		Args:       atMost(0),
		RunE:       func(cmd *cobra.Command, _ []string) error { return a.worker(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.server, "server", "", "the server's `URL`")
	flags.StringVar(&f.study, "study", "", "the study's `name` on the server; that of the study file if not given")
	flags.IntVar(&f.parallel, "parallel", 1, "how many trials run at once")
	flags.StringVar(&f.file, "file", "", "a study `file` on this machine whose command is run, instead of the server's")
	flags.StringVar(&f.workdir, "workdir", "", "the `folder` in which the command runs; as the study says if not given, or this one")
	flags.StringVar(&f.dir, "dir", "eke.worker", "the `folder` of the journal and of the trials' files")
	flags.BoolVar(&f.plain, "plain", false, "one line per event, also in a terminal")
	flags.StringVar(&f.tokenFile, "token-file", "", "a `file` with the token; $EKE_TOKEN if not given")
	flags.StringVar(&f.ca, "ca", "", "certificates to trust instead of the system's, a PEM `file`")
	flags.BoolVar(&f.insecure, "insecure", false, "send the token over http to another machine: others can read it")
	return cmd
}

// mostSecret is how much is read of a file with a token.
const mostSecret = 4096

// client returns the connection that the flags describe.
func (f workerFlags) client() (*api.Client, error) {
	s := api.Config{URL: f.server, Token: strings.TrimSpace(os.Getenv(runner.TokenVariable)), Insecure: f.insecure}
	if f.tokenFile != "" {
		file, err := os.Open(f.tokenFile)
		if err != nil {
			return nil, usage("give a file that you may read", "the token's file %s cannot be read: %v", f.tokenFile, cause(err))
		}
		defer file.Close()
		raw, err := io.ReadAll(io.LimitReader(file, mostSecret))
		if err != nil {
			return nil, usage("give a file that you may read", "the token's file %s cannot be read: %v", f.tokenFile, cause(err))
		}
		if s.Token = strings.TrimSpace(string(raw)); s.Token == "" {
			return nil, usage("put the token into it: eke token new --role worker", "the token's file %s is empty", f.tokenFile)
		}
	}
	if f.ca != "" {
		raw, err := os.ReadFile(f.ca)
		if err != nil {
			return nil, usage("give a PEM file", "the certificates %s cannot be read: %v", f.ca, cause(err))
		}
		s.CA = append(raw, '\n') // an empty file is one without certificates, not none
	}
	c, err := api.NewClient(s)
	if err != nil {
		return nil, usage(fault.HintOf(err), "%v", err)
	}
	return c, nil
}

func (a *app) worker(ctx context.Context, f workerFlags) error {
	if f.server == "" {
		return usage("write: eke worker --server http://127.0.0.1:8420 --study NAME", "the server's address is missing")
	}
	if f.parallel < 1 {
		return usage("give at least 1", "--parallel is %d", f.parallel)
	}
	name := f.study
	c := runner.Config{Engine: &local.Engine{}, Parallel: f.parallel}
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
		if name == "" {
			name = c.Own.Name
		}
	}
	if name == "" || strings.ContainsAny(name, `/\`) || !filepath.IsLocal(name) || name == "." {
		return usage("write: --study NAME", "--study is %q, which is no study's name", name)
	}
	client, err := f.client()
	if err != nil {
		return err
	}
	c.Source, c.Dir = &source.Server{Client: client, Name: name}, filepath.Join(f.dir, name)
	err = a.loop(ctx, c, f.plain, hints{over: "see the results on the server's page", again: "start the worker again in the same place", files: c.Dir})
	return serverProblem(name, err)
}

// serverProblem adds to what a server says what to do about it here.
func serverProblem(name string, err error) error {
	fromServer := errors.As(err, new(*api.Response))
	switch code := fault.CodeOf(err); {
	case code == fault.Unauthenticated && fromServer: // otherwise it is the server that is not to be trusted
		return fault.New(code, "set $EKE_TOKEN or give --token-file; who runs the server makes one: eke token new --role worker", "the server wants a token that it knows: %w", err)
	case code == fault.Forbidden && fromServer:
		return fault.New(code, "use a token of the role worker: eke token new --role worker", "the server does not allow this: %w", err)
	case code == fault.NotFound && fromServer:
		return fault.New(code, "its page lists those that there are", "there is no study %s on the server", name)
	}
	return err
}
