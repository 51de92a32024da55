package study

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The library's parser takes quadratic time in the number of keys and quadratic memory in the nesting. Its tokens take 250 times the
// memory of the text, so that marks, of which tokens are made, are counted before there are any. A study with a thousand parameters
// stays below these limits.
const (
	maxMarks   = 20_000
	maxTokens  = 40_000
	maxNesting = 16
)

// marks are what tokens begin or end with.
const marks = "[]{},:?&*!%'\"#|>\n-"

// readYAML reads the one document of a file; nil if there is none.
func (r *reader) readYAML(text string) (root *node) {
	defer func() {
		if recover() != nil { // in the library; no such panic is known, but files are not to be trusted
			r.fail(position{1, 1}, "", "check the file with another YAML tool", "this cannot be read as YAML")
			root = nil
		}
	}()
	if at, ok := r.tooMany(); ok {
		r.fail(at, "", "leave out what is not part of the study", "this is more than a study file can hold")
		return nil
	}
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
			r.fail(placeOf(doc.Body), "", "put each study into a file of its own", "a second document begins here")
			return nil
		default:
			if root = r.convert(doc.Body, ""); root == nil {
				return nil
			}
		}
	}
	return root
}

// tooMany finds the first mark that is one too many.
func (r *reader) tooMany() (at position, ok bool) {
	count := 0
	for i, line := range r.lines {
		for column, c := range []byte(line) {
			if strings.IndexByte(marks, c) < 0 {
				continue
			}
			if count++; count > maxMarks {
				return position{i + 1, column + 1}, true
			}
		}
		count++ // the end of the line
	}
	return position{}, count > maxMarks
}

// tooLarge finds the first token that is nested too deep, or is one too many.
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
			return placeAt(t), "leave out what is not part of the study"
		}
	}
	return position{}, ""
}

// syntax reports what the YAML parser says.
func (r *reader) syntax(err error) {
	e, ok := errors.AsType[yaml.Error](err)
	if !ok || e.GetToken() == nil {
		r.fail(position{1, 1}, "", "check the file with another YAML tool", "this cannot be read as YAML")
		return
	}
	at := placeAt(e.GetToken())
	r.fail(at, "", syntaxHint(r.line(at.line), at.column), "this is not YAML: %s", e.GetMessage())
}

// syntaxHint guesses the usual mistake from the line that the parser stumbled over, and the column where it did.
func syntaxHint(line string, column int) string {
	letters := []rune(line)
	column = min(max(column, 1), len(letters)+1)
	before, rest := strings.TrimSpace(string(letters[:column-1])), string(letters[column-1:])
	first, _ := utf8.DecodeRuneInString(rest)
	switch {
	case first == '\t':
		return "indent with spaces, not with tabs"
	case first == '{':
		return `quote what has braces in it, such as "--lr={lr}"`
	case strings.ContainsRune("\"'", first):
		return "close the quotes"
	case strings.ContainsRune("@`%", first):
		return "quote it"
	case strings.ContainsRune("[]}", first):
		return "close the bracket, or put a comma before this"
	case strings.HasSuffix(before, ":") && strings.Contains(rest, ":"):
		return "give each key a line of its own, indented like the others, or braces around them: {key: value}"
	case !strings.Contains(line, ":"):
		return "write a colon and a space after a key: key: value"
	}
	return "check the indentation, the brackets and the quotes around here"
}
