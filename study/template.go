package study

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
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
# min and max, such as min: 0, say what it can be at least and at most: no forecast goes beyond.
%s

# What a trial costs: walltime (the time it takes), reported (the command says it) or %s (its accounting says it).
cost: %s

`, quoteYAML(s.Name), formatObjective(&s), engines[0], formatCost(s.Cost))
	t.budget(&s)
	t.parameters(&s)
	t.command(&s)
	if s.Parallel != 0 {
		t.line(fmt.Sprintf("parallel: %d", s.Parallel), "how many trials may run at once")
	}
	t.slots(&s)
	t.line("policy: "+formatPolicy(s.Policy), "auto is gittins-d; log-ei-puc with noise, fidelity, several objectives")
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

// formatObjective writes the objective, or all of them.
func formatObjective(s *Study) string {
	if s.Several() {
		return "objectives: " + formatObjectives(s.Objectives)
	}
	return fmt.Sprintf("objective: {name: %s, goal: %s%s}", quoteYAML(s.Objective.Name), s.Objective.Goal, s.Objective.formatBounds())
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
	if len(s.Command) > 0 || s.Budget.Limit != LimitForecast {
		t.line("  limit: "+cmp.Or(string(s.Budget.Limit), "forecast"), "stop a trial that takes far longer than forecast; none: let it run")
	}
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
	} else if !s.Several() {
		t.line("# fidelity: {name: epochs, min: 1, max: 81, log: true}", "if trials can be cheaper and less exact: {epochs}")
	}
	if len(s.Where) == 0 {
		t.line("# where: [\"batch * accum <= 512\"]", "only settings that meet all of these are tried")
	} else {
		t.text("where:\n")
		for _, constraint := range s.Where {
			t.text("  - %s\n", quoteText(constraint))
		}
	}
	if len(s.Limits) == 0 {
		t.line("# limits: {memory: {max: 8, unit: GB}}", "what a trial reports has to meet these, or its value does not count")
	} else {
		t.text("limits:\n")
		for _, name := range s.Limits.Names() {
			t.text("  %s: %s\n", quoteYAML(name), s.Limits[name])
		}
	}
	t.changeover(s)
}

// changeover writes the prices of changes.
func (t *template) changeover(s *Study) {
	if len(s.Changeover) == 0 {
		return
	}
	t.text("changeover: # what it costs to change parameters from one trial to the next\n")
	for _, c := range s.Changeover {
		t.text("  - %s\n", c)
	}
	if len(s.Initial) > 0 {
		t.line("initial: "+formatSetting(s.Parameters, s.Initial), "what is set before the first trial")
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
	if s.Protocol != "" {
		t.line("protocol: "+string(s.Protocol), "the command stays alive: a setting per line in, a result per line out")
	} else if s.Engine == nil {
		t.line("# protocol: lines", "the command stays alive: a setting per line in, a result per line out")
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

// slots writes the places for trials on a machine.
func (t *template) slots(s *Study) {
	if s.GPUs != "" {
		t.line("gpus: "+s.GPUs, "every GPU is a slot, for one trial at a time")
	}
	if len(s.Slots) == 0 {
		if s.GPUs == "" && s.Engine == nil {
			t.line("# gpus: auto", "a GPU for each trial; or slots: [{env: {CUDA_VISIBLE_DEVICES: \"0\"}}]")
		}
		return
	}
	t.text("slots: # one trial at a time in each\n")
	for _, slot := range s.Slots {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(slot.Env)) {
			list = append(list, quoteYAML(name)+": "+quoteText(slot.Env[name]))
		}
		t.text("  - {env: {%s}}\n", strings.Join(list, ", "))
	}
}

// withExamples fills in what a study needs.
func (s Study) withExamples() Study {
	s.Name = cmp.Or(s.Name, "my-study")
	s.Objective.Name = cmp.Or(s.Objective.Name, defaultObjective)
	s.Objective.Goal = cmp.Or(s.Objective.Goal, Minimize)
	s.Cost.Source = cmp.Or(s.Cost.Source, Walltime)
	s.Policy.Name = cmp.Or(s.Policy.Name, defaultPolicy)
	s.Policy.Preset = cmp.Or(s.Policy.Preset, PresetDefault)
	if s.GPUs == "" { // otherwise it is one on each
		s.Parallel = cmp.Or(s.Parallel, defaultParallel)
	}
	unit, total := reportedUnit, 100.0
	if s.Measured() {
		unit, total = walltimeUnit, 3600
	}
	if s.Cost.Accounted() && s.Engine == nil {
		s.Engine = &Engine{Type: string(s.Cost.Source)}
	}
	if s.OnCluster() && s.Engine.kind().Priced {
		e := *s.Engine
		if e.Image == "" && e.Template == "" {
			e.Image = "python:3"
		}
		if len(e.Resources) == 0 && s.Cost.Rate == 0 {
			e.Resources = map[string]string{"cpu": "1"}
		}
		s.Engine = &e
	}
	if s.Cost.Accounted() && len(s.Cost.Prices) > 0 {
		unit = moneyUnit
	} else if s.Cost.Accounted() {
		if s.Cost.Of == "" {
			s.Cost.Of = cmp.Or(s.Cost.Unit, s.Cost.Units()[0])
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

// Each of these writes a part of a study file that reads back as the same.

func formatCost(c Cost) string {
	parts := []string{"source: " + string(c.Source), "unit: " + quoteYAML(c.Unit)}
	if c.Of != "" && c.Of != c.Unit {
		parts = append(parts, "of: "+c.Of)
	}
	if c.Price > 0 {
		parts = append(parts, "price: "+formatNumber(c.Price))
	}
	if c.Rate > 0 {
		parts = append(parts, "rate: "+formatNumber(c.Rate))
	}
	if len(c.Prices) > 0 {
		parts = append(parts, "prices: "+formatPrices(c.Prices))
	}
	if len(c.NodePrices) > 0 {
		var nodes []string
		for _, label := range slices.Sorted(maps.Keys(c.NodePrices)) {
			nodes = append(nodes, quoteText(label)+": "+formatPrices(c.NodePrices[label]))
		}
		parts = append(parts, "node_prices: {"+strings.Join(nodes, ", ")+"}")
	}
	if c.From != "" {
		parts = append(parts, "from: "+c.From)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func formatPolicy(p Policy) string {
	parts := []string{"name: " + quoteYAML(p.Name)}
	if p.Preset != PresetDefault {
		parts = append(parts, "preset: "+string(p.Preset))
	}
	if len(p.Fantasies) > 0 {
		counts := make([]string, len(p.Fantasies))
		for i, m := range p.Fantasies {
			counts[i] = strconv.Itoa(m)
		}
		parts = append(parts, "fantasies: ["+strings.Join(counts, ", ")+"]")
	}
	if p.Design > 0 {
		parts = append(parts, fmt.Sprintf("design: %d", p.Design))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func formatParam(p space.Param) string {
	parts := []string{"type: " + string(p.Kind)}
	switch p.Kind {
	case space.KindFloat, space.KindInt:
		parts = append(parts, "min: "+formatNumber(p.Min), "max: "+formatNumber(p.Max))
		if p.Step != 0 {
			parts = append(parts, "step: "+formatNumber(p.Step))
		}
		if p.Log {
			parts = append(parts, "log: true")
		}
	case space.KindChoice, space.KindOrdered:
		parts = append(parts, "values: "+formatValues(p.Values))
	case space.KindFixed:
		parts = append(parts, "value: "+formatValue(p.Value))
	}
	if !p.Default.IsZero() {
		parts = append(parts, "default: "+formatValue(p.Default))
	}
	if len(p.When) > 0 {
		conditions := make([]string, len(p.When))
		for i, c := range p.When {
			values := formatValues(c.Values)
			if len(c.Values) == 1 {
				values = formatValue(c.Values[0])
			}
			conditions[i] = quoteYAML(c.Param) + ": " + values
		}
		parts = append(parts, "when: {"+strings.Join(conditions, ", ")+"}")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func formatSetting(params []space.Param, setting space.Setting) string {
	var parts []string
	for _, p := range params {
		if v, ok := setting[p.Name]; ok {
			parts = append(parts, quoteYAML(p.Name)+": "+formatValue(v))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// formatNumber writes 1e-5 and 0.001: whichever is shorter.
func formatNumber(x float64) string {
	plain, short := space.Float(x).String(), strings.Replace(strconv.FormatFloat(x, 'e', -1, 64), "e-0", "e-", 1)
	if len(short) < len(plain) {
		return strings.Replace(short, "e+0", "e", 1)
	}
	return plain
}

func formatValues(values []space.Value) string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = formatValue(v)
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// formatValue keeps the type: 1.0 is a float and 1 an int.
func formatValue(v space.Value) string {
	switch x := v.Any().(type) {
	case string:
		return quoteYAML(x)
	case float64:
		if text := v.String(); strings.ContainsAny(text, ".e") {
			return text
		}
		return v.String() + ".0"
	}
	return v.String()
}

// safeWord matches texts that need no quotes anywhere in YAML; the words that some reader or other takes for a bool
// or for nothing are not among them.
var (
	safeWord   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*$`)
	unsafeWord = regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n|nan|inf|infinity)$`)
)

// quoteYAML writes a text, with quotes if it needs them.
func quoteYAML(text string) string {
	if safeWord.MatchString(text) && !unsafeWord.MatchString(text) {
		return text
	}
	return quoteText(text)
}

// quoteText writes a text in double quotes. Of all escapes only those are used that every reader of YAML knows.
func quoteText(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || (c >= 0x7f && c <= 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
