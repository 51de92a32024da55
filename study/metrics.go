package study

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eke-bo/eke/internal/fault"
)

// Metrics are the numbers that a trial reported besides its value and its cost, by name.
type Metrics map[string]float64

// How many metrics a trial may have, and how long their names may be.
const (
	MaxMetrics    = 200
	MaxMetricName = 100 // characters
)

// IsMetric reports whether a number of that name can be kept with a trial.
func IsMetric(name string, x float64) bool {
	return metricName(name) && !math.IsNaN(x) && !math.IsInf(x, 0)
}

func metricName(name string) bool {
	return name != "" && name != "cost" && utf8.ValidString(name) && utf8.RuneCountInString(name) <= MaxMetricName && name == strings.TrimSpace(name) && !strings.ContainsFunc(name, isControl)
}

// Names returns the names of the metrics, sorted.
func (m Metrics) Names() []string { return slices.Sorted(maps.Keys(m)) }

// check returns an error that names the first metric that cannot be kept.
func (m Metrics) check() error {
	if len(m) > MaxMetrics {
		return fault.New(fault.BadRequest, fmt.Sprintf("report at most %d", MaxMetrics), "there are %d metrics", len(m))
	}
	for _, name := range m.Names() {
		switch {
		case !metricName(name):
			return fault.New(fault.BadRequest, fmt.Sprintf("give a name of one line and at most %d characters", MaxMetricName), "a metric is called %s", quoteShort(name))
		case !IsMetric(name, m[name]):
			return fault.New(fault.BadRequest, "give a finite number, or leave it out", "%s is %v", name, m[name])
		}
	}
	return nil
}

// with returns the metrics with others in place of metrics of the same names.
func (m Metrics) with(other Metrics) Metrics {
	if len(other) == 0 {
		return m
	}
	all := Metrics{}
	maps.Copy(all, m)
	maps.Copy(all, other)
	return all
}

// Has reports whether the metrics have others among them.
func (m Metrics) Has(other Metrics) bool {
	for name, x := range other {
		if now, known := m[name]; !known || now != x {
			return false
		}
	}
	return true
}

// Misnamed returns an error for the first of the given metrics whose name is probably a slip. The name differs by case, or by one letter, from
// the name of a metric that an objective or a limit needs and that is missing. A result that nobody can repeat is kept all the same; see
// Whole.
func (s *Study) Misnamed(given, known Metrics) error {
	if name, meant := s.misnamed(given, known); meant != "" {
		return fault.New(fault.BadRequest, fmt.Sprintf("did you mean %s? If not, give %s as well", meant, meant), "a metric is called %s, and there is no %s", name, meant)
	}
	return nil
}

func (s *Study) misnamed(given, known Metrics) (name, meant string) {
	needed := slices.Concat(s.Missing(nil), s.Limits.Names())
	all := known.with(given)
	for _, name := range given.Names() {
		for _, meant := range needed {
			if _, is := all[meant]; !is && !slices.Contains(needed, name) && isSlip(name, meant) {
				return name, meant
			}
		}
	}
	return "", ""
}

// isSlip says whether two names differ by case or, if neither is short, by a single slip that is not in a digit: p95 is not p99.
func isSlip(a, b string) bool {
	digits := func(text string) string {
		return strings.Map(func(c rune) rune {
			if unicode.IsDigit(c) {
				return c
			}
			return -1
		}, text)
	}
	const short = 4 // letters; of a shorter name, one letter is too much of it
	a, b = strings.ToLower(a), strings.ToLower(b)
	return a == b || min(utf8.RuneCountInString(a), utf8.RuneCountInString(b)) >= short && digits(a) == digits(b) && distance(a, b) == 1
}

