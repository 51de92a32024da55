package main

import (
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// commandLine is the study's command for a setting, with words for what only a run knows. It is empty if there is no command.
func commandLine(s *study.Study, setting space.Setting) (string, []string) {
	argv, err := s.Argv(setting, map[string]string{"trial": "TRIAL", "params": "PARAMS", "result": "RESULT", "dir": "DIR"})
	if err != nil {
		return "", nil
	}
	return say.Command(argv), argv
}
