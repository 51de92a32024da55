package study

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/space"
)

// Template returns a commented study file for s. Fields that are zero become examples or defaults, so that the zero Study gives
// a file to begin with. The file is valid if s is.
func Template(s Study) string {
	s = s.withExamples()
	t := &template{}
	t.text(`
# A study: what may vary, what it may cost, and how to try a setting.
# Check it with: eke plan --check FILE. Run it with: eke run FILE.
name: %s

# What a trial returns, and whether small or large values are good: minimize | maximize.
objective: {name: %s, goal: %s}

# What a trial costs: walltime (the time it takes), reported (the command says it) or slurm (its accounting says it).
cost: %s

`, quoteYAML(s.Name), quoteYAML(s.Objective.Name), s.Objective.Goal, formatCost(s.Cost))
	t.budget(&s)
	t.parameters(&s)
	t.command(&s)
	t.line(fmt.Sprintf("parallel: %d", s.Parallel), "how many trials may run at once")
	t.line("policy: "+formatPolicy(s.Policy), "auto is gittins-d; log-ei-puc with noise or a fidelity")
	t.line(fmt.Sprintf("seed: %d", s.Seed), "the same seed and results give the same trials")
	if s.Noisy {
		t.line("noise: true", "the same setting may return different values")
	} else {
		t.line("# noise: true", "if the same setting may return different values")
	}
	if s.Notify != nil {
		t.line("notify: "+formatNotify(s.Notify), "who is told of a new best, the end, and trouble")
	} else {
		t.line("# notify: {url: https://ntfy.sh/my-study}", "who is told of a new best, the end, and trouble; or {command: [...]}")
	}
	if stop := s.Stop.String(); stop != "" {
		t.line("stop: "+stop, "how much the rest of the money must be expected to gain; never: spend all")
	} else {
		t.line("# stop: never", "spend all, even where the rest is expected to gain next to nothing")
	}
	if s.Engine != nil {
		formatEngine(t, s.Engine)
	}
	if s.StartFrom != "" {
		t.line("start_from: "+quoteText(s.StartFrom), "an earlier, similar study, or a file with its results")
	} else {
		t.line("# start_from: my-last-study", "an earlier, similar study, or a file with its results")
	}
	t.trials(&s)
	return t.String()
}

// template is a study file in the making.
type template struct{ strings.Builder }

// text writes lines as they are, without the line break at the beginning.
func (t *template) text(format string, args ...any) {
	fmt.Fprintf(t, strings.TrimPrefix(format, "\n"), args...)
}

// line writes a line with a comment.
func (t *template) line(text, comment string) { t.text("%-46s # %s\n", text, comment) }

// option writes a key, or an example that is commented out if it has no value.
func (t *template) option(key, value, example, comment string) {
	if value == "" {
		t.line("  # "+key+": "+example, comment)
	} else {
		t.line("  "+key+": "+value, comment)
	}
}

func (t *template) budget(s *Study) {
	unit := "in " + strings.ReplaceAll(s.Cost.Unit, "\n", " ")
	if s.Measured() {
		unit = "a duration such as 2h30m"
	}
	perTrial := ""
	if s.Budget.PerTrial > 0 {
		perTrial = formatAmount(s.Budget.PerTrial, s.Cost.Source)
	}
	t.text("budget:\n")
	t.line("  total: "+formatAmount(s.Budget.Total, s.Cost.Source), "all trials together, "+unit)
	t.option("trials", countText(s.Budget.Trials), "100", "no more trials than this, whatever they cost")
	t.option("per_trial", perTrial, formatAmount(s.Budget.Total/10, s.Cost.Source), "no trial may cost more")
	if s.Budget.Timeout > 0 || !s.Measured() {
		t.option("timeout", durationText(s.Budget.Timeout), "2h", "no trial may take longer, whatever it costs")
	}
	if !s.Measured() && s.Budget.PerTrial > 0 || s.Budget.Over != OverKeep {
		t.line("  over: "+cmp.Or(string(s.Budget.Over), "keep"), "a result that cost more than per_trial: keep it, or cut: it does not count")
	}
	t.line("  limit: "+cmp.Or(string(s.Budget.Limit), "forecast"), "stop a trial that takes far longer than forecast; none: let it run")
	t.option("deadline", durationText(s.Budget.Deadline), "72h", "no trial starts later than this after the first")
}

