package local

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

const costKey, setupKey = "cost", "setup"

// wanted says what is looked for in a report.
type wanted struct {
	objective string // the objective's own name; "" if it has none
	cost      bool   // a cost has to be reported

	setup bool // a part of the cost may be named that went into changes

	fidelity float64 // what has to be reached; 0: anything is a result

	quantities []string      // further numbers that are asked for
	several    bool          // there are several objectives
	setting    space.Setting // whose numbers are no metrics, should they be printed again
}

// want is what is looked for in the report of a job.
func want(j engine.Job) wanted {
	return wanted{objective: j.Objective, cost: !j.WallTime, setup: j.Setup, fidelity: j.Fidelity, quantities: j.Quantities, several: j.Several, setting: j.Setting}
}

// metrics are the other numbers that were reported. If there are too many, those that are asked for come first.
func (w wanted) metrics(f fields) study.Metrics {
	var all study.Metrics
	used := append(w.keys(), costKey, "step", "resumed")
	if w.setup {
		used = append(used, setupKey)
	}
	for _, name := range append(slices.Clone(w.quantities), slices.Sorted(maps.Keys(f))...) {
		x, trouble := number(f[name])
		if _, parameter := w.setting[name]; parameter || trouble != "" || slices.Contains(used, name) || !study.IsMetric(name, x) || len(all) == study.MaxMetrics {
			continue
		}
		if all == nil {
			all = study.Metrics{}
		}
		all[name] = x
	}
	return all
}

// keys returns the names of the objective, the clearest first.
func (w wanted) keys() []string {
	keys := []string{"objective"}
	if w.objective != "" && w.objective != costKey {
		keys = append(keys, w.objective)
	}
	return append(keys, "value")
}

// fields are what was reported, as text: numbers as they were written, strings without their quotes.
type fields map[string]string

// example shows a report that would do. One of several objectives has them all, by their names.
func (w wanted) example() string {
	keys := []string{"objective"}
	if w.several {
		keys = append([]string{w.objective}, w.quantities...)
	}
	if w.cost {
		keys = append(keys, costKey)
	}
	for i, key := range keys {
		keys[i] = fmt.Sprintf(`"%s": …`, shorten(key))
	}
	return "{" + strings.Join(keys, ", ") + "}"
}

// find returns the field that is the objective.
func (w wanted) find(f fields) (key, text string, ok bool) {
	for _, key := range w.keys() {
		if text, ok := f[key]; ok {
			return key, text, true
		}
	}
	return "", "", false
}

// report is what a command reported. Whatever is in it is finite, and the cost is positive.
type report struct {
	value, cost       float64
	hasValue, hasCost bool
	noValue           bool   // no key is that of a value
	problem           string // why it does not do, and the hint; "" if it does
	metrics           study.Metrics
	setup             *float64
	lost              bool // it says that there was no checkpoint to go on from: "resumed": false
}

// known is the cost that was reported; nil if there is none.
func (r report) known() *float64 {
	if !r.hasCost {
		return nil
	}
	return &r.cost
}

// data are the numbers of a report that does not do, such as one without its value. A study with several objectives keeps them.
func (w wanted) data(r report) study.Metrics {
	if !r.hasValue || w.objective == "" || len(r.metrics) == study.MaxMetrics {
		return r.metrics
	}
	all := study.Metrics{w.objective: r.value}
	maps.Copy(all, r.metrics)
	return all
}

