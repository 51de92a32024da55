package main

import (
	"cmp"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// initFlags is what the flags of init say. What they leave out becomes an example in the file.
type initFlags struct {
	study.Study
	budget, perTrial string
	params           []string
	command          string
	engine           string
	options          []string
	force, schema    bool
}

func initCommand(a *app) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a study file",
		Long: `Write a commented study file. The default is study.yaml.

On a terminal and without flags, eke init asks questions. With flags, it takes its answers from them. Whatever is not
answered is an example in the file, for you to edit.

Write a parameter as NAME=TYPE, followed by the type's details after colons:

  lr=float:1e-5:0.1:log     from 1e-5 to 0.1; log: searched on a logarithmic scale
  layers=int:1:8            a whole number; also with log
  width=int:32:512:32       with a step; also float:0:1:0.05
  optimizer=choice:sgd,adam one of these
  size=ordered:s,m,l        one of these, in this order
  bias=bool                 true or false
  epochs=fixed:20           always this

A condition may follow, as in "momentum=float:0:0.99 if optimizer=sgd". --where 'batch * accum <= 512' rules settings out.

If the command does not mention any parameter as {name}, it gets all of them as --name=value.

If your editor knows JSON schemas, run eke init --schema > study.schema.json, and make this the first line of
the study file: # yaml-language-server: $schema=study.schema.json`,
		Example: `  eke init --name kiln --objective strength --goal maximize --cost reported --unit euros --budget 200 \
      --param heat=float:800:1300 --param hours=int:1:24 --command 'python fire.py'
  eke init --engine slurm --option partition=gpu --option gres=gpu:1 --unit gpu-hours --budget 500 \
      --param lr=float:1e-5:0.1:log --command 'python train.py'`,
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.schema {
				a.printf("%s\n", study.Schema())
				return nil
			}
			file := cmp.Or(first(args), habitual)
			if !f.force {
				if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
					return wrong("give another name, or --force to replace it", "%s already exists", file)
				}
			}
			answered := a.json
			cmd.LocalNonPersistentFlags().Visit(func(flag *pflag.Flag) { answered = answered || flag.Name != "force" })
			return a.init(file, f, a.terminal && !answered)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Name, "name", "", "name of the study")
	flags.StringVar(&f.Objective.Name, "objective", "", "what a trial returns, such as loss")
	flags.StringVar((*string)(&f.Objective.Goal), "goal", "", "minimize or maximize")
	flags.StringVar((*string)(&f.Cost.Source), "cost", "", "walltime, reported by the command, or slurm")
	flags.StringVar(&f.Cost.Unit, "unit", "", "unit of a reported cost, such as euros; on Slurm core-hours, gpu-hours or node-hours")
	flags.StringVar(&f.engine, "engine", "", "where trials run: slurm makes each a job of that cluster (default: on this machine)")
	flags.StringArrayVar(&f.options, "option", nil, "an `option` for sbatch, such as partition=gpu; repeat for more")
	flags.StringVar(&f.budget, "budget", "", "what all trials together may cost: a number, or a duration such as 2h for walltime")
	flags.IntVar(&f.Budget.Trials, "trials", 0, "how many trials may be run")
	flags.StringVar(&f.perTrial, "per-trial", "", "what one trial may cost")
	flags.DurationVar(&f.Budget.Timeout, "timeout", 0, "how long one trial may take, such as 30m")
	flags.DurationVar(&f.Budget.Deadline, "deadline", 0, "how long after the first trial new trials may start, such as 72h")
	flags.StringArrayVar(&f.params, "param", nil, "a parameter, such as lr=float:1e-5:0.1:log; repeat for more")
	flags.StringArrayVar(&f.Where, "where", nil, "a `constraint` between parameters, such as 'lr_min < lr'; repeat for more")
	flags.StringVar(&f.command, "command", "", "the program and its arguments, such as 'python train.py'")
	flags.IntVar(&f.Parallel, "parallel", 0, "how many trials may run at once")
	flags.Uint64Var(&f.Seed, "seed", 0, "the same seed and results give the same trials")
	flags.BoolVar(&f.force, "force", false, "replace the file if it exists")
	flags.BoolVar(&f.schema, "schema", false, "print the JSON schema of study files instead")
	return cmd
}

// init writes a study file from the flags, or from answers.
func (a *app) init(file string, f initFlags, ask bool) error {
	s, err := f.read()
	if ask {
		s, err = a.interview()
	}
	if err != nil {
		return err
	}
	text := study.Template(s)
	written, err := study.Parse([]byte(text), file) // before it is written: a wrong file would only get in the way
	if err != nil {
		return err
	}
	how := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if f.force {
		how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	if err := writeFile(file, how, text); err != nil {
		return wrong("", "%s cannot be written: %v", file, cause(err))
	}
	return a.show(map[string]any{"file": file, "study": written}, func() {
		a.printf("wrote %s: study %s, %s, a budget of %s\n\n", file, written.Name, say.Count(len(written.Parameters), "parameter"),
			say.Amount(written.Cost, written.Budget.Total))
		name := say.Command([]string{file})
		begin := []string{"eke run " + name, "spend the budget"}
		if len(written.Command) == 0 {
			begin = []string{"eke ask " + name, "get a setting to try by hand, since there is no command yet"}
		}
		a.table("  ", [][]string{{"eke plan --check " + name, "check it"}, {"eke plan " + name, "see what a run would do"}, begin})
	})
}

func writeFile(file string, how int, text string) error {
	w, err := os.OpenFile(file, how, 0o666)
	if err != nil {
		return err
	}
	_, err = w.WriteString(text)
	return errors.Join(err, w.Close())
}
