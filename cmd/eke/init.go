package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
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
	fidelity         string
	limits           []string
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

A condition may follow, as in "momentum=float:0:0.99 if optimizer=sgd". --where 'batch * accum <= 512' rules settings out, and --limit 'memory <= 8'
results. --fidelity epochs=1:81:log lets trials be cheaper looks, with {epochs} in the command.

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
	flags.StringVar((*string)(&f.Cost.Source), "cost", "", "walltime, reported by the command, slurm or kubernetes")
	flags.StringVar(&f.Cost.Unit, "unit", "", "unit of a reported cost, such as euros; on Slurm core-hours, gpu-hours or node-hours")
	flags.StringVar(&f.engine, "engine", "", "where trials run: slurm or kubernetes makes each a job of that cluster (default: on this machine)")
	flags.StringArrayVar(&f.options, "option", nil, "an `option` for sbatch, such as partition=gpu; on Kubernetes a key of engine or a resource, such as image=python:3 or cpu=4; repeat for more")
	flags.StringVar(&f.budget, "budget", "", "what all trials together may cost: a number, or a duration such as 2h for walltime")
	flags.IntVar(&f.Budget.Trials, "trials", 0, "how many trials may be run")
	flags.StringVar(&f.perTrial, "per-trial", "", "what one trial may cost")
	flags.DurationVar(&f.Budget.Timeout, "timeout", 0, "how long one trial may take, such as 30m")
	flags.DurationVar(&f.Budget.Deadline, "deadline", 0, "how long after the first trial new trials may start, such as 72h")
	flags.StringArrayVar(&f.params, "param", nil, "a parameter, such as lr=float:1e-5:0.1:log; repeat for more")
	flags.StringArrayVar(&f.Where, "where", nil, "a `constraint` between parameters, such as 'lr_min < lr'; repeat for more")
	flags.StringArrayVar(&f.limits, "limit", nil, "a `limit` on another number that a trial reports, such as 'memory <= 8'; repeat for more")
	flags.StringVar(&f.fidelity, "fidelity", "", "how thorough a trial is, such as epochs=1:81:log: trials below the maximum are cheaper looks")
	flags.StringVar(&f.command, "command", "", "the program and its arguments, such as 'python train.py'")
	flags.StringVar((*string)(&f.Protocol), "protocol", "", "lines: the command stays alive, with a setting per line in, and a result per line out")
	flags.StringVar(&f.GPUs, "gpus", "", "auto: every trial has a GPU to itself")
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

// read is the study that the flags describe. study.Parse checks it later.
func (f initFlags) read() (study.Study, error) {
	s := f.Study
	if err := oneOfThese("--goal", s.Objective.Goal, study.Minimize, study.Maximize); err != nil {
		return s, err
	}
	if err := oneOfThese("--cost", s.Cost.Source, append([]study.Source{study.Walltime}, slices.DeleteFunc(study.Sources(), func(s study.Source) bool { return s == study.Walltime })...)...); err != nil {
		return s, err
	}
	if err := oneOfThese("--engine", f.engine, study.EngineTypes()...); err != nil {
		return s, err
	}
	if f.engine != "" || len(f.options) > 0 {
		s.Engine = &study.Engine{Type: cmp.Or(f.engine, study.EngineTypes()[0]), Options: map[string]string{}}
		s.Cost.Source = cmp.Or(s.Cost.Source, study.Source(s.Engine.Type))
	}
	for _, o := range f.options {
		name, value, given := strings.Cut(strings.TrimLeft(o, "-"), "=")
		if !given {
			value = "true"
		}
		s.Engine.Set(name, value)
	}
	if s.Cost.Source == "" && s.Cost.Unit != "" {
		s.Cost.Source = study.Reported // only a reported cost has a unit of its own
	}
	for _, p := range []struct {
		flag, text string
		to         *float64
	}{{"--budget", f.budget, &s.Budget.Total}, {"--per-trial", f.perTrial, &s.Budget.PerTrial}} {
		if err := positive(p.flag, p.text, costOrDefault(s.Cost), p.to); err != nil {
			return s, err
		}
	}
	switch b := s.Budget; {
	case b.Trials < 0:
		return s, usage("give a whole number from 1", "--trials is %d", b.Trials)
	case b.Timeout < 0:
		return s, usage("give a duration such as 90s or 2h30m", "--timeout is %v", b.Timeout)
	case b.Deadline < 0:
		return s, usage("give a duration such as 90s or 2h30m", "--deadline is %v", b.Deadline)
	}
	for _, text := range f.params {
		p, err := parseParam(text)
		if err != nil {
			return s, err
		}
		s.Parameters = append(s.Parameters, p)
	}
	if len(s.Parameters) > 0 {
		if _, err := s.Space(); err != nil {
			return s, err
		}
	}
	for _, err := range []error{f.readFidelity(&s), f.readLimits(&s), oneOfThese("--protocol", s.Protocol, study.ProtocolLines), oneOfThese("--gpus", s.GPUs, study.GPUsAuto)} {
		if err != nil {
			return s, err
		}
	}
	inputs := s.Inputs()
	if s.Protocol != "" {
		inputs = nil // the command reads them
	}
	var err error
	s.Command, err = commandOf(f.command, inputs)
	return s, err
}

