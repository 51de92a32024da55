package space

import (
	"slices"
	"strings"
)

// take passes over the next token if it is one of two.
func (p *parser) take(a, b string) bool {
	if p.token == "" || p.token != a && p.token != b {
		return false
	}
	p.next()
	return true
}

const nameChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

// next reads the next token.
func (p *parser) next() {
	rest := strings.TrimLeft(p.text[p.at:], " \t")
	p.at = len(p.text) - len(rest)
	p.token = ""
	if rest == "" {
		return
	}
	switch c := rest[0]; {
	case c == '"' || c == '\'':
		end := strings.IndexByte(rest[1:], c)
		if end < 0 {
			p.fail("close it", "a quote is open")
		}
		p.token = rest[:end+2]
	case c >= '0' && c <= '9' || c == '.':
		p.token = rest[:numberLength(rest)]
		if name := p.nameAt(rest); len(name) > len(p.token) && slices.Contains(namesOf(p.params), name) {
			p.token = name // a parameter may be called 2d
		}
	case c != '-' && strings.IndexByte(nameChars, c) >= 0:
		p.token = p.nameAt(rest)
	case len(rest) > 1 && slices.Contains([]string{"<=", ">=", "==", "!=", "**", "&&", "||"}, rest[:2]):
		p.token = rest[:2]
	case strings.IndexByte("<>=!+-*/%^(),", c) >= 0:
		p.token = rest[:1]
	default:
		p.fail("use names, numbers, + - * / % ^, comparisons, and, or, not and parentheses", "the character %q has no meaning", []rune(rest)[0])
	}
	p.at += len(p.token)
}

// nameAt returns the name that a text begins with. In a-b the minus belongs to the name if there is a parameter of that name.
func (p *parser) nameAt(rest string) string {
	n := 0
	for n < len(rest) && strings.IndexByte(nameChars, rest[n]) >= 0 {
		n++
	}
	names := namesOf(p.params)
	for end := n; end > 0; end-- {
		if (end == n || rest[end] == '-') && slices.Contains(names, rest[:end]) {
			return rest[:end]
		}
	}
	if end := strings.IndexByte(rest[:n], '-'); end > 0 {
		return rest[:end]
	}
	return rest[:n]
}

func numberLength(text string) int {
	n, digits := 0, "0123456789."
	for n < len(text) && strings.IndexByte(digits, text[n]) >= 0 {
		n++
	}
	if n < len(text) && (text[n] == 'e' || text[n] == 'E') {
		end := n + 1
		if end < len(text) && (text[end] == '+' || text[end] == '-') {
			end++
		}
		from := end
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		if end > from {
			n = end
		}
	}
	return n
}
