package main

import (
	"strconv"
	"strings"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// parseParam reads a parameter from one line. The grammar is in the help of init. space.New checks what depends on other parameters,
// and the order of bounds.
func parseParam(text string) (space.Param, error) {
	bad := func(hint, format string, args ...any) (space.Param, error) {
		return space.Param{}, usage(hint, "parameter %q: "+format, append([]any{text}, args...)...)
	}
	definition, condition, conditional := strings.Cut(text, " if ")
	name, rest, ok := strings.Cut(strings.TrimSpace(definition), "=")
	if !ok || name == "" {
		return bad("write it such as lr=float:1e-5:0.1:log", "there is no NAME=TYPE")
	}
	kind, body, _ := strings.Cut(strings.TrimSpace(rest), ":")
	p := space.Param{Name: strings.TrimSpace(name), Kind: space.Kind(kind)}
	switch p.Kind {
	case space.KindFloat, space.KindInt:
		if problem := readRange(&p, strings.Split(body, ":")); problem != "" {
			return bad("write it such as "+p.Name+"="+kind+":1:100:log", "%s", problem)
		}
	case space.KindChoice, space.KindOrdered:
		if body == "" {
			return bad("write it such as "+p.Name+"="+kind+":a,b,c", "it has no values")
		}
		p.Values = literals(body)
	case space.KindBool:
		if body != "" {
			return bad("write "+p.Name+"=bool", "nothing follows a bool")
		}
	case space.KindFixed:
		if body == "" {
			return bad("write it such as "+p.Name+"=fixed:3", "it has no value")
		}
		p.Value = literal(body)
	default:
		kinds := []string{"float", "int", "choice", "ordered", "bool", "fixed"}
		return bad(guess(kind, kinds, "give "+oneOf(kinds)), "%q is not a type", kind)
	}
	if conditional {
		other, values, ok := strings.Cut(strings.TrimSpace(condition), "=")
		if !ok || other == "" || values == "" {
			return bad("write it such as "+p.Name+"=… if optimizer=sgd", "the condition names no value")
		}
		p.When = []space.Condition{{Param: strings.TrimSpace(other), Values: literals(values)}}
	}
	return p, nil
}

// readRange reads MIN:MAX[:STEP][:log]. It returns a problem, or an empty text.
func readRange(p *space.Param, parts []string) (problem string) {
	if n := len(parts); n > 2 && parts[n-1] == "log" {
		p.Log, parts = true, parts[:n-1]
	}
	to := []*float64{&p.Min, &p.Max, &p.Step}
	if len(parts) < 2 || len(parts) > len(to) {
		return "it needs a min and a max"
	}
	for i, part := range parts {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return strconv.Quote(part) + " is not a number"
		}
		*to[i] = x
	}
	return ""
}

func literals(text string) (list []space.Value) {
	for part := range strings.SplitSeq(text, ",") {
		list = append(list, literal(strings.TrimSpace(part)))
	}
	return list
}

// literal reads a value as a study file would.
func literal(text string) space.Value {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return space.Int(n)
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && strings.ContainsAny(text, "0123456789") {
		return space.Float(x)
	}
	if text == "true" || text == "false" {
		return space.Bool(text == "true")
	}
	return space.String(text)
}

// commandOf reads a command from one line. If it mentions no parameter, it gets all of them.
func commandOf(text string, params []space.Param) ([]string, error) {
	words, ok := splitWords(text)
	if !ok {
		return nil, usage("close it", "the command has a quote without an end: %s", text)
	}
	if len(words) == 0 || len(params) == 0 || strings.ContainsAny(text, "{}") {
		return words, nil
	}
	return study.CommandFor(words, params), nil
}

// splitWords splits a line at spaces that are not in quotes. It is not a shell, and no shell runs the command.
func splitWords(text string) (words []string, ok bool) {
	var word strings.Builder
	quote, inWord := rune(0), false
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, inWord = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, quote == 0
}
