package study

import (
	"errors"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The library's parser takes quadratic time in the number of keys and quadratic memory in the nesting. A study
// with a thousand parameters stays below these limits.
const (
	maxTokens  = 40_000
	maxNesting = 16
)

// readYAML reads the one document of a file; nil if there is none.
func (r *reader) readYAML(text string) (root *node) {
	defer func() {
		if recover() != nil { // in the library; none is known, but files are not to be trusted
			r.fail(position{1, 1}, "", "check the file with another YAML tool", "this cannot be read as YAML")
			root = nil
		}
	}()
	tokens := lexer.Tokenize(text)
	if at, hint := tooLarge(tokens); hint != "" {
		r.fail(at, "", hint, "this is more than a study file can hold")
		return nil
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		r.syntax(err)
		return nil
	}
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil:
		case root != nil:
			r.fail(placeOf(doc.Body), "", "give one study a file", "a second document begins here")
			return nil
		default:
			if root = r.convert(doc.Body, ""); root == nil {
				return nil
			}
		}
	}
	return root
}

func tooLarge(tokens token.Tokens) (at position, hint string) {
	depth, line, entries := 0, 0, 0
	for i, t := range tokens {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType: // "- - - -" is nested, too
			if t.Position.Line != line {
				line, entries = t.Position.Line, 0
			}
			entries++
		}
		switch {
		case depth > maxNesting || entries > maxNesting:
			return placeAt(t), "remove brackets: nothing in a study file is nested this deep"
		case i >= maxTokens:
			return placeAt(t), "leave out what is no part of the study"
		}
	}
	return position{}, ""
}

// syntax reports what the YAML parser says.
func (r *reader) syntax(err error) {
	var e yaml.Error
	if !errors.As(err, &e) || e.GetToken() == nil {
		r.fail(position{1, 1}, "", "check the file with another YAML tool", "this cannot be read as YAML")
		return
	}
	t := e.GetToken()
	at := placeAt(t)
	problem := "this is no YAML: " + e.GetMessage()
	hint := "check the indentation, the brackets and the quotes around here"
	switch {
	case strings.Contains(e.GetMessage(), `'	'`):
		hint = "indent with spaces, not with tabs"
	case t.Value == "{":
		hint = `quote what has braces in it, such as "--lr={lr}"`
	case strings.Contains(e.GetMessage(), "reserved character"), strings.Contains(e.GetMessage(), "directive"):
		hint = "quote it"
	case strings.Contains(e.GetMessage(), "end character"):
		hint = "close the quotes"
	case strings.Contains(e.GetMessage(), "mapping value is not allowed"):
		hint = "give each key a line of its own, indented like the others, or braces around them: {key: value}"
	case strings.Contains(e.GetMessage(), "',' or"), strings.Contains(e.GetMessage(), "not found"):
		hint = "close the bracket, or put a comma before this"
	case strings.Contains(e.GetMessage(), "non-map value"):
		hint = "write a colon and a space after a key: key: value"
	}
	r.fail(at, "", hint, "%s", problem)
}
