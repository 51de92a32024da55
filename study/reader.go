package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// reader takes values of the expected types from nodes, and notes an error where a node has another type.
type reader struct {
	file  string
	lines []string
	errs  Errors
	more  int // errors beyond those that are kept
}

// maxErrors is how many errors are reported. A file with more is probably the wrong file.
const maxErrors = 50

func (r *reader) fail(at position, field, hint, problem string, args ...any) {
	if len(r.errs) == maxErrors {
		r.more++
		return
	}
	at.line = min(max(at.line, 1), len(r.lines))
	source := r.line(at.line)
	at.column = min(max(at.column, 1), len([]rune(source))+1)
	r.errs = append(r.errs, &Error{File: r.file, Line: at.line, Column: at.column, Field: brief(field),
		Problem: brief(fmt.Sprintf(problem, args...)), Hint: brief(hint), Source: source})
}

// brief makes a text that may quote anything from the file fit on one line of readable length.
func brief(text string) string {
	const most = 400
	var b strings.Builder
	for i, c := range text {
		if i > most {
			return b.String() + "…"
		}
		if unicode.IsPrint(c) {
			b.WriteRune(c)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(c), "'"))
		}
	}
	return b.String()
}

func (r *reader) line(number int) string {
	if number < 1 || number > len(r.lines) {
		return ""
	}
	return r.lines[number-1]
}

