package main

import (
	"strings"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

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