// countText is a count as the file has it; nothing for none.
func countText(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (t *template) parameters(s *Study) {
	t.text(`

# type: float and int (min, max, log, step), choice and ordered (values), bool, fixed (value).
# A parameter with when exists only where another one has that value, or one of those values; ">= 2" compares.
parameters:
`)
	for _, p := range s.Parameters {
		t.text("  %s: %s\n", quoteYAML(p.Name), formatParam(p))
	}
	if s.Fidelity != nil {
		t.line("fidelity: "+s.Fidelity.String(), "how thorough a trial is; less than the most is a cheaper look")
	}
	if len(s.Where) == 0 {
		t.line("# where: [\"batch * accum <= 512\"]", "only settings that meet all of these are tried")
		return
	}
	t.text("where:\n")
	for _, constraint := range s.Where {
		t.text("  - %s\n", quoteText(constraint))
	}
}

// trials writes settings to try first, or an example from the parameters.
func (t *template) trials(s *Study) {
	t.text("\n# Settings of your own to try first.\n")
	if len(s.Trials) == 0 {
		t.text("# trials: [{%s: …}]\n", quoteYAML(s.Parameters[0].Name))
		return
	}
	t.text("trials:\n")
	for _, setting := range s.Trials {
		t.text("  - %s\n", formatSetting(s.Inputs(), setting))
	}
}

func (t *template) command(s *Study) {
	t.text(`

# The program and its arguments; no shell is involved. {name} is a parameter's value; {trial}, {study},
# {params}, {result} and {dir} are the trial's number, the study, the file with the setting, the file for the
# result and the trial's folder. An argument that mentions a parameter which does not exist is left out.
`)
	if len(s.Command) == 0 {
		t.text("# command: [\"python\", \"train.py\"]\n")
	} else {
		t.text("command:\n")
		for _, argument := range s.Command {
			t.text("  - %s\n", quoteText(argument))
		}
	}
	if len(s.Env) == 0 {
		t.line("# env: {OMP_NUM_THREADS: 4}", "further environment variables")
	} else {
		t.text("env:\n")
		for _, name := range slices.Sorted(maps.Keys(s.Env)) {
			t.text("  %s: %s\n", quoteYAML(name), quoteText(s.Env[name]))
		}
	}
	if s.Workdir == "" {
		t.line("# workdir: .", "where the command runs; this file's folder if not given")
	} else {
		t.line("workdir: "+quoteText(s.Workdir), "where the command runs")
	}
	t.text("\n\n")
}

// withExamples fills in what a study needs.
func (s Study) withExamples() Study {
	s.Name = cmp.Or(s.Name, "my-study")
	s.Objective.Name = cmp.Or(s.Objective.Name, defaultObjective)
	s.Objective.Goal = cmp.Or(s.Objective.Goal, Minimize)
	s.Cost.Source = cmp.Or(s.Cost.Source, Walltime)
	s.Policy.Name = cmp.Or(s.Policy.Name, defaultPolicy)
	s.Policy.Preset = cmp.Or(s.Policy.Preset, PresetDefault)
	s.Parallel = cmp.Or(s.Parallel, defaultParallel)
	unit, total := reportedUnit, 100.0
	if s.Measured() {
		unit, total = walltimeUnit, 3600
	}
	if s.Cost.Source == FromSlurm && s.Engine == nil {
		s.Engine = &Engine{Type: engineSlurm}
	}
	if s.Cost.Source == FromSlurm {
		if s.Cost.Of == "" {
			s.Cost.Of = cmp.Or(s.Cost.Unit, CoreHours)
		}
		unit = s.Cost.Of
		if s.Cost.Price > 0 {
			unit = moneyUnit
		}
	}
	s.Cost.Unit = cmp.Or(s.Cost.Unit, unit)
	s.Budget.Total = cmp.Or(s.Budget.Total, max(total, s.Budget.PerTrial))
	if len(s.Parameters) == 0 {
		s.Parameters = exampleParameters()
		if len(s.Command) == 0 {
			s.Command = append([]string{"python", "train.py"}, flags(s.Parameters)...)
		}
	}
	return s
}

// CommandFor returns a command that gives every parameter to a program as --name=value.
func CommandFor(program []string, parameters []space.Param) []string {
	return append(slices.Clone(program), flags(parameters)...)
}

func flags(parameters []space.Param) []string {
	list := make([]string, len(parameters))
	for i, p := range parameters {
		list[i] = "--" + p.Name + "={" + p.Name + "}"
	}
	return list
}

func exampleParameters() []space.Param {
	return []space.Param{
		{Name: "lr", Kind: space.KindFloat, Min: 1e-5, Max: 0.1, Log: true},
		{Name: "layers", Kind: space.KindInt, Min: 1, Max: 8},
		{Name: "optimizer", Kind: space.KindChoice, Values: []space.Value{space.String("sgd"), space.String("adam")}},
		{Name: "momentum", Kind: space.KindFloat, Min: 0, Max: 0.99,
			When: []space.Condition{{Param: "optimizer", Values: []space.Value{space.String("sgd")}}}},
	}
}