// MetricNames returns the names of all metrics that trials have, sorted.
func MetricNames(trials []Trial) []string {
	all := map[string]bool{}
	for _, t := range trials {
		for name := range t.Metrics {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// Limits has the limits on quantities that trials report, by name. A trial's value counts only if it meets all of them.
type Limits map[string]Bound

// Bound is the limit on one quantity. It has a Max, a Min or both. In Config.Bound of package eke it says what values can be.
type Bound struct {
	Max        *float64    `json:"max,omitempty"`         // Max is the most that the quantity may be; nil: there is no such limit.
	Min        *float64    `json:"min,omitempty"`         // Min is the least that it may be; nil: there is no such limit.
	Unit       string      `json:"unit,omitempty"`        // Unit is what it is counted in, such as GB. It is shown, and otherwise means nothing.
	ExceededBy *ExceededBy `json:"exceeded_by,omitempty"` // ExceededBy says which failures mean that the quantity was beyond the limit; nil: none does.
}

// UnmarshalJSON reads a limit in either of the forms of a study file: {"max": 8}, or "<= 8".
func (b *Bound) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		r := &reader{file: "limits", lines: []string{""}}
		read, ok := r.readComparison(&node{is: isText, text: text}, "limit")
		if !ok {
			return fault.New(fault.BadStudy, r.errs[0].Hint, "%s", r.errs[0].Problem)
		}
		*b = read
		return nil
	}
	type plain Bound
	var read plain
	err := json.Unmarshal(raw, &read)
	*b = Bound(read)
	return err
}

// ExceededBy tells the failures of trials that went beyond a limit from others. Either sign is enough.
type ExceededBy struct {
	Stderr string `json:"stderr,omitempty"` // Stderr is a text at the end of what such a trial printed on stderr, in upper or lower case.
	Exit   []int  `json:"exit,omitempty"`   // Exit are exit codes of such a trial. A signal has the code that shells give it: 137 is SIGKILL.
}

// Names returns the names of the limited quantities, sorted.
func (l Limits) Names() []string { return slices.Sorted(maps.Keys(l)) }

// Meets reports whether a quantity is within the limit.
func (b Bound) Meets(x float64) bool {
	return (b.Max == nil || x <= *b.Max) && (b.Min == nil || x >= *b.Min)
}

// Below returns the number that a quantity must be below, if Max is the last number before that, as "< 3" is read.
func (b Bound) Below() (x float64, ok bool) { return strictEnd(b.Max, math.Inf(1)) }

// Above returns the number that a quantity must be above, if Min is the first number after that, as "> 3" is read.
func (b Bound) Above() (x float64, ok bool) { return strictEnd(b.Min, math.Inf(-1)) }

// strictEnd returns the number next to an end if that is the rounder of the two: then it was meant.
func strictEnd(end *float64, to float64) (x float64, ok bool) {
	if end == nil {
		return 0, false
	}
	digits := func(x float64) int { return len(strconv.FormatFloat(math.Abs(x), 'e', -1, 64)) }
	x = math.Nextafter(*end, to)
	return x, digits(x) < digits(*end)
}

// Violated returns the names of the limits that metrics do not meet, or are not known to meet.
func (l Limits) Violated(m Metrics) (list []string) {
	for _, name := range l.Names() {
		if x, known := m[name]; !known || !l[name].Meets(x) {
			list = append(list, name)
		}
	}
	return list
}

// resultsAtFirst is how many results without a limited quantity are enough: a command that never reports it will not begin to.
const resultsAtFirst = 3

// Unreported returns, by name, the limits on quantities that neither the record nor reported has. With fewer than three results it returns none.
func (l Limits) Unreported(r *Record, results int, reported Metrics) (list []string) {
	if results < resultsAtFirst {
		return nil
	}
	for _, name := range l.Names() {
		_, known := reported[name]
		for i := 0; i < len(r.Trials) && !known; i++ {
			_, known = r.Trials[i].Metrics[name]
		}
		for i := 0; i < len(r.Known) && !known; i++ {
			_, known = r.Known[i].Metrics[name]
		}
		if !known {
			list = append(list, name)
		}
	}
	return list
}

// Exceeded returns the limits that a trial without a value went beyond, by its exit and by the end of what it said.
func (l Limits) Exceeded(exit *Exit, said string) (list []string) {
	for _, name := range l.Names() {
		if by := l[name].ExceededBy; by != nil && by.matches(exit, said) {
			list = append(list, name)
		}
	}
	return list
}

func (e *ExceededBy) matches(exit *Exit, said string) bool {
	if exit != nil && slices.Contains(e.Exit, exit.shellCode()) {
		return true
	}
	return e.Stderr != "" && strings.Contains(strings.ToLower(said), strings.ToLower(e.Stderr))
}

// signals are the numbers of signals that end programs, the same on all systems.
var signals = map[string]int{"SIGHUP": 1, "SIGINT": 2, "SIGQUIT": 3, "SIGILL": 4, "SIGTRAP": 5, "SIGABRT": 6, "SIGFPE": 8, "SIGKILL": 9, "SIGSEGV": 11, "SIGPIPE": 13, "SIGALRM": 14, "SIGTERM": 15, "SIGXCPU": 24, "SIGXFSZ": 25}

// shellCode is the exit code as a shell has it: for a signal, 128 more than its number.
func (e Exit) shellCode() int {
	if n := signals[e.Signal]; n > 0 {
		return 128 + n
	}
	return e.Code
}

// LimitsOf returns the limits of a study's definition in JSON.
func LimitsOf(definition json.RawMessage) (Limits, error) {
	var s struct {
		Limits Limits `json:"limits"`
	}
	if len(definition) == 0 {
		return nil, nil
	}
	err := json.Unmarshal(definition, &s)
	return s.Limits, err
}

// Judge judges all that was measured by limits.
func (r *Record) Judge(limits Limits) {
	if !reflect.DeepEqual(r.Limits, limits) {
		r.Limits, r.Judged = limits, len(r.Trials)
	}
	for i := range r.Trials {
		t := &r.Trials[i]
		t.Violates = r.violated(t.State, t.Metrics)
	}
	for i := range r.Known {
		r.Known[i].Violates = r.violated(Done, r.Known[i].Metrics)
	}
}

// violated returns the limits that a trial in a state violates. Only one that is done is judged.
func (r *Record) violated(state State, m Metrics) []string {
	if state != Done {
		return nil
	}
	return r.Limits.Violated(m)
}

const limitHint = `write limits: {memory: {max: 8, unit: GB}} or {memory: "<= 8"}`

// rangeHint says how a limit with two ends is written; a limit cannot have a gap.
const rangeHint = "write a range as {min: 3, max: 5}; a limit has one most, one least or both"

// comparison matches a limit in one line, such as <= 8 GB.
var comparison = regexp.MustCompile(`^\s*(<=|>=|<|>|==|=|≤|≥)\s*([-+]?[0-9.][0-9.eE+-]*)\s*(.*?)\s*$`)

var (
	and          = regexp.MustCompile(`(?i)\s+and\s+`)
	furtherLimit = regexp.MustCompile(`(?i)[<>=≤≥]|\b(and|or)\b`) // in what follows a limit's number
)

// readLimits reads the limits on what trials report.
func (r *reader) readLimits(n *node, s *Study) (limits Limits) {
	if !r.expect(n, isMapping, "limits", "a mapping", limitHint) {
		return nil
	}
	if len(n.entries) == 0 {
		r.fail(n.at, "limits", limitHint+", or leave it out", "limits is empty")
	}
	if len(n.entries) > maxLimits {
		r.fail(n.at, "limits", fmt.Sprintf("give at most %d", maxLimits), "there are %d limits", len(n.entries))
		return nil
	}
	for _, e := range n.entries {
		path := "limits." + e.key
		if !r.limitName(e, path, s) {
			continue
		}
		if bound, ok := r.readBound(e.value, path); ok {
			if limits == nil {
				limits = Limits{}
			}
			limits[e.key] = bound
		}
	}
	return limits
}

// maxLimits is how many limits a study has at most: each has a model of its own.
const maxLimits = 10

// limitName refuses names that a result uses for something else.
func (r *reader) limitName(e entry, path string, s *Study) bool {
	const hint = "limit a quantity of another name, which the trial reports"
	fail := func(hint, problem string, args ...any) bool {
		r.fail(e.value.keyAt, path, hint, problem, args...)
		return false
	}
	for _, p := range s.Inputs() {
		if p.Name == e.key {
			return fail("change its range, or write a constraint: where", "%s is a parameter, and not a quantity that trials report", e.key)
		}
	}
	switch {
	case e.key == "cost":
		return fail("write budget: {per_trial: …}", "cost has a limit of its own")
	case !metricName(e.key):
		return fail("give the name that the trial reports it by", "%s is not the name of a quantity", quoteShort(e.key))
	case e.key == s.Objective.Name || e.key == defaultObjective || e.key == "value":
		return fail(hint, "%s is a name of the objective", e.key)
	case e.key == "step" || e.key == "resumed":
		return fail(hint, "a result uses %s for something else", e.key)
	}
	return true
}

// readBound reads one limit: {max: 8, unit: GB}, or "<= 8 GB".
func (r *reader) readBound(n *node, path string) (b Bound, ok bool) {
	name := last(path)
	if n.is == isNumber {
		r.fail(n.at, path, fmt.Sprintf("write %s: {max: %s}, or {min: %s}", name, n.text, n.text), "%s is the number %s, which may be the most or the least", name, n.text)
		return b, false
	}
	if n.is == isText {
		return r.readComparison(n, path)
	}
	f, ok := r.fields(n, path, limitKeys, limitHint)
	if !ok {
		return b, false
	}
	side := func(key string) *float64 {
		x, has := r.number(f.m[key], path+"."+key)
		if ok = ok && (has || f.m[key] == nil); !has {
			return nil
		}
		return &x
	}
	b.Max, b.Min = side("max"), side("min")
	b.Unit, _ = r.text(f.m["unit"], path+".unit")
	b.ExceededBy = r.readExceededBy(f.m["exceeded_by"], path+".exceeded_by")
	switch {
	case !ok:
	case b.Max == nil && b.Min == nil:
		r.fail(n.at, path, "give max, min or both", "%s has neither max nor min", name)
		return b, false
	case b.Max != nil && b.Min != nil && *b.Min > *b.Max:
		r.fail(f.m["min"].at, path+".min", "give a min below max", "min is %s, above max of %s", f.m["min"].text, f.m["max"].text)
		return b, false
	case b.Max != nil && b.Min != nil && *b.Min == *b.Max:
		r.equality(n, path, *b.Min)
		return b, false
	}
	return b, ok
}

// readComparison reads a limit in one line: one comparison, or two that are the ends of a range, as in "> 0.1 and <= 0.5 mm".
func (r *reader) readComparison(n *node, path string) (b Bound, ok bool) {
	one, two, isRange := cutAt(and, n.text)
	if !isRange || !comparison.MatchString(two) {
		return r.readSide(n, n.text, path)
	}
	b, ok = r.readSide(n, one, path)
	if !ok {
		return b, false
	}
	other, ok := r.readSide(n, two, path)
	if !ok {
		return b, false
	}
	if b.Unit != "" && other.Unit != "" && b.Unit != other.Unit || (b.Max == nil) == (other.Max == nil) {
		r.fail(n.at, path, rangeHint, "%s is %s, which is no range", last(path), quoteShort(n.text))
		return b, false
	}
	b = Bound{Max: cmp.Or(b.Max, other.Max), Min: cmp.Or(b.Min, other.Min), Unit: cmp.Or(b.Unit, other.Unit)}
	switch {
	case *b.Min > *b.Max:
		r.fail(n.at, path, "give a range with something in it, such as {min: 3, max: 5}", "%s is %s, which nothing meets", last(path), quoteShort(n.text))
		return b, false
	case *b.Min == *b.Max:
		r.equality(n, path, *b.Min)
		return b, false
	}
	return b, true
}

// cutAt cuts a text at the first match.
func cutAt(sep *regexp.Regexp, text string) (before, after string, found bool) {
	at := sep.FindStringIndex(text)
	if at == nil {
		return text, "", false
	}
	return text[:at[0]], text[at[1]:], true
}

// readSide reads one comparison of a limit. With whole numbers it matters whether 3 itself is allowed: for "< 3", the most is the last number before 3.
func (r *reader) readSide(n *node, text, path string) (b Bound, ok bool) {
	m := comparison.FindStringSubmatch(text)
	if m == nil {
		r.fail(n.at, path, limitHint, "%s is %s, which is no limit", last(path), quoteShort(text))
		return b, false
	}
	x, err := strconv.ParseFloat(m[2], 64)
	switch m[1] {
	case "<":
		x = math.Nextafter(x, math.Inf(-1))
	case ">":
		x = math.Nextafter(x, math.Inf(1))
	}
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		r.fail(n.at, path, "give a finite number", "%s is %s, and %s is not a finite number", last(path), quoteShort(text), quoteShort(m[2]))
		return b, false
	}
	b.Unit = m[3]
	switch first, _ := utf8.DecodeRuneInString(b.Unit); {
	case strings.ContainsFunc(b.Unit, isControl):
		r.fail(n.at, path, limitHint, "%s is %s, which is no limit", last(path), quoteShort(text))
		return b, false
	case furtherLimit.MatchString(b.Unit):
		r.fail(n.at, path, rangeHint, "%s is %s, and %s is not a unit", last(path), quoteShort(text), quoteShort(b.Unit))
		return b, false
	case b.Unit != "" && !unicode.In(first, unicode.L, unicode.Sc, unicode.So) && !strings.ContainsRune("%‰/", first):
		r.fail(n.at, path, "write a decimal point, as in 3.7, and a unit that begins with a letter", "%s is %s, and %s is not a unit", last(path), quoteShort(text), quoteShort(b.Unit))
		return b, false
	}
	switch m[1] {
	case "<=", "<", "≤":
		b.Max = &x
	case ">=", ">", "≥":
		b.Min = &x
	default:
		r.equality(n, path, x)
		return b, false
	}
	return b, true
}