// read makes a report of fields; where says whose they are.
func (w wanted) read(f fields, where string) (r report) {
	r.lost, r.metrics = f["resumed"] == "false", w.metrics(f)
	key, text, ok := w.find(f)
	if ok {
		value, trouble := number(text)
		if r.hasValue = trouble == ""; r.hasValue {
			r.value = value
		} else {
			r.problem = fmt.Sprintf("%s has %s %s, which is %s; report a finite number, or exit with a code other than 0 "+
				"where there is none", where, shorten(key), shorten(text), trouble)
		}
	} else {
		r.problem, r.noValue = w.wrongKeys(f, where), true
	}
	if trouble := w.readSetup(f, where, &r); trouble != "" && r.problem == "" {
		r.problem = trouble
	}
	if !w.cost {
		return r
	}
	costProblem := ""
	if text, ok := f[costKey]; !ok {
		costProblem = fmt.Sprintf(`%s has no cost; report %s, or set cost.source: walltime`, where, w.example())
	} else if cost, trouble := number(text); trouble != "" {
		costProblem = fmt.Sprintf("%s has cost %s, which is %s; report a number above 0", where, shorten(text), trouble)
	} else if cost > study.MaxAmount {
		costProblem = fmt.Sprintf("%s has cost %s, more than %s; report it in a larger unit", where, shorten(text), say.Number(study.MaxAmount))
	} else if cost <= 0 {
		costProblem = fmt.Sprintf("%s has cost %s; every trial costs something: report a number above 0", where, shorten(text))
	} else {
		r.cost, r.hasCost = cost, true
	}
	if r.problem == "" {
		r.problem = costProblem
	}
	return r
}

// readSetup reads the part of the cost that went into changes, if it is there, and says what is wrong with it.
func (w wanted) readSetup(f fields, where string, r *report) (problem string) {
	text, ok := f[setupKey]
	if !ok || !w.setup {
		return ""
	}
	setup, trouble := number(text)
	cost, unknown := number(f[costKey])
	switch {
	case trouble != "":
		return fmt.Sprintf("%s has setup %s, which is %s; report the part of the cost that went into changes, or leave it out", where, shorten(text), trouble)
	case setup < 0 || setup > study.MaxAmount:
		return fmt.Sprintf("%s has setup %s; report the part of the cost that went into changes: 0 or more", where, shorten(text))
	case w.cost && unknown == "" && setup > cost:
		return fmt.Sprintf("%s has setup %s, more than its cost of %s; setup is a part of the cost", where, shorten(text), shorten(f[costKey]))
	}
	r.setup = &setup
	return ""
}

// wrongKeys names the keys that are there and those that should be.
func (w wanted) wrongKeys(f fields, where string) string {
	looksFor, example := or(w.keys()), w.example()
	if w.cost {
		looksFor += ", and cost"
	}
	if len(f) == 0 {
		return fmt.Sprintf("%s is empty; eke looks for %s; print %s", where, looksFor, example)
	}
	hint := "print " + example
	names := slices.Sorted(maps.Keys(f))
	for _, name := range names {
		if _, trouble := number(f[name]); trouble == "" && name != costKey && !w.several {
			hint += " or set objective.name: " + shorten(name)
			break
		}
	}
	return fmt.Sprintf("%s has %s; eke looks for %s; %s", where, keyList(names), looksFor, hint)
}

// number reads a finite number, or says what is there instead.
func number(text string) (x float64, trouble string) {
	text = strings.TrimSpace(text)
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case math.IsNaN(x):
		return 0, "not a number (NaN)"
	case math.IsInf(x, 0):
		return 0, "not finite"
	case err != nil:
		return 0, "not a number"
	}
	return x, ""
}

// parseObject reads a JSON object. NaN and Infinity have no place in JSON, but many programs write them. They
// are taken for what they are. So the report says NaN, not that a character is wrong, and a NaN among the fields
// that nobody asked for does no harm.
func parseObject(data []byte) (fields, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var raw map[string]json.RawMessage
	err := json.Unmarshal(data, &raw)
	if err != nil {
		raw = nil
		if json.Unmarshal(quoteNaN(data), &raw) != nil {
			return nil, err
		}
	}
	if raw == nil {
		return nil, fmt.Errorf("it is null")
	}
	f := make(fields, len(raw))
	for key, value := range raw {
		var s string
		if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &s) == nil {
			f[key] = s
		} else {
			f[key] = string(value)
		}
	}
	return f, nil
}

// quoteNaN puts quotes around NaN and Infinity, with or without a sign, wherever they are not inside a string.
func quoteNaN(data []byte) []byte {
	out := make([]byte, 0, len(data)+16)
	inside := false
	for i := 0; i < len(data); i++ {
		ch := data[i]
		switch {
		case inside && ch == '\\' && i+1 < len(data):
			out = append(out, ch, data[i+1])
			i++
			continue
		case ch == '"':
			inside = !inside
		case !inside:
			if n := nanAt(data[i:]); n > 0 {
				out = append(append(append(out, '"'), data[i:i+n]...), '"')
				i += n - 1
				continue
			}
		}
		out = append(out, ch)
	}
	return out
}

