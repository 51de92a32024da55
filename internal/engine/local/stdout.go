package local

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

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
	assigned := assignments(lines, append(w.keys(), costKey))
	if _, _, ok := w.find(assigned); ok {
		return w.read(assigned, "stdout")
	}
	var r report
	switch {
	case step != nil:
		r.problem = fmt.Sprintf(`no result: the last value on stdout is that of step %s, and the trial is to reach %s; print it with that step, or a line without a step at the end`, say.Number(step.Step), say.Number(w.fidelity))
		r.cost, r.hasCost = step.Cost, w.cost && step.Cost > 0
	case other != nil:
		r = w.read(other, "the last JSON line of stdout")
	case len(assigned) > 0:
		r = w.read(assigned, "stdout")
	default:
		r.problem = w.nothing(out, len(lines))
	}
	return r
}

// nothing says that there is no report at all.
func (w wanted) nothing(out tail, lines int) string {
	example := `{"objective": …}`
	if w.cost {
		example = `{"objective": …, "cost": …}`
	}
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
		"%s, and the file is not there", example, where)
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

// assignments returns the last line name=value for each of the names.
func assignments(lines [][]byte, names []string) fields {
	f := fields{}
	for _, line := range lines {
		left, right, ok := strings.Cut(string(line), "=")
		if !ok {
			continue
		}
		left = strings.TrimSpace(left)
		for _, name := range names {
			if left == name {
				f[name] = strings.TrimSpace(right)
			}
		}
	}
	return f
}
