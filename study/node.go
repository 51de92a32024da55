package study

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// node is a piece of YAML as far as study files use it: no anchors, aliases, tags or merges, and one
// document. What a plain word means is decided here, after YAML 1.2, since libraries differ: 1e-5 is a number,
// yes is a text, and 010, which is 8 or 10 depending on the library, is refused.
type node struct {
	is      content
	at      position // where it begins
	keyAt   position // where its key stands, or as at
	text    string   // of a text, a number or a bool
	entries []entry  // of a mapping, in order; each key once
	items   []*node  // of a list
}

type entry struct {
	key   string
	value *node
}

type position struct{ line, column int }

type content uint8

const (
	isNothing content = iota
	isText
	isNumber
	isBool
	isList
	isMapping
)

// String says what was found.
func (n *node) String() string {
	switch n.is {
	case isText:
		return "the text " + quoteShort(n.text)
	case isNumber:
		return "the number " + n.text
	case isBool:
		return n.text
	case isList:
		return "a list"
	case isMapping:
		return "a mapping"
	}
	return "empty"
}

// quoteShort quotes a text that may be very long.
func quoteShort(text string) string {
	const shown = 60
	if r := []rune(text); len(r) > shown {
		return strconv.Quote(string(r[:shown])) + "…"
	}
	return strconv.Quote(text)
}

// convert turns a node of the library into ours. It notes an error and returns nil for what a study file may not have.
func (r *reader) convert(n ast.Node, path string) *node {
	at := placeOf(n)
	out := &node{at: at, keyAt: at}
	switch n := n.(type) {
	case *ast.MappingNode:
		return r.convertMapping(out, n.Values, path)
	case *ast.MappingValueNode:
		return r.convertMapping(out, []*ast.MappingValueNode{n}, path)
	case *ast.SequenceNode:
		out.is = isList
		for i, v := range n.Values {
			if item := r.convert(v, fmt.Sprintf("%s[%d]", path, i)); item != nil {
				out.items = append(out.items, item)
			} else {
				out.items = append(out.items, &node{at: at, keyAt: at, is: broken})
			}
		}
	case *ast.LiteralNode:
		out.is, out.text = isText, n.Value.Value
	case *ast.StringNode:
		out.text = n.Value
		if out.is = isText; n.Token.Type == token.StringType {
			return r.plain(out, path)
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		out.text = n.GetToken().Value
		return r.plain(out, path)
	case *ast.BoolNode:
		out.is, out.text = isBool, strings.ToLower(n.Token.Value)
	case *ast.NullNode:
		out.is = isNothing
	default:
		what, hint := "this kind of YAML", "write it out"
		switch n.(type) {
		case *ast.AnchorNode, *ast.AliasNode:
			what = "an anchor or an alias (& or *)"
			hint = "write it out, or quote it if it is a text"
		case *ast.TagNode:
			what, hint = "a tag (!)", "leave it out, or quote it if it is a text"
		case *ast.DirectiveNode:
			what, hint = "a directive (%)", "leave it out"
		}
		r.fail(at, path, hint, "%s has no place in a study file", what)
		return nil
	}
	return out
}

// broken stands for what was refused already, and causes no further errors.
const broken content = 255

func (n *node) hasBroken() bool {
	return n.is == broken || slices.ContainsFunc(n.items, (*node).hasBroken) ||
		slices.ContainsFunc(n.entries, func(e entry) bool { return e.value.hasBroken() })
}

func (r *reader) convertMapping(out *node, values []*ast.MappingValueNode, path string) *node {
	out.is = isMapping
	first := map[string]int{}
	for _, v := range values {
		at := placeOf(v.Key)
		key, ok := keyText(v.Key)
		if !ok {
			r.fail(at, path, "write key: value", "this kind of key has no place in a study file")
			continue
		}
		below := join(path, key)
		if line, twice := first[key]; twice {
			r.fail(at, below, "keep one of them", "%s is given twice, first in line %d", key, line)
			continue
		}
		first[key] = at.line
		value := r.convert(v.Value, below)
		if value == nil {
			value = &node{is: broken, at: at}
		}
		value.keyAt = at
		out.entries = append(out.entries, entry{key, value})
	}
	return out
}

func keyText(key ast.MapKeyNode) (string, bool) {
	switch k := key.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode, *ast.InfinityNode, *ast.NanNode:
		return key.GetToken().Value, true
	}
	return "", false
}

var (
	decimal   = regexp.MustCompile(`^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$`)
	notFinite = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
	// ambiguous numbers mean different things to different readers of YAML.
	ambiguous = regexp.MustCompile(`^[-+]?(0\d[\d_]*|0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|\d[\d_]*_[\d_]*(\.[\d_]*)?)$`)
)

// plain decides what a word without quotes means.
func (r *reader) plain(out *node, path string) *node {
	switch text := out.text; {
	case ambiguous.MatchString(text):
		hint := "write it without the zero before it or the underscores in it, or quote it to make it a text"
		if n, err := strconv.ParseInt(text, 0, 64); err == nil && strings.ContainsAny(text, "xXbBoO") {
			hint = fmt.Sprintf("write %d, or quote it to make it a text", n)
		}
		r.fail(out.at, path, hint, "%s can be read in more than one way", text)
		return nil
	case decimal.MatchString(text), notFinite.MatchString(text):
		out.is = isNumber
	default:
		out.is = isText
	}
	return out
}

// placeOf returns where a node begins.
func placeOf(n ast.Node) position {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return placeOf(n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return placeOf(n.Key)
	}
	if t := n.GetToken(); t != nil {
		return placeAt(t)
	}
	return position{1, 1}
}

func placeAt(t *token.Token) position {
	if t.Position == nil {
		return position{1, 1}
	}
	return position{t.Position.Line, t.Position.Column}
}

// join appends a key to a path.
func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

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
