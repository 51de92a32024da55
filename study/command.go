package study

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

func (r *reader) readCommand(n *node, params []space.Param) []string {
	if n == nil {
		return nil
	}
	items, ok := r.list(n, "command", asList(n.text))
	if ok && len(items) == 0 {
		r.fail(n.at, "command", "give a program, or leave command out", "command is empty")
	}
	command := make([]string, len(items))
	for i, item := range items {
		path := fmt.Sprintf("command[%d]", i)
		hint := "quote it"
		switch item.is {
		case isNumber, isBool:
			hint += ": " + quoteText(item.text)
		case isMapping: // {lr} without quotes is one
			hint = `quote what has braces in it, such as "--lr={lr}"`
		}
		switch {
		case !r.expect(item, isText, path, "a text", hint):
			continue
		case strings.ContainsRune(item.text, 0):
			r.fail(item.at, path, "leave it out", "%s has a NUL, which no argument can carry", path)
			continue
		case i == 0 && strings.TrimSpace(item.text) == "":
			r.fail(item.at, path, "give the program to run", "the program has no name")
		}
		command[i] = item.text
		conditional := r.checkPlaceholders(item, path, params)
		switch {
		case conditional == "":
		case i == 0:
			r.fail(item.at, path, "give a program that is always there", "the program depends on %s, which does not always exist", conditional)
		case item.text == "{"+conditional+"}" && isFlag(command[i-1]):
			r.fail(item.at, path, fmt.Sprintf("make them one argument: %s", quoteText(command[i-1]+"="+item.text)),
				"%s does not always exist, and without it %s would be left behind", conditional, command[i-1])
		}
	}
	return command
}

// asList says how to write a command that was given as a text.
func asList(text string) string {
	words := strings.Fields(text)
	switch {
	case len(words) == 0 || len(text) > 200:
		return `write command: ["python", "train.py"]`
	case strings.ContainsAny(text, "'\"\\|<>&;$`*"):
		return "there is no shell; write the arguments as a list, or command: [sh, -c, " + quoteText(text) + "]"
	}
	for i, w := range words {
		words[i] = quoteText(w)
	}
	return "write command: [" + strings.Join(words, ", ") + "]"
}

// isFlag reports whether an argument looks as if the next one were its value.
func isFlag(argument string) bool {
	return strings.HasPrefix(argument, "-") && !strings.ContainsAny(argument, "={")
}

// checkPlaceholders checks the names in an argument, and returns one that does not always exist, if any.
func (r *reader) checkPlaceholders(n *node, path string, params []space.Param) (conditional string) {
	list, bad := pieces(n.text)
	if bad != nil {
		r.fail(r.within(n.at, bad.found), path, bad.hint, "%s", bad.problem)
		return ""
	}
	known := make([]string, 0, len(params)+len(places))
	for _, p := range params {
		known = append(known, p.Name)
	}
	known = append(known, places...)
	for _, p := range list {
		switch i := slices.Index(known, p.name); {
		case p.name == "":
		case i < 0 && len(params) == 0: // they could not be read, so nothing is known of names
		case i < 0:
			hint := suggest(p.name, known)
			if strings.ContainsAny(p.name, " \"':,;$()") {
				hint = "write {{ and }} for braces themselves"
			}
			r.fail(r.within(n.at, "{"+p.name+"}"), path, hint, "{%s} is not a parameter", p.name)
		case i < len(params) && len(params[i].When) > 0:
			conditional = p.name
		}
	}
	return conditional
}

// within moves a position to a text that stands further right in the same line.
func (r *reader) within(at position, text string) position {
	line := []rune(r.line(at.line))
	if at.column < 1 || at.column > len(line) {
		return at
	}
	rest := string(line[at.column-1:])
	if i := strings.Index(rest, text); i >= 0 {
		at.column += len([]rune(rest[:i]))
	}
	return at
}

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
