package study

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// In a command, and in the values of env, {name} stands for the value of a parameter, or for one of the places
// below; {{ and }} stand for braces.
//
// A parameter with conditions does not always exist. Then every argument that mentions it is left out as
// a whole: "--beta={beta}" just works. For the same reason a flag and its value must be one
// argument; "--beta", "{beta}" would leave the flag behind, and is refused.

// places are the names that stand for something other than a parameter; no parameter may have them.
var places = []string{
	"trial",  // the trial's number
	"study",  // the study's name
	"params", // the JSON file that holds the setting
	"result", // the file that the command may write its result to
	"dir",    // the trial's folder
}

// piece is a part of an argument: text, or the name of a placeholder.
type piece struct{ text, name string }

// braceError says what is wrong with an argument's braces.
type braceError struct{ found, problem, hint string }

// braces matches doubled braces, placeholders, and braces that are neither.
var braces = regexp.MustCompile(`\{\{|\}\}|\{[^{}]*\}|[{}]`)

// pieces takes an argument apart.
func pieces(argument string) (list []piece, err *braceError) {
	const hint = "write {name} for a parameter, {{ and }} for braces themselves"
	text, end := "", 0
	for _, at := range braces.FindAllStringIndex(argument, -1) {
		text += argument[end:at[0]]
		end = at[1]
		switch found := argument[at[0]:at[1]]; {
		case found == "{{" || found == "}}":
			text += found[:1]
		case found == "}":
			return nil, &braceError{found, "a } has no { before it", hint}
		case found == "{":
			return nil, &braceError{found, "a { has no } after it", hint}
		case strings.TrimSpace(found[1:len(found)-1]) == "":
			return nil, &braceError{found, "there is no name between { and }", hint}
		default:
			list = append(list, piece{text: text}, piece{name: found[1 : len(found)-1]})
			text = ""
		}
	}
	return append(list, piece{text: text + argument[end:]}), nil
}

// Argv returns the command for a setting. The map extra says what {trial}, {params}, {result} and {dir} stand for; {study} is
// known.
func (s *Study) Argv(setting space.Setting, extra map[string]string) ([]string, error) {
	if len(s.Command) == 0 {
		return nil, fault.New(fault.BadStudy, "give it a command, or ask for trials and tell their results", "study %s has no command", s.Name)
	}
	argv := make([]string, 0, len(s.Command))
	for i, argument := range s.Command {
		text, exists, err := s.fill(argument, setting, extra)
		switch {
		case err != nil:
			return nil, fmt.Errorf("command[%d]: %w", i, err)
		case exists:
			argv = append(argv, text)
		case i == 0:
			return nil, fault.New(fault.BadStudy, "give a program that every setting has", "command[0]: the program %s depends on a parameter that this setting does not have", argument)
		}
	}
	return argv, nil
}

// Environ returns the variables of env for a setting, as NAME=value in the order of the names.
func (s *Study) Environ(setting space.Setting, extra map[string]string) ([]string, error) {
	var environ []string
	for name, value := range s.Env {
		text, exists, err := s.fill(value, setting, extra)
		if err != nil {
			return nil, fmt.Errorf("env.%s: %w", name, err)
		}
		if exists {
			environ = append(environ, name+"="+text)
		}
	}
	slices.Sort(environ)
	return environ, nil
}

// fill replaces the placeholders of an argument. It exists if all parameters that it mentions do.
func (s *Study) fill(argument string, setting space.Setting, extra map[string]string) (text string, exists bool, err error) {
	list, bad := pieces(argument)
	if bad != nil {
		return "", false, fault.New(fault.BadStudy, bad.hint, "%s", bad.problem)
	}
	var b strings.Builder
	exists = true
	inputs := s.Inputs()
	for _, p := range list {
		if p.name == "" {
			b.WriteString(p.text)
			continue
		}
		i := slices.IndexFunc(inputs, func(q space.Param) bool { return q.Name == p.name })
		value, given := setting[p.name]
		switch {
		case i >= 0 && given:
			b.WriteString(value.String())
		case i >= 0 && len(inputs[i].When) > 0:
			exists = false
		case i >= 0:
			return "", false, fault.New(fault.BadRequest, "give it a value", "the setting has no value for %s", p.name)
		default:
			place, known := extra[p.name]
			if p.name == "study" {
				place, known = s.Name, true
			}
			if !known {
				return "", false, fault.New(fault.BadStudy, "write {name} for a parameter, {{ and }} for braces themselves", "{%s} is not known here", p.name)
			}
			b.WriteString(place)
		}
	}
	return b.String(), exists, nil
}