// equality refuses a limit that only one number meets: what is measured is never exactly that.
func (r *reader) equality(n *node, path string, x float64) {
	width := math.Max(math.Abs(x)/100, 0.01)
	r.fail(n.at, path, fmt.Sprintf("give a range that is near enough, such as {min: %s, max: %s}", short(x-width), short(x+width)),
		"%s is to be exactly %s, which no trial will meet", last(path), short(x))
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

func (r *reader) readExceededBy(n *node, path string) *ExceededBy {
	f, ok := r.fields(n, path, exceededKeys, `write exceeded_by: {stderr: "out of memory", exit: [137]}`)
	if !ok {
		return nil
	}
	e := &ExceededBy{}
	e.Stderr, _ = r.text(f.m["stderr"], path+".stderr")
	if codes := f.m["exit"]; codes != nil {
		items := []*node{codes}
		if codes.is != isNumber {
			if items, ok = r.list(codes, path+".exit", "write exit: [137]"); ok && len(items) == 0 {
				r.fail(codes.at, path+".exit", "write exit: [137], or leave it out", "exit is empty")
			}
		}
		for _, item := range items {
			if code, ok := r.whole(item, path+".exit", 1, 255); ok {
				e.Exit = append(e.Exit, int(code))
			}
		}
	}
	if f.m["stderr"] == nil && f.m["exit"] == nil {
		r.fail(n.at, path, `write exceeded_by: {stderr: "out of memory", exit: [137]}`, "exceeded_by has neither stderr nor exit")
		return nil
	}
	return e
}

// node is what a study file would have; nil if it has nothing.
func (e *ExceededBy) node() *node {
	if e == nil {
		return nil
	}
	n := &node{is: isMapping}
	if e.Stderr != "" {
		n.entries = append(n.entries, entry{"stderr", &node{is: isText, text: e.Stderr}})
	}
	if len(e.Exit) > 0 {
		codes := &node{is: isList}
		for _, code := range e.Exit {
			codes.items = append(codes.items, &node{is: isNumber, text: strconv.Itoa(code)})
		}
		n.entries = append(n.entries, entry{"exit", codes})
	}
	return n
}

// CheckLimits returns an error that names the first limit that a study file would not have. It is for limits that were not read from one.
func (s *Study) CheckLimits() error {
	if len(s.Limits) > maxLimits {
		return fault.New(fault.BadStudy, fmt.Sprintf("give at most %d", maxLimits), "there are %d limits", len(s.Limits))
	}
	for _, name := range s.Limits.Names() {
		b := s.Limits[name]
		r := &reader{file: "limits", lines: []string{""}}
		number := func(x *float64) *node {
			if x == nil {
				return nil
			}
			return &node{is: isNumber, text: strconv.FormatFloat(*x, 'g', -1, 64)}
		}
		n := &node{is: isMapping}
		for key, x := range map[string]*node{"max": number(b.Max), "min": number(b.Min), "exceeded_by": b.ExceededBy.node()} {
			if x != nil {
				n.entries = append(n.entries, entry{key, x})
			}
		}
		if path := "limits." + name; r.limitName(entry{name, n}, path, s) {
			r.readBound(n, path)
		}
		if len(r.errs) > 0 {
			return fault.New(fault.BadStudy, r.errs[0].Hint, "%s: %s", r.errs[0].Field, r.errs[0].Problem)
		}
	}
	return nil
}

// Max is the limit on a quantity that may be so much at most.
func Max(x float64) Bound { return Bound{Max: &x} }

// Min is the limit on a quantity that must be so much at least.
func Min(x float64) Bound { return Bound{Min: &x} }

// String writes the limit as a study file does: {max: 8, unit: GB}.
func (b Bound) String() string {
	var parts []string
	if b.Max != nil {
		parts = append(parts, "max: "+strconv.FormatFloat(*b.Max, 'g', -1, 64))
	}
	if b.Min != nil {
		parts = append(parts, "min: "+strconv.FormatFloat(*b.Min, 'g', -1, 64))
	}
	if b.Unit != "" {
		parts = append(parts, "unit: "+quoteYAML(b.Unit))
	}
	if e := b.ExceededBy; e != nil {
		var signs []string
		if e.Stderr != "" {
			signs = append(signs, "stderr: "+quoteText(e.Stderr))
		}
		if len(e.Exit) > 0 {
			signs = append(signs, "exit: ["+strings.Trim(strings.Join(strings.Fields(fmt.Sprint(e.Exit)), ", "), "[]")+"]")
		}
		parts = append(parts, "exceeded_by: {"+strings.Join(signs, ", ")+"}")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
