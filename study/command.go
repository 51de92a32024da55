package study

import (
	"fmt"
	"slices"
	"strings"

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
