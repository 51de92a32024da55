package study

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/eke-bo/eke/internal/fault"
)

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
