package study

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// MaxFile is the size of the largest study file, in bytes.
const MaxFile = 1 << 20

// maxSeed is the largest whole number that every reader of JSON holds exactly: 2⁵³ − 1.
const maxSeed = 1<<53 - 1

// Parse reads a study file. Messages call the file by name. Parse reports every mistake at once, as Errors; only a file that is
// not YAML has a single one.
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
	s.Objective = r.readObjective(f.need("objective", "write objective: {goal: minimize}"))
	s.Cost = r.readCost(f.need("cost", "write cost: {source: walltime}, or {source: reported, unit: core-hours}"))
	s.Budget = r.readBudget(f.need("budget", "write budget: {total: 200}"), s.Cost)
	s.Parameters = r.readParameters(f.need("parameters", "write parameters: and below, indented, name: {type: float, min: 0, max: 1}"))
	s.Fidelity = r.readFidelity(f.m["fidelity"], s.Parameters)
	inputs := s.Parameters
	if len(inputs) > 0 { // without, nothing is known of names
		inputs = s.Inputs()
	}
	s.Where = r.readWhere(f.m["where"], inputs)
	s.Command = r.readCommand(f.m["command"], inputs)
	s.Env = r.readEnv(f.m["env"], inputs)
	s.Workdir, _ = r.text(f.m["workdir"], "workdir")
	if count, ok := r.whole(f.m["parallel"], "parallel", 1, maxParallel); ok {
		s.Parallel = int(count)
	}
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
	if s.StartFrom != "" && s.Fidelity != nil {
		r.fail(f.m["start_from"].at, "start_from", "leave out one of them", "start_from does not go with fidelity")
	}
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
	source, _ := r.word(f.need("source", "give reported (the command says what it cost), walltime (the time it took) or slurm (what its accounting says)"), "cost.source", sources)
	c := Cost{Source: Source(source), Unit: reportedUnit}
	if c.Source == FromSlurm {
		return r.readSlurmCost(f, c)
	}
	for _, key := range []string{"of", "price", "rate"} {
		if n := f.m[key]; n != nil && source != "" {
			r.fail(n.keyAt, "cost."+key, "leave it out, or write source: slurm", "%s is for costs that Slurm accounts for", key)
		}
	}
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

// readEnv reads environment variables. Numbers and bools are kept as they are written, since a variable is text anyway.
func (r *reader) readEnv(n *node, params []space.Param) map[string]string {
	if !r.expect(n, isMapping, "env", "a mapping", "write env: {OMP_NUM_THREADS: 4}") {
		return nil
	}
	var env map[string]string
	for _, e := range n.entries {
		path, v := "env."+e.key, e.value
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
