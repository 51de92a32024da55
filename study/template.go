package study

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eke-bo/eke/space"
)

// Template returns a commented study file for s. Fields that are zero become examples or defaults, so that the zero Study gives
// a file to begin with. The file is valid if s is.
func Template(s Study) string {
	s = s.withExamples()
	var b strings.Builder
	line := func(text, comment string) {
		if comment != "" {
			text = fmt.Sprintf("%-46s # %s", text, comment)
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	line("# A study: what may vary, what it may cost, and how to try a setting.", "")
	line("# Check it with: eke validate FILE. Run it with: eke run FILE.", "")
	line("name: "+quoteYAML(s.Name), "")
	line("", "")
	line("# What a trial returns, and whether small or large values are good: minimize | maximize.", "")
	line(fmt.Sprintf("objective: {name: %s, goal: %s}", quoteYAML(s.Objective.Name), s.Objective.Goal), "")
	line("", "")
	line("# What a trial costs: walltime (the time it takes) or reported (the command says it).", "")
	line(fmt.Sprintf("cost: {source: %s, unit: %s}", s.Cost.Source, quoteYAML(s.Cost.Unit)), "")
	line("", "")
	s.writeBudget(line)
	line("", "")
	s.writeParameters(line)
	line("", "")
	s.writeCommand(line)
	line("", "")
	line(fmt.Sprintf("parallel: %d", s.Parallel), "how many trials may run at once")
	line("policy: "+formatPolicy(s.Policy), "how settings are chosen; auto decides by the size of the study")
	line(fmt.Sprintf("seed: %d", s.Seed), "the same seed and results give the same trials")
	if s.Noisy {
		line("noise: true", "the same setting may return different values")
	} else {
		line("# noise: true", "if the same setting may return different values")
	}
	return b.String()
}

func (s Study) writeBudget(line func(text, comment string)) {
	unit := "in " + s.Cost.Unit
	if s.Measured() {
		unit = "a duration such as 2h30m"
	}
	line("budget:", "")
	line("  total: "+formatAmount(s.Budget.Total, s.Cost.Source), "all trials together, "+strings.ReplaceAll(unit, "\n", " "))
	if limit := s.Budget.PerTrial; limit > 0 {
		line("  per_trial: "+formatAmount(limit, s.Cost.Source), "no trial may cost more")
	} else {
		line("  # per_trial: "+formatAmount(s.Budget.Total/10, s.Cost.Source), "no trial may cost more")
	}
	if timeout := s.Budget.Timeout; timeout > 0 {
		line("  timeout: "+formatDuration(timeout), "no trial may take longer, whatever it costs")
	} else if !s.Measured() {
		line("  # timeout: 2h", "no trial may take longer, whatever it costs")
	}
	if deadline := s.Budget.Deadline; deadline > 0 {
		line("  deadline: "+formatDuration(deadline), "no trial starts later than this after the first")
	} else {
		line("  # deadline: 72h", "no trial starts later than this after the first")
	}
}

func (s Study) writeParameters(line func(text, comment string)) {
	line("# type: float and int (min, max, log; int: step), choice and ordered (values), bool, fixed (value).", "")
	line("# A parameter with when exists only where another one has that value, or one of those values.", "")
	line("parameters:", "")
	for _, p := range s.Parameters {
		line("  "+quoteYAML(p.Name)+": "+formatParam(p), "")
	}
}

func (s Study) writeCommand(line func(text, comment string)) {
	line("# The program and its arguments; no shell is involved. {name} is a parameter's value; {trial}, {study},", "")
	line("# {params}, {result} and {dir} are the trial's number, the study, the file with the setting, the file for the", "")
	line("# result and the trial's folder. An argument that mentions a parameter which does not exist is left out.", "")
	if len(s.Command) == 0 {
		line("# command: [\"python\", \"train.py\"]", "")
	} else {
		line("command:", "")
		for _, argument := range s.Command {
			line("  - "+quoteText(argument), "")
		}
	}
	if len(s.Env) == 0 {
		line("# env: {OMP_NUM_THREADS: 4}", "further environment variables")
	} else {
		line("env:", "")
		for _, name := range slices.Sorted(maps.Keys(s.Env)) {
			line("  "+quoteYAML(name)+": "+quoteText(s.Env[name]), "")
		}
	}
	if s.Workdir == "" {
		line("# workdir: .", "where the command runs; this file's folder if not given")
	} else {
		line("workdir: "+quoteText(s.Workdir), "where the command runs")
	}
}

// withExamples fills in what a study needs.
func (s Study) withExamples() Study {
	or := func(field *string, text string) {
		if *field == "" {
			*field = text
		}
	}
	or(&s.Name, "my-study")
	or(&s.Objective.Name, defaultObjective)
	or((*string)(&s.Objective.Goal), string(Minimize))
	or((*string)(&s.Cost.Source), string(Walltime))
	or(&s.Policy.Name, defaultPolicy)
	or((*string)(&s.Policy.Preset), string(PresetDefault))
	if s.Parallel == 0 {
		s.Parallel = defaultParallel
	}
	if s.Measured() {
		or(&s.Cost.Unit, walltimeUnit)
	} else {
		or(&s.Cost.Unit, reportedUnit)
	}
	if s.Budget.Total == 0 {
		if s.Budget.Total = 100; s.Measured() {
			s.Budget.Total = 3600
		}
		s.Budget.Total = max(s.Budget.Total, s.Budget.PerTrial)
	}
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
