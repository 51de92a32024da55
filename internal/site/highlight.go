package site

import (
	"html"
	"regexp"
	"strings"
)

// Colours for comments, texts and words of a language are enough to find one's way in examples of a few lines.
var (
	hash   = `(?P<comment>(?:^|\s)#[^\n]*)`
	slash  = `(?P<comment>//[^\n]*)`
	quoted = `(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')`
	tokens = map[string]*regexp.Regexp{
		"sh":     tokensOf(hash, quoted, `(?P<word>(?m:^)(?:sudo |\([a-z]+ [0-9]+; )?[a-z][\w-]*)`, `(?P<name>\s--?[a-z][\w-]*)`),
		"python": tokensOf(hash, quoted, words("and as assert break class def del elif else except False finally for from global if import in is lambda None not or pass raise return True try while with yield")),
		"go":     tokensOf(slash, quoted, words("break case chan const continue default defer else err for func go if import interface map nil package range return select struct switch type var")),
		"yaml":   tokensOf(hash, quoted, `(?P<name>[\w.-]+:)`),
		"json":   tokensOf(quoted, words("true false null")),
	}
)

func words(list string) string { return `(?P<word>\b(?:` + strings.ReplaceAll(list, " ", "|") + `)\b)` }

func tokensOf(patterns ...string) *regexp.Regexp {
	return regexp.MustCompile("(?m)" + strings.Join(patterns, "|"))
}

// highlight writes code as HTML, with colours if the language is known.
func highlight(language, code string) string {
	pattern := tokens[language]
	if pattern == nil {
		return html.EscapeString(code)
	}
	var out strings.Builder
	at := 0
	for _, match := range pattern.FindAllStringSubmatchIndex(code, -1) {
		for i, class := range pattern.SubexpNames() {
			if begin, end := match[2*i], match[2*i+1]; class != "" && begin >= 0 {
				out.WriteString(html.EscapeString(code[at:begin]) + `<span class="` + class + `">` + html.EscapeString(code[begin:end]) + `</span>`)
				at = end
			}
		}
	}
	return out.String() + html.EscapeString(code[at:])
}