// err returns what was noted, in the order of the lines.
func (r *reader) err() error {
	if len(r.errs) == 0 {
		return nil
	}
	slices.SortStableFunc(r.errs, func(a, b *Error) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	if r.more > 0 {
		r.errs = append(r.errs, &Error{File: r.file, Problem: fmt.Sprintf("there are %d more errors", r.more), Hint: "fix these first"})
	}
	return r.errs
}

// last is the name by which a message calls a field.
func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// wrongType notes that a node is not what was expected.
func (r *reader) wrongType(n *node, path, expected, hint string) {
	if n.is != broken {
		r.fail(n.at, path, hint, "%s is %s, but must be %s", last(path), n, expected)
	}
}

// expect says whether a node is there and of a kind. One of another kind is an error.
func (r *reader) expect(n *node, kind content, path, expected, hint string) bool {
	if n != nil && n.is != kind {
		r.wrongType(n, path, expected, hint)
	}
	return n != nil && n.is == kind
}

// fields are the entries of a mapping.
type fields struct {
	r    *reader
	path string
	at   position // of the key, where a missing field is shown
	m    map[string]*node

	meant map[string]bool // keys that others, unknown ones, were probably meant to be
}

// fields returns a mapping's entries, of which all must be known.
func (r *reader) fields(n *node, path string, known []string, hint string) (fields, bool) {
	if !r.expect(n, isMapping, path, "a mapping", hint) {
		return fields{}, false
	}
	f := fields{r, path, n.keyAt, map[string]*node{}, map[string]bool{}}
	for _, e := range n.entries {
		if !slices.Contains(known, e.key) {
			what := "a study file"
			if path != "" {
				what = last(path)
			}
			r.fail(e.value.keyAt, join(path, e.key), suggest(e.key, known), "%s has no key %s", what, quoteShort(e.key))
			f.meant[nearest(e.key, known)] = true
			continue
		}
		f.m[e.key] = e.value
	}
	return f, true
}

// need returns a field that must be there; nil, with an error noted, if it is not.
func (f fields) need(key, hint string) *node {
	if n := f.m[key]; n != nil {
		return n
	}
	if !f.meant[key] {
		f.r.fail(f.at, join(f.path, key), hint, "%s is missing", key)
	}
	return nil
}

// text takes a text of one line that is not empty.
func (r *reader) text(n *node, path string) (string, bool) {
	hint := "give a text"
	if n != nil && (n.is == isNumber || n.is == isBool) {
		hint = "quote it: " + strconv.Quote(n.text)
	}
	if !r.expect(n, isText, path, "a text", hint) {
		return "", false
	}
	if strings.TrimSpace(n.text) == "" || strings.ContainsFunc(n.text, isControl) {
		r.fail(n.at, path, "give a text of one line", "%s is %s", last(path), quoteShort(n.text))
		return "", false
	}
	return n.text, true
}

func isControl(c rune) bool { return c < ' ' || c == 0x7f }

// word takes one of several words.
func (r *reader) word(n *node, path string, known []string) (string, bool) {
	if n == nil {
		return "", false
	}
	if n.is == isText && slices.Contains(known, n.text) {
		return n.text, true
	}
	if n.is != broken {
		found := n.String()
		if n.is == isText {
			found = quoteShort(n.text)
		}
		r.fail(n.at, path, suggest(n.text, known), "%s is %s, but must be %s", last(path), found, fault.OneOf(known))
	}
	return "", false
}

// flag takes true or false.
func (r *reader) flag(n *node, path string) bool {
	return r.expect(n, isBool, path, "true or false", "write true or false, without quotes") && n.text == "true"
}

// number takes a finite number.
func (r *reader) number(n *node, path string) (float64, bool) {
	hint := "give a number"
	if n != nil && n.is == isText && decimal.MatchString(n.text) {
		hint = "remove the quotes"
	}
	if !r.expect(n, isNumber, path, "a number", hint) {
		return 0, false
	}
	x, err := strconv.ParseFloat(n.text, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		r.fail(n.at, path, "give a finite number", "%s is %s, which is not a finite number", last(path), n.text)
		return 0, false
	}
	return x + 0, true // −0 is 0
}

// whole takes a whole number between two bounds.
func (r *reader) whole(n *node, path string, least, most float64) (float64, bool) {
	x, ok := r.number(n, path)
	if !ok {
		return 0, false
	}
	if x != math.Trunc(x) || x < least || x > most {
		r.fail(n.at, path, fmt.Sprintf("give a whole number from %.0f to %.0f", least, most), "%s is %s", last(path), n.text)
		return 0, false
	}
	return x, true
}

// list takes the items of a list.
func (r *reader) list(n *node, path, hint string) ([]*node, bool) {
	if !r.expect(n, isList, path, "a list", hint) {
		return nil, false
	}
	return n.items, true
}

// value takes a text, a number or a bool.
func (r *reader) value(n *node, path string) (space.Value, bool) {
	switch n.is {
	case isText:
		return space.String(n.text), true
	case isBool:
		return space.Bool(n.text == "true"), true
	case isNumber:
		if !strings.ContainsAny(n.text, ".eE") {
			if i, err := strconv.ParseInt(n.text, 10, 64); err == nil {
				return space.Int(i), true
			}
			r.fail(n.at, path, "quote it to make it a text", "%s is %s, which is too large", last(path), n.text)
			return space.Value{}, false
		}
		x, ok := r.number(n, path)
		return space.Float(x), ok
	}
	r.wrongType(n, path, "a text, a number, true or false", "give one of these, or quotes around it")
	return space.Value{}, false
}

// Error is one mistake in a study file.
type Error struct {
	File    string `json:"file"`    // File is the name of the study file.
	Line    int    `json:"line"`    // Line counts from 1; 0 says that the error has no place.
	Column  int    `json:"column"`  // Column counts characters from 1.
	Field   string `json:"field"`   // Field is what is wrong, such as parameters.lr.min; empty for the file as a whole.
	Problem string `json:"problem"` // Problem is what is wrong with it.
	Hint    string `json:"hint"`    // Hint is what to do about it.
	Source  string `json:"source"`  // Source is the line itself.
}

// Error is the place and the problem, on one line. The excerpt and the hint are left out.
func (e *Error) Error() string {
	message := e.Problem
	if e.Field != "" && !strings.HasPrefix(message, e.Field+" ") {
		message = e.Field + ": " + message
	}
	if e.Line == 0 {
		return e.File + ": " + message
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, message)
}

// Excerpt is the line with a caret below the place. It is empty if the error has no place in the file.
func (e *Error) Excerpt() string {
	if e.Line == 0 {
		return ""
	}
	const before, shown = 70, 110 // a very long line is shown around the caret only
	line := []rune(e.Source)
	caret := min(max(e.Column-1, 0), len(line))
	var left, right string
	if start := caret - before; start > 0 {
		line, caret, left = line[start:], before, "…"
	}
	if len(line) > shown {
		line, right = line[:shown], "…"
	}
	number := fmt.Sprint(e.Line)
	gutter := strings.Repeat(" ", len(number))
	return fmt.Sprintf("  %s | %s%s%s\n  %s | %s%s^", number, left, strings.Map(printable, string(line)), right,
		gutter, strings.Repeat(" ", len([]rune(left))), strings.Map(blank, string(line[:caret])))
}

// printable keeps control characters from the terminal.
func printable(r rune) rune {
	if r != '\t' && !unicode.IsPrint(r) {
		return unicode.ReplacementChar
	}
	return r
}

// blank is as wide as what it replaces. Tabs stay, since nobody knows how wide they are.
func blank(r rune) rune {
	if r == '\t' {
		return r
	}
	return ' '
}

// FaultCode says that the study file has mistakes.
func (e *Error) FaultCode() fault.Code { return fault.BadStudy }

// Details returns the error in the form in which all errors are shown.
func (e *Error) Details() []fault.Detail {
	return []fault.Detail{{Message: e.Error(), Problem: e.Problem, Hint: e.Hint, Field: e.Field, Line: e.Line, Column: e.Column, Excerpt: e.Excerpt()}}
}

// Errors is every mistake in a study file, in the order of the lines.
type Errors = fault.Errors[*Error]

// synonyms are words that other tools use, or that come to mind first.
var synonyms = map[string]string{
	"low": "min", "lower": "min", "minimum": "min", "from": "min",
	"high": "max", "upper": "max", "maximum": "max", "to": "max",
	"choices": "values", "options": "values", "categories": "values",
	"condition": "when", "conditions": "when", "if": "when",
	"scale": "log", "real": "float", "double": "float", "number": "float", "uniform": "float", "loguniform": "float", "log": "float",
	"integer": "int", "categorical": "choice", "enum": "choice", "ordinal": "ordered", "boolean": "bool", "constant": "fixed", "const": "fixed",
	"params": "parameters", "space": "parameters", "cmd": "command", "run": "command",
	"workers": "parallel", "jobs": "parallel", "n_jobs": "parallel",
	"metric": "objective", "parameter": "name", "direction": "goal", "min": "minimize", "minimise": "minimize", "max": "maximize", "maximise": "maximize",
	"environment": "env", "cwd": "workdir", "time": "walltime", "wall": "walltime", "wall_time": "walltime", "seconds": "walltime",
	"n_trials": "trials", "max_trials": "trials", "noisy": "noise", "sampler": "policy", "strategy": "policy",
}

// nearest returns the known word that was probably meant, or nothing.
func nearest(word string, known []string) string {
	word = strings.ToLower(word)
	if s := synonyms[word]; slices.Contains(known, s) {
		return s
	}
	const longest = 64 // no name of interest is longer, and the distance is quadratic
	if len(word) > longest {
		return ""
	}
	best, bestDistance := "", max(len(word)/3, 1)+1
	for _, k := range known {
		if d := distance(word, strings.ToLower(k)); len(k) <= longest && d < bestDistance && d < max(len(k), 2) {
			best, bestDistance = k, d
		}
	}
	return best
}

// distance counts the letters to insert, delete, replace or swap with the next one (optimal string
// alignment).
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			replaced := last[j]
			if s[i] != t[j] {
				replaced++
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, replaced)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}

// suggest is a hint for a word that is not known.
func suggest(word string, known []string) string {
	if s := nearest(word, known); s != "" {
		return "did you mean " + s + "?"
	}
	return "give " + fault.OneOf(known)
}
