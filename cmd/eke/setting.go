package main

import (
	"strconv"
	"strings"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// oneLine is a setting as name=value, in the order of the study file, exactly.
func oneLine(s *study.Study, setting space.Setting) string {
	return line(s, setting, space.Value.String)
}

// shortLine is oneLine for tables: floats have five digits.
func shortLine(s *study.Study, setting space.Setting) string {
	return line(s, setting, func(v space.Value) string {
		if x, ok := v.Any().(float64); ok {
			return number(x)
		}
		return v.String()
	})
}

func line(s *study.Study, setting space.Setting, text func(space.Value) string) string {
	var list []string
	for _, p := range s.Parameters {
		if v, exists := setting[p.Name]; exists {
			list = append(list, p.Name+"="+quoted(text(v)))
		}
	}
	return strings.Join(list, " ")
}

// quoted keeps a value in one piece.
func quoted(text string) string {
	if text == "" || strings.ContainsAny(text, " \"\t\n") {
		return strconv.Quote(text)
	}
	return text
}

// shellLine is a command as it would be typed.
func shellLine(argv []string) string {
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

// commandLine is the study's command for a setting, with words in the places that only a run fills in; empty if
// there is no command.
func commandLine(s *study.Study, setting space.Setting) (string, []string) {
	argv, err := s.Argv(setting, map[string]string{"trial": "TRIAL", "params": "PARAMS", "result": "RESULT", "dir": "DIR"})
	if err != nil {
		return "", nil
	}
	return shellLine(argv), argv
}

// firstLine is a note's first line, which stands by itself.
func firstLine(note string) string {
	line, _, _ := strings.Cut(note, "\n")
	return line
}
