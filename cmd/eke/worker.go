package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/internal/worker"
	"github.com/eke-bo/eke/study"
)

// workerFlags is what a worker was started with, as it was typed.
type workerFlags struct {
	server, study, file string
	dir, workdir        string
	tokenFile, ca       string
	insecure            bool
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
	flags.StringVar(&f.tokenFile, "token-file", "", "a `file` with the token; $EKE_TOKEN if not given")
	flags.StringVar(&f.ca, "ca", "", "certificates to trust instead of the system's, a PEM `file`")
	flags.BoolVar(&f.insecure, "insecure", false, "send the token over http to another machine: others can read it")
	return cmd
}

// mostSecret is how much is read of a file with a token.
const mostSecret = 4096

// client returns the connection that the flags describe.
func (f workerFlags) client() (*api.Client, error) {
	s := api.Config{URL: f.server, Token: strings.TrimSpace(os.Getenv(worker.TokenVariable)), Insecure: f.insecure}
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
	c := worker.Config{Study: f.study, Dir: f.dir, Parallel: f.parallel}
	var err error
	if f.workdir != "" {
		if c.WorkDir, err = filepath.Abs(f.workdir); err != nil {
			return err
		}
	}
	if f.file != "" {
		if c.Local, err = readStudyFile(f.file); err != nil {
			return err
		}
		if c.Study == "" {
			c.Study = c.Local.Name
		}
	}
	if c.Study == "" || strings.ContainsAny(c.Study, `/\`) || !filepath.IsLocal(c.Study) || c.Study == "." {
		return usage("write: --study NAME", "--study is %q, which is no study's name", c.Study)
	}
	if c.Client, err = f.client(); err != nil {
		return err
	}
	ctx, stop, _ := interruptible(ctx)
	c.Stop, c.Tell = stop, a.tellWorker
	sum, err := worker.Run(ctx, c)
	if err != nil {
		return a.workerWrong(c, err)
	}
	switch {
	case sum.Reason == worker.Over && sum.Trials == 0:
		return &failure{exitSpent, "nothing more can be tried: " + sum.Text, "see what came of it on the server's page, or there: eke best"}
	case sum.Reason == worker.Failing:
		return wrong("see what they printed in "+filepath.Join(c.Dir, c.Study)+"; mend the command, and start again", "%s", sum.Text)
	case sum.Reason == worker.Asked && sum.Unsent > 0:
		return &failure{exitInterrupted, fmt.Sprintf("stopped; the server does not know yet what came of %d trials", sum.Unsent), "start the worker again in the same place: it tells them first"}
	case sum.Reason == worker.Asked:
		return &failure{exitInterrupted, "stopped; whatever was paid for is on record", "go on: start it again"}
	}
	return nil
}

// workerWrong puts what ended a worker into words.
func (a *app) workerWrong(c worker.Config, err error) error {
	var (
		changed  *worker.ChangedError
		mismatch *worker.MismatchError
	)
	switch {
	case fault.CodeOf(err) == fault.CannotRun:
		return err
	case errors.As(err, &changed):
		return wrong("look at the new one, and start the worker again if it may run here", "%v", err)
	case errors.As(err, &mismatch):
		return usage("use the file that the study was created from; only its command, env and workdir may differ", "%v", err)
	}
	switch fault.CodeOf(err) {
	case fault.Unauthenticated:
		if !errors.As(err, new(*api.Response)) { // it is the server that is not to be trusted
			return wrong(fault.HintOf(err), "%v", err)
		}
		return wrong("set $EKE_TOKEN or give --token-file; who runs the server makes one: eke token new --role worker", "the server wants a token that it knows: %v", err)
	case fault.Forbidden:
		return wrong("use a token of the role worker: eke token new --role worker", "the server does not allow this: %v", err)
	case fault.NotFound:
		return &failure{exitNotFound, "there is no study " + c.Study + " on the server", "its page lists those that there are"}
	}
	return wrong("fix this and start the worker again; what it knows is in "+c.Dir, "%v", err)
}

// tellWorker prints a piece of news on a line.
func (a *app) tellWorker(n worker.News) {
	if a.json {
		if raw, err := json.Marshal(n); err == nil {
			_, _ = fmt.Fprintf(a.out, "%s\n", raw)
		}
		return
	}
	text := n.Text
	switch n.Kind {
	case worker.Command:
		text = shellLine(n.Run) + "  in " + n.Workdir
		for _, name := range slices.Sorted(maps.Keys(n.Env)) {
			text = shellLine([]string{name + "=" + n.Env[name]}) + " " + text
		}
	case worker.Stopping:
		text = "no new trial is asked for; running ones are waited for"
	case worker.Cutting:
		text = "running trials are being stopped"
	}
	what := string(n.Kind)
	if t := n.Trial; t != nil {
		what = fmt.Sprintf("trial %-3d %s", t.Number, n.Kind)
		switch n.Kind {
		case worker.Started:
			text = settingLine(t)
		case worker.Ended, worker.Recovered:
			text = "charged " + say.Number(t.Charged)
			if what = fmt.Sprintf("trial %-3d %s", t.Number, t.State); t.State == study.Done {
				text = "value " + say.Number(t.Value) + ", " + text
			}
			if first, _, _ := strings.Cut(t.Note, "\n"); first != "" {
				text += ": " + first
			}
		}
	}
	a.printf("%s  %-20s %s\n", n.At.Local().Format("15:04:05"), what, text)
}

// settingLine is a setting in the order of its names.
func settingLine(t *worker.Trial) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(t.Setting)) {
		list = append(list, shellLine([]string{name + "=" + t.Setting[name].String()}))
	}
	return strings.Join(list, " ")
}