// readFidelity reads NAME=MIN:MAX[:log].
func (f initFlags) readFidelity(s *study.Study) error {
	if f.fidelity == "" {
		return nil
	}
	name, body, _ := strings.Cut(f.fidelity, "=")
	p := space.Param{Name: strings.TrimSpace(name)}
	if problem := readRange(&p, strings.Split(body, ":")); problem != "" || p.Step != 0 || p.Name == "" {
		return usage("write it such as epochs=1:81:log", "--fidelity is %q: %s", f.fidelity, cmp.Or(problem, "it needs a name, a min and a max"))
	}
	s.Fidelity = &study.Fidelity{Name: p.Name, Min: p.Min, Max: p.Max, Log: p.Log}
	return nil
}

// readLimits reads limits such as memory<=8.
func (f initFlags) readLimits(s *study.Study) error {
	for _, text := range f.limits {
		name, number, most := strings.Cut(text, "<=")
		if !most {
			name, number, _ = strings.Cut(text, ">=")
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if name = strings.TrimSpace(name); err != nil || name == "" || math.IsNaN(x) || math.IsInf(x, 0) {
			return usage("write it such as 'memory <= 8' or 'recall >= 0.9'", "--limit is %q, which is not a name and its limit", text)
		}
		if s.Limits == nil {
			s.Limits = study.Limits{}
		}
		b := s.Limits[name]
		if most {
			b.Max = &x
		} else {
			b.Min = &x
		}
		s.Limits[name] = b
	}
	return nil
}

// oneOfThese returns an error if a word is given that is not one of these.
func oneOfThese[T ~string](what string, word T, these ...T) error {
	if word == "" || slices.Contains(these, word) {
		return nil
	}
	return usage("give "+oneOf(these), "%s is %q", what, word)
}

// atLeast1 returns an error if a number is less than 1.
func atLeast1(what string, n int) error {
	if n < 1 {
		return usage("give a whole number from 1", "%s is %d", what, n)
	}
	return nil
}

// positive reads an amount above zero, if one is given.
func positive(what, text string, c study.Cost, to *float64) (err error) {
	if text == "" {
		return nil
	}
	if *to, err = parseAmount(text, what, c); err == nil && *to <= 0 {
		err = usage("give an amount above zero", "%s is %s", what, text)
	}
	if err == nil && *to > study.MaxAmount {
		err = usage(fmt.Sprintf("give at most %g", study.MaxAmount), "%s is %s, more than can be counted exactly", what, text)
	}
	return err
}

// costOrDefault is the cost that the file will have.
func costOrDefault(c study.Cost) study.Cost {
	return study.Cost{Source: cmp.Or(c.Source, study.Walltime), Unit: cmp.Or(c.Unit, "units")}
}

// parseAmount reads an amount: a number or, where the cost is wall time, a duration. Messages call it what.
func parseAmount(text, what string, c study.Cost) (float64, error) {
	text = strings.TrimSpace(text)
	x, err := strconv.ParseFloat(text, 64)
	d, notDuration := time.ParseDuration(text)
	switch {
	case err == nil && (math.IsNaN(x) || math.IsInf(x, 0)):
		return 0, usage("give a finite number", "%s is %s", what, text)
	case err == nil:
		return x, nil
	case notDuration == nil && c.Source == study.Walltime:
		return d.Seconds(), nil
	case notDuration == nil:
		return 0, usage("give a number of "+c.Unit, "%s is the duration %s, but the cost is counted in %s", what, text, c.Unit)
	case c.Source == study.Walltime:
		return 0, usage("give seconds, or a duration such as 1m30s or 36h", "%s is %q, which is not an amount of time", what, text)
	}
	return 0, usage("give a number of "+c.Unit, "%s is %q, which is not a number", what, text)
}

// parseParam reads a parameter from one line. The grammar is in the help of init. space.New checks what depends on other parameters,
// and the order of bounds.
func parseParam(text string) (space.Param, error) {
	bad := func(hint, format string, args ...any) (space.Param, error) {
		return space.Param{}, usage(hint, "parameter %q: "+format, append([]any{text}, args...)...)
	}
	definition, condition, conditional := strings.Cut(text, " if ")
	name, rest, ok := strings.Cut(strings.TrimSpace(definition), "=")
	if !ok || name == "" {
		return bad("write it such as lr=float:1e-5:0.1:log", "there is no NAME=TYPE")
	}
	kind, body, _ := strings.Cut(strings.TrimSpace(rest), ":")
	p := space.Param{Name: strings.TrimSpace(name), Kind: space.Kind(kind)}
	switch p.Kind {
	case space.KindFloat, space.KindInt:
		if problem := readRange(&p, strings.Split(body, ":")); problem != "" {
			return bad("write it such as "+p.Name+"="+kind+":1:100:log", "%s", problem)
		}
	case space.KindChoice, space.KindOrdered:
		if body == "" {
			return bad("write it such as "+p.Name+"="+kind+":a,b,c", "it has no values")
		}
		p.Values = literals(body)
	case space.KindBool:
		if body != "" {
			return bad("write "+p.Name+"=bool", "nothing follows a bool")
		}
	case space.KindFixed:
		if body == "" {
			return bad("write it such as "+p.Name+"=fixed:3", "it has no value")
		}
		p.Value = literal(body)
	default:
		kinds := []string{"float", "int", "choice", "ordered", "bool", "fixed"}
		return bad(guess(kind, kinds, "give "+oneOf(kinds)), "%q is not a type", kind)
	}
	if conditional {
		other, values, ok := strings.Cut(strings.TrimSpace(condition), "=")
		if !ok || other == "" || values == "" {
			return bad("write it such as "+p.Name+"=… if optimizer=sgd", "the condition names no value")
		}
		p.When = []space.Condition{{Param: strings.TrimSpace(other), Values: literals(values)}}
	}
	return p, nil
}

// readRange reads MIN:MAX[:STEP][:log]. It returns a problem, or an empty text.
func readRange(p *space.Param, parts []string) (problem string) {
	if n := len(parts); n > 2 && parts[n-1] == "log" {
		p.Log, parts = true, parts[:n-1]
	}
	to := []*float64{&p.Min, &p.Max, &p.Step}
	if len(parts) < 2 || len(parts) > len(to) {
		return "it needs a min and a max"
	}
	for i, part := range parts {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return strconv.Quote(part) + " is not a number"
		}
		*to[i] = x
	}
	return ""
}

func literals(text string) (list []space.Value) {
	for part := range strings.SplitSeq(text, ",") {
		list = append(list, literal(strings.TrimSpace(part)))
	}
	return list
}

// literal reads a value as a study file would.
func literal(text string) space.Value {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return space.Int(n)
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && strings.ContainsAny(text, "0123456789") {
		return space.Float(x)
	}
	if text == "true" || text == "false" {
		return space.Bool(text == "true")
	}
	return space.String(text)
}

// commandOf reads a command from one line. If it mentions no parameter, it gets all of them.
func commandOf(text string, params []space.Param) ([]string, error) {
	words, ok := splitWords(text)
	if !ok {
		return nil, usage("close it", "the command has a quote without an end: %s", text)
	}
	if len(words) == 0 || len(params) == 0 || strings.ContainsAny(text, "{}") {
		return words, nil
	}
	return study.CommandFor(words, params), nil
}

// splitWords splits a line at spaces that are not in quotes. It is not a shell, and no shell runs the command.
func splitWords(text string) (words []string, ok bool) {
	var word strings.Builder
	quote, inWord := rune(0), false
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, inWord = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, quote == 0
}
