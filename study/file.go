package study

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eke-bo/eke/internal/cluster"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// MaxFile is the size of the largest study file, in bytes.
const MaxFile = 1 << 20

// maxSeed is the largest whole number that every reader of JSON holds exactly: 2⁵³ − 1.
const maxSeed = 1<<53 - 1

// Parse reads a study file. Messages call the file by name. Parse reports every mistake at once, as Errors; only a file that
// cannot be read as YAML has a single one.
func Parse(raw []byte, name string) (*Study, error) {
	r := &reader{file: name, lines: []string{""}}
	if len(raw) > MaxFile {
		return nil, Errors{{File: name, Problem: fmt.Sprintf("the file has %d bytes, more than %d", len(raw), MaxFile), Hint: "give a study file"}}
	}
	text := string(bytes.TrimPrefix(raw, []byte("\ufeff"))) // some editors begin a file with this mark
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	r.lines = strings.Split(text, "\n")
	if at, ok := badText(r.lines); ok {
		r.fail(at, "", "save the file as UTF-8 text", "this is not text in UTF-8")
		return nil, r.err()
	}
	root := r.readYAML(text)
	if root == nil {
		if len(r.errs) == 0 {
			r.fail(position{1, 1}, "", "begin with: eke init", "the file is empty")
		}
		return nil, r.err()
	}
	s := r.readStudy(root)
	if err := r.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// badText finds what is not UTF-8, and control characters, which mean that the file is of another kind.
func badText(lines []string) (position, bool) {
	for i, line := range lines {
		column := 1
		for j, c := range line {
			_, size := utf8.DecodeRuneInString(line[j:])
			if (c == utf8.RuneError && size == 1) || (isControl(c) && c != '\t') {
				return position{i + 1, column}, true
			}
			column++
		}
	}
	return position{}, false
}

func (r *reader) readStudy(root *node) *Study {
	if root.is != isMapping {
		r.fail(root.at, "", "begin with: eke init", "a study file must be a mapping of keys such as name, budget and parameters, but this is %s", root)
		return nil
	}
	f, _ := r.fields(root, "", studyKeys, "")
	f.at = position{1, 1}
	s := &Study{Parallel: defaultParallel}
	s.Name = r.readName(f.need("name", "write name: my-study"))
	if several := f.m["objectives"]; several == nil {
		s.Objective = r.readObjective(f.need("objective", "write objective: {goal: minimize}"))
	} else if s.Objectives = r.readObjectives(several); s.Several() {
		s.Objective = s.Objectives[0].Objective
	}
	s.Cost = r.readCost(f.need("cost", "write cost: {source: walltime}, or {source: reported, unit: core-hours}"))
	s.Budget = r.readBudget(f.need("budget", "write budget: {total: 200}"), s.Cost)
	s.Parameters = r.readParameters(f.need("parameters", "write parameters: and below, indented, name: {type: float, min: 0, max: 1}"))
	s.Fidelity = r.readFidelity(f.m["fidelity"], s.Parameters)
	inputs := s.Parameters
	if len(inputs) > 0 { // without, nothing is known of names
		inputs = s.Inputs()
	}
	s.Where = r.readWhere(f.m["where"], inputs)
	s.Limits = r.readLimits(f.m["limits"], s)
	r.readChangeover(f, s)
	s.Command = r.readCommand(f.m["command"], inputs)
	s.Env = r.readVariables(f.m["env"], "env", inputs)
	s.Workdir, _ = r.text(f.m["workdir"], "workdir")
	r.readSlots(f, s, inputs)
	r.readProtocol(f, s)
	s.Policy = r.readPolicy(f.m["policy"])
	seed, _ := r.whole(f.m["seed"], "seed", 0, maxSeed)
	s.Seed = uint64(seed)
	s.Noisy = r.flag(f.m["noise"], "noise")
	s.Notify = r.readNotify(f.m["notify"])
	s.Stop = r.readStop(f.m["stop"])
	s.Engine = r.readEngine(f.m["engine"], inputs)
	s.Trials = r.readTrials(f.m["trials"], inputs, s.Where)
	r.checkEngine(f, s)
	s.StartFrom = r.readStartFrom(f.m["start_from"], s)
	r.checkObjectives(f, s)
	return s
}

// A study's name becomes part of file names and addresses.
var (
	studyName  = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`)
	notInNames = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)
	envName    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

func (r *reader) readName(n *node) string {
	name, ok := r.text(n, "name")
	if !ok || studyName.MatchString(name) {
		return name
	}
	hint := "use letters a to z and A to Z, digits, _, - and ., at most 100"
	if better := strings.Trim(notInNames.ReplaceAllString(name, "-"), "-."); studyName.MatchString(better) {
		hint += ": " + better
	}
	r.fail(n.at, "name", hint, "name is %s", quoteShort(name))
	return name
}

func (r *reader) readObjective(n *node) Objective {
	hint := "write objective: {goal: minimize}"
	if n != nil && (n.text == string(Minimize) || n.text == string(Maximize)) {
		hint = "write objective: {goal: " + n.text + "}"
	}
	f, ok := r.fields(n, "objective", objectiveKeys, hint)
	if !ok {
		return Objective{}
	}
	o := Objective{Name: defaultObjective}
	if n := f.m["name"]; n != nil {
		if o.Name, ok = r.text(n, "objective.name"); ok && o.Name == "cost" {
			r.fail(n.at, "objective.name", "give it another name", "name is cost, which a result uses for the cost")
		}
	}
	goal, _ := r.word(f.need("goal", "give "+fault.OneOf(goals)), "objective.goal", goals)
	o.Goal = Goal(goal)
	o.Min, o.Max = r.readBounds(f, "objective")
	return o
}

func (r *reader) readCost(n *node) Cost {
	hint := "write cost: {source: walltime}"
	if n != nil && n.is == isText && n.text == string(Reported) {
		hint = "write cost: {source: reported}"
	}
	f, ok := r.fields(n, "cost", costKeys, hint)
	if !ok {
		return Cost{}
	}
	source, _ := r.word(f.need("source", "give reported (the command says what it cost), walltime (the time it took) or "+engines[0]+" (what its accounting says)"), "cost.source", sources)
	c := Cost{Source: Source(source), Unit: reportedUnit}
	if c.Accounted() {
		return r.readAccounted(f, c)
	}
	for _, key := range []string{"of", "price", "rate"} {
		if n := f.m[key]; n != nil && source != "" {
			r.fail(n.keyAt, "cost."+key, "leave it out, or write source: "+engines[0], "%s is for costs that %s accounts for", key, cluster.Find(engines[0]).Title)
		}
	}
	r.refusePrices(f)
	if c.Source == Walltime {
		c.Unit = walltimeUnit
	}
	if unit, ok := r.text(f.m["unit"], "cost.unit"); ok {
		if c.Source == Walltime && unit != walltimeUnit {
			r.fail(f.m["unit"].at, "cost.unit", "leave it out, and give amounts as durations such as 2h30m", "unit is %s, but wall time is counted in seconds", quoteShort(unit))
		}
		c.Unit = unit
	}
	return c
}

// readVariables reads environment variables. Numbers and bools are kept as they are written, since a variable is text anyway.
func (r *reader) readVariables(n *node, path string, params []space.Param) map[string]string {
	if !r.expect(n, isMapping, path, "a mapping", "write env: {OMP_NUM_THREADS: 4}") {
		return nil
	}
	var env map[string]string
	for _, e := range n.entries {
		path, v := path+"."+e.key, e.value
		switch {
		case !envName.MatchString(e.key):
			r.fail(v.keyAt, path, "use letters a to z and A to Z, digits and _", "%s is not the name of a variable", strconv.Quote(e.key))
			continue
		case strings.HasPrefix(e.key, "EKE_"):
			r.fail(v.keyAt, path, "give it another name", "names that begin with EKE_ are set for every trial")
			continue
		case v.is != isText && v.is != isNumber && v.is != isBool:
			r.wrongType(v, path, "a text", `give a text; "" for an empty one`)
			continue
		case strings.ContainsRune(v.text, 0):
			r.fail(v.at, path, "leave it out", "%s has a NUL, which no variable can carry", e.key)
			continue
		}
		r.checkPlaceholders(v, path, params)
		if env == nil {
			env = map[string]string{}
		}
		env[e.key] = v.text
	}
	return env
}

// Every key that a study file may have, by what it belongs to. The JSON schema lists the same.
var (
	studyKeys     = []string{"name", "objective", "objectives", "cost", "budget", "parameters", "fidelity", "where", "limits", "changeover", "initial", "command", "protocol", "env", "workdir", "parallel", "slots", "gpus", "policy", "seed", "noise", "notify", "stop", "engine", "trials", "start_from"}
	objectiveKeys = []string{"name", "goal", "min", "max"}
	aimKeys       = []string{"goal", "worst", "min", "max"}
	limitKeys     = []string{"max", "min", "unit", "exceeded_by"}
	exceededKeys  = []string{"stderr", "exit"}
	costKeys      = []string{"unit", "source", "of", "price", "rate", "prices", "node_prices", "from"}
	budgetKeys    = []string{"total", "trials", "per_trial", "over", "timeout", "limit", "deadline"}
	policyKeys    = []string{"name", "preset", "fantasies", "design"}
	engineKeys    = []string{"type", "options", "time", "poll", "setup", "save", "namespace", "image", "template", "resources", "queue", "context"}
	fidelityKeys  = []string{"name", "min", "max", "log", "steps", "resume", "stop_early", "count"}
	stopKeys      = []string{"gain"}
	notifyKeys    = []string{"command", "url", "on"}
	parameterKeys = []string{"type", "min", "max", "step", "log", "values", "value", "default", "when"}
)

// Every word that stands for one of several possibilities.
var (
	goals   = []string{string(Minimize), string(Maximize)}
	sources = append([]string{string(Reported), string(Walltime)}, EngineTypes()...)
	engines = EngineTypes()
	presets = []string{string(PresetDefault), string(PresetThorough), string(PresetPaper)}
	limits  = []string{"forecast", string(LimitNone)}
	overs   = []string{"keep", string(OverCut)}
)

// keysOf says which keys each type of parameter needs, and which it may have; all may have when.
var keysOf = map[space.Kind]struct{ needs, may []string }{
	space.KindFloat:   {[]string{"min", "max"}, []string{"step", "log", "default"}},
	space.KindInt:     {[]string{"min", "max"}, []string{"step", "log", "default"}},
	space.KindChoice:  {[]string{"values"}, []string{"default"}},
	space.KindOrdered: {[]string{"values"}, []string{"default"}},
	space.KindBool:    {nil, []string{"default"}},
	space.KindFixed:   {[]string{"value"}, nil},
}

// MaxAmount is the largest cost or budget. It keeps sums of costs exact enough for the ledger; as seconds it is 30 million years.
const MaxAmount = 1e15

// maxTrials is more trials than any log holds.
const maxTrials = 1e9

func (r *reader) readBudget(n *node, cost Cost) Budget {
	f, ok := r.fields(n, "budget", budgetKeys, "write budget: {total: 200}")
	if !ok {
		return Budget{}
	}
	var b Budget
	total := f.need("total", "give the amount that all trials together may cost")
	b.Total, ok = r.amount(total, "budget.total", cost)
	limit, limited := r.amount(f.m["per_trial"], "budget.per_trial", cost)
	b.PerTrial = limit
	if ok && limited && limit > b.Total {
		r.fail(f.m["per_trial"].at, "budget.per_trial", "give at most the total, or leave it out", "per_trial is %s, above the total of %s",
			f.m["per_trial"].text, total.text)
	}
	if count, ok := r.whole(f.m["trials"], "budget.trials", 1, maxTrials); ok {
		b.Trials = int(count)
	}
	if word, ok := r.word(f.m["limit"], "budget.limit", limits); ok && word == string(LimitNone) {
		b.Limit = LimitNone
	}
	if word, ok := r.word(f.m["over"], "budget.over", overs); ok && word == string(OverCut) {
		b.Over = OverCut
	}
	b.Timeout = r.duration(f.m["timeout"], "budget.timeout")
	b.Deadline = r.duration(f.m["deadline"], "budget.deadline")
	return b
}

// amount reads a cost: a number of units or, where wall time is the cost, a duration or a number
// of seconds.
func (r *reader) amount(n *node, path string, cost Cost) (float64, bool) {
	if n == nil {
		return 0, false
	}
	amount, ok := 0.0, false
	switch _, isDuration := parseDuration(n.text); {
	case n.is == isText && cost.Source == Walltime && !decimal.MatchString(n.text):
		var d time.Duration
		if d, ok = r.parsedDuration(n, path); ok {
			amount = d.Seconds()
		}
	case n.is == isText && isDuration:
		r.fail(n.at, path, "give a number of "+cost.Unit+", or cost: {source: walltime}", "%s is the duration %s, but the cost is counted in %s",
			last(path), n.text, cost.Unit)
	case n.is == isText && withUnit.MatchString(n.text) && !decimal.MatchString(n.text):
		r.fail(n.at, path, "write "+withUnit.FindStringSubmatch(n.text)[1]+"; that it counts "+cost.Unit+" is said in cost.unit", "%s is %s, but must be a number", last(path), quoteShort(n.text))
	default:
		amount, ok = r.number(n, path)
	}
	if ok && !(amount > 0 && amount <= MaxAmount) {
		r.fail(n.at, path, fmt.Sprintf("give an amount above 0 and up to %g", MaxAmount), "%s is %s", last(path), n.text)
		return 0, false
	}
	return amount, ok
}

// duration reads a duration above zero.
func (r *reader) duration(n *node, path string) time.Duration {
	switch {
	case n == nil:
		return 0
	case n.is == isNumber:
		r.fail(n.at, path, "give it a unit: "+n.text+"s, "+n.text+"m or "+n.text+"h", "%s is the number %s, but must be a duration", last(path), n.text)
		return 0
	case n.is != isText:
		r.wrongType(n, path, "a duration", "give a duration such as 2h30m")
		return 0
	}
	d, ok := r.parsedDuration(n, path)
	if ok && d <= 0 {
		r.fail(n.at, path, "give a duration above zero", "%s is %s", last(path), n.text)
		return 0
	}
	return d
}

func (r *reader) parsedDuration(n *node, path string) (time.Duration, bool) {
	d, ok := parseDuration(n.text)
	if !ok {
		hint := "give a duration such as 2h30m or 90s"
		if _, below := parseDuration(strings.TrimPrefix(n.text, "-")); below {
			hint = "give a duration above zero"
		}
		if m := inWords.FindStringSubmatch(strings.ToLower(n.text)); m != nil {
			unit := m[2][:1]
			if x, err := strconv.ParseFloat(m[1], 64); err == nil && unit == "d" && x < 1e5 {
				m[1], unit = strconv.FormatFloat(x*24, 'f', -1, 64), "h"
			}
			if text := m[1] + unit; goDuration.MatchString(text) {
				hint = "write " + text
			}
		}
		r.fail(n.at, path, hint, "%s is %s, which is not a duration", last(path), quoteShort(n.text))
	}
	return d, ok
}

var (
	inWords = regexp.MustCompile(`^(\d+(?:\.\d+)?) ?(d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)$`)
	// a number with its unit after or a sign such as $ before it
	withUnit = regexp.MustCompile(`^\p{Sc}? ?(\d+(?:\.\d+)?)[^\d.,]*$`)
	// durations as Go has them, each number with its unit; a sign or a bare 0 makes no sense here.
	goDuration = regexp.MustCompile(`^(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`)
)

func parseDuration(text string) (time.Duration, bool) {
	if !goDuration.MatchString(text) {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	return d, err == nil
}

// formatDuration is Duration.String without the zeros at the end: 72h, not 72h0m0s.
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// formatAmount writes a cost so that it reads back as the same number.
func formatAmount(x float64, source Source) string {
	if source == Walltime && x < 1e9 {
		if d := time.Duration(math.Round(x * 1e9)); d > 0 && d.Seconds() == x {
			return formatDuration(d)
		}
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
