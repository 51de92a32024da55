package say

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Setting lists a trial's parameters in the study's order: "lr=0.001, opt=adam". Those that have one value only are
// left out, as they tell nothing.
func Setting(s *study.Study, values space.Setting) string {
	return list(s.Inputs(), values, false, func(_ space.Param, v space.Value) string { return Value(v) })
}

// ExactSetting lists all parameters in full.
func ExactSetting(s *study.Study, values space.Setting) string {
	return list(s.Inputs(), values, true, func(_ space.Param, v space.Value) string { return v.String() })
}

// SettingByHand lists all parameters for somebody who tries the setting by hand: numbers to at least a thousandth of their range.
func SettingByHand(s *study.Study, values space.Setting) string {
	return list(s.Inputs(), values, true, func(p space.Param, v space.Value) string {
		digits := 4
		if ends := math.Max(math.Abs(p.Min), math.Abs(p.Max)); !p.Log && p.Max > p.Min {
			digits += int(math.Ceil(math.Max(math.Log10(ends/(p.Max-p.Min)), 0)))
		}
		return value(v, digits)
	})
}

func list(params []space.Param, values space.Setting, fixed bool, text func(space.Param, space.Value) string) string {
	var parts []string
	for _, p := range params {
		if v, exists := values[p.Name]; exists && (fixed || p.Kind != space.KindFixed) {
			parts = append(parts, Clean(p.Name)+"="+quoted(Clean(text(p, v))))
		}
	}
	return strings.Join(parts, ", ")
}

// Value writes the value of a parameter: whole numbers in full, others with four digits, never with commas.
func Value(v space.Value) string { return value(v, 4) }

// ExactValue is Value with all digits, where they tell what somebody has written.
func ExactValue(v space.Value) string { return value(v, 17) }

func value(v space.Value, digits int) string {
	if v.IsZero() {
		return Nothing
	}
	x, ok := v.Any().(float64)
	switch {
	case !ok:
		return v.String()
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return fixed(x, 0)
	}
	return plain(x, digits)
}

// quoted keeps a value in one piece.
func quoted(text string) string {
	if text == "" || strings.ContainsAny(text, " ,=\"") {
		return strconv.Quote(text)
	}
	return text
}

// Command writes a command as it would be typed into a shell.
func Command(argv []string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%"
	list := make([]string, len(argv))
	for i, arg := range argv {
		list[i] = arg
		if arg == "" || strings.ContainsFunc(arg, func(r rune) bool { return !strings.ContainsRune(plain, r) }) {
			list[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(list, " ")
}

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

// Trouble is a trial's note in one line: the last line that its command printed, and then what the note says of its end, as in "out of memory (exit code 1)".
// How a command ended says less than its last words.
func Trouble(note string) string {
	head, _, _ := strings.Cut(note, "\n")
	last := ""
	for _, line := range lastWords(note) {
		if strings.TrimSpace(line) != "" {
			last = line
		}
	}
	if last = Clean(last); last == "" {
		return Clean(note)
	}
	return last + " (" + Clean(head) + ")"
}

// lastWords are the lines of a note that a command printed.
func lastWords(note string) (list []string) {
	_, rest, _ := strings.Cut(note, "\n")
	among := false
	for line := range strings.Lines(rest) {
		line = strings.TrimRight(line, "\n")
		switch text, indented := strings.CutPrefix(line, "    "); {
		case line == "stderr ends:" || line == "stdout ends:":
			among = true
		case among && indented:
			list = append(list, text)
		}
	}
	return list
}

// placed is how the Python library ends the note of an exception.
var placed = regexp.MustCompile(`\nat .+:\d+ in .+$`)

// Said is what a command, or whoever reported its end, said of that in a note: its last words or, if the note has none, the note without how the command
// ended and where an exception came from.
func Said(exit *study.Exit, note string) string {
	if words := lastWords(note); len(words) > 0 {
		return strings.Join(words, "\n")
	}
	if exit != nil {
		note = strings.TrimPrefix(note, Ended(*exit))
	}
	return placed.ReplaceAllString(note, "")
}

// Ended says how a command ended that did not end well, and what shells and systems mean by that.
func Ended(exit study.Exit) string {
	switch exit.Signal {
	case "":
	case "SIGKILL":
		return "ended by SIGKILL from outside: the system kills processes when memory runs out"
	case "SIGXCPU":
		return "ended by SIGXCPU: it reached its limit on processor time; see ulimit -t"
	case "SIGXFSZ":
		return "ended by SIGXFSZ: it reached its limit on file size; see ulimit -f"
	default:
		return "ended by " + exit.Signal
	}
	switch exit.Code {
	case 126:
		return "exit code 126: a shell found a command that it may not execute"
	case 127:
		return "exit code 127: a shell did not find a command"
	}
	return fmt.Sprintf("exit code %d", exit.Code)
}

// Short cuts a text to n characters.
func Short(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return text
}