// nanAt returns the length of the NaN or Infinity that data begins with, or 0.
func nanAt(data []byte) int {
	for _, word := range []string{"NaN", "nan", "-NaN", "-nan", "Infinity", "-Infinity", "inf", "-inf", "Inf", "-Inf"} {
		if !bytes.HasPrefix(data, []byte(word)) {
			continue
		}
		if rest := data[len(word):]; len(rest) == 0 || strings.IndexByte(" \t\r\n,}]", rest[0]) >= 0 {
			return len(word)
		}
	}
	return 0
}

// readLines makes a report of what was printed: of the last line that is a JSON object with an objective, or else
// of the last name=value lines. A line with a step below the fidelity is no result, but says what was spent until then.
func (w wanted) readLines(out tail) report {
	lines := splitLines(out)
	var other fields // the last object without an objective, to be named if nothing better is there
	var step *study.Step
	for i := len(lines) - 1; i >= 0; i-- {
		f, ok := jsonLine(lines[i])
		if !ok {
			continue
		}
		if s, ok := engine.StepOf(w.objective, lines[i]); ok && s.Step < w.fidelity {
			if step == nil {
				step = &s
			}
			continue
		}
		if _, _, ok := w.find(f); ok {
			return w.read(f, "the last JSON line of stdout")
		}
		if other == nil {
			other = f
		}
	}
	all := assignments(lines)
	if _, _, ok := w.find(all); ok {
		return w.read(all, "stdout")
	}
	names := append(w.keys(), costKey, setupKey)
	maps.DeleteFunc(all, func(name, _ string) bool {
		return !slices.Contains(names, name) && !slices.Contains(w.quantities, name)
	})
	var r report
	switch {
	case step != nil:
		r.problem = fmt.Sprintf(`no result: the last value on stdout is that of step %s, and the trial is to reach %s; print it with that step, or a line without a step at the end`, say.Number(step.Step), say.Number(w.fidelity))
		r.cost, r.hasCost = step.Cost, w.cost && step.Cost > 0
	case other != nil:
		r = w.read(other, "the last JSON line of stdout")
	case len(all) > 0:
		r = w.read(all, "stdout")
	default:
		r.problem = w.nothing(out, len(lines))
	}
	return r
}

// nothing says that there is no report at all.
func (w wanted) nothing(out tail, lines int) string {
	where := "stdout has no such line"
	switch {
	case out.size == 0:
		where = "stdout is empty"
	case !out.whole && lines == 0:
		where = fmt.Sprintf("the last line of stdout is longer than the %s that are read", bytesOf(maxTail))
	case !out.whole:
		where = fmt.Sprintf("the last %s of the %s on stdout have no such line", bytesOf(maxTail), bytesOf(out.size))
	}
	return fmt.Sprintf("no result: print a line %s at the end, or write it to the file $EKE_RESULT; "+
		"%s, and the file is not there", w.example(), where)
}

// splitLines returns the lines that are there from their beginning. A progress bar returns to the start of its line
// instead of ending it.
func splitLines(out tail) [][]byte {
	data := out.data
	if !out.whole {
		i := bytes.IndexAny(data, "\r\n")
		if i < 0 {
			return nil
		}
		data = data[i+1:]
	}
	return bytes.FieldsFunc(data, func(r rune) bool { return r == '\n' || r == '\r' })
}

func jsonLine(line []byte) (fields, bool) {
	line = bytes.TrimSpace(line)
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' {
		return nil, false
	}
	f, err := parseObject(line)
	return f, err == nil
}

// assignments returns the last line name=value for each name.
func assignments(lines [][]byte) fields {
	f := fields{}
	for _, line := range lines {
		if left, right, ok := strings.Cut(string(line), "="); ok {
			f[strings.TrimSpace(left)] = strings.TrimSpace(right)
		}
	}
	return f
}
