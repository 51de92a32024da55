package study

import (
	"fmt"
	"strings"
	"unicode"
)

// Error is one thing that is wrong in a study file.
type Error struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1; 0: the error has no place
	Column  int    `json:"column"` // from 1, in characters
	Field   string `json:"field"`  // such as parameters.lr.min; empty: the file as a whole
	Problem string `json:"problem"`
	Mend    string `json:"mend"`   // what to do about it
	Source  string `json:"source"` // the line itself
}

// Error shows everything: the place, the problem, the line with a caret, and the mend.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Message())
	if excerpt := e.Excerpt(); excerpt != "" {
		b.WriteString("\n" + excerpt)
	}
	if e.Mend != "" {
		b.WriteString("\n  hint: " + e.Mend)
	}
	return b.String()
}

// Message is the place and the problem, on one line.
func (e *Error) Message() string {
	message := e.Problem
	if e.Field != "" && !strings.HasPrefix(message, e.Field+" ") {
		message = e.Field + ": " + message
	}
	if e.Line == 0 {
		return e.File + ": " + message
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, message)
}

// Excerpt is the offending line and, below, a caret; nothing if the error has no place.
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
	return fmt.Sprintf("  %s | %s%s%s\n  %s | %s%s^", number, left, string(printable(line)), right,
		gutter, strings.Repeat(" ", len([]rune(left))), string(blank(line[:caret])))
}

// printable keeps control characters from the terminal.
func printable(line []rune) []rune {
	out := make([]rune, len(line))
	for i, r := range line {
		if out[i] = r; r != '\t' && !unicode.IsPrint(r) {
			out[i] = unicode.ReplacementChar
		}
	}
	return out
}

// blank is as wide as the line; tabs stay, since nobody knows how wide these are.
func blank(line []rune) []rune {
	out := make([]rune, len(line))
	for i, r := range line {
		if out[i] = ' '; r == '\t' {
			out[i] = r
		}
	}
	return out
}

// Errors is all that is wrong with a study file, in the order of its lines.
type Errors []*Error

func (list Errors) Error() string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "\n")
}

// Unwrap lets errors.As find the first Error.
func (list Errors) Unwrap() []error {
	all := make([]error, len(list))
	for i, e := range list {
		all[i] = e
	}
	return all
}
