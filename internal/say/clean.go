package say

import (
	"regexp"
	"strings"
	"unicode"
)

// sequences are those that command a terminal: colours, titles and the like.
var sequences = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(\x07|\x1b\\)?`)

// Clean is the first line of a text without anything that would disturb a terminal. Names, units, values and notes come
// from files and programs, and may hold anything.
func Clean(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text = sequences.ReplaceAllString(strings.ToValidUTF8(text, "\ufffd"), "")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\r':
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text))
}

// Short cuts a text to n characters.
func Short(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return text
}
