package local

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	shownText  = 60      // of a text that was found
	shownKeys  = 8       // of keys that were found
	shownLines = 8       // of stderr
	shownTail  = 2 << 10 // bytes of stderr
)

// escape is what colours a terminal, ECMA-48: control sequences, and the strings that set a window's title.
var escape = regexp.MustCompile("\x1b(\\[[0-9;:?<=>]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?)")

// plain takes out what would disturb a terminal.
func plain(text string) string {
	text = escape.ReplaceAllString(strings.ToValidUTF8(text, "\ufffd"), "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case r == '\r':
			return '\n'
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
}

// shorten fits a text that was found into one line.
func shorten(text string) string {
	text = strings.Join(strings.Fields(plain(text[:min(len(text), 8*shownText)])), " ")
	if text == "" {
		return `""`
	}
	if utf8.RuneCountInString(text) > shownText {
		text = string([]rune(text)[:shownText]) + "…"
	}
	return text
}

func keyList(names []string) string {
	shown := make([]string, 0, shownKeys)
	for _, name := range names[:min(len(names), shownKeys)] {
		shown = append(shown, shorten(name))
	}
	list := strings.Join(shown, ", ")
	switch n := len(names); {
	case n == 1:
		return "key " + list
	case n > shownKeys:
		return fmt.Sprintf("keys %s, … (%d in all)", list, n)
	}
	return "keys " + list
}

// or lists the names that would do.
func or(names []string) string {
	list := shorten(names[0])
	for i, name := range names[1:] {
		if i == len(names)-2 {
			list += " or " + shorten(name)
		} else {
			list += ", " + shorten(name)
		}
	}
	return list
}

// bytesOf writes a size as people do.
func bytesOf(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// lastWords are the last lines of what a command printed, indented; "" if there are none.
func lastWords(name string, out tail) string {
	text := strings.TrimSpace(plain(string(out.data)))
	if text == "" {
		return ""
	}
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
	lines = lines[max(0, len(lines)-shownLines):]
	return "\n" + name + " ends:\n    " + strings.Join(lines, "\n    ")
}
