package site

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// anchors names the headings of a page as GitHub does, so that a link to one works in both places. It is goldmark's parser.IDs.
type anchors struct {
	taken map[string]int
}

// Generate implements parser.IDs.
func (a *anchors) Generate(heading []byte, _ ast.NodeKind) []byte {
	name := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), r == '_', r == '-':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, strings.TrimSpace(string(heading)))
	a.taken[name]++
	if n := a.taken[name]; n > 1 {
		name += "-" + strconv.Itoa(n-1)
	}
	return []byte(name)
}

// Put implements parser.IDs.
func (a *anchors) Put(name []byte) { a.taken[string(name)]++ }
