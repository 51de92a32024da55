package site

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"io/fs"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	gmhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// page is a Markdown file, read.
type page struct {
	File     string
	Title    string
	Headings []heading
	source   []byte
	root     ast.Node
	anchors  map[string]bool
}

// heading is a heading of a page, with the text up to the next.
type heading struct {
	Level        int
	Anchor, Name string
	Text         string
}

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(gmhtml.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(own{}, 100))), // the files are our own
)

// read reads a Markdown file.
func read(tree fs.FS, file string) (*page, error) {
	source, err := fs.ReadFile(tree, file)
	if err != nil {
		return nil, err
	}
	names := &anchors{taken: map[string]int{}}
	root := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(names))))
	p := &page{File: file, Title: file, source: source, root: root, anchors: map[string]bool{}}
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			id, _ := h.AttributeString("id")
			anchor := string(id.([]byte)) //nolint:forcetypeassert // the parser puts bytes there
			p.anchors[anchor] = true
			p.Headings = append(p.Headings, heading{Level: h.Level, Anchor: anchor, Name: p.textOf(n)})
			if h.Level == 1 && p.Title == file {
				p.Title = p.textOf(n)
			}
		} else if len(p.Headings) > 0 {
			p.Headings[len(p.Headings)-1].Text += p.textOf(n) + " "
		}
	}
	return p, nil
}

// textOf is the text of a part of the page, without marks.
func (p *page) textOf(n ast.Node) string {
	var words []string
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			words = append(words, string(n.Segment.Value(p.source)))
			if n.SoftLineBreak() {
				words = append(words, " ")
			}
		case *ast.FencedCodeBlock:
			words = append(words, string(n.Lines().Value(p.source)))
		}
		if n.Type() == ast.TypeBlock {
			words = append(words, " ")
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(strings.Join(words, "")), " ")
}

var source = regexp.MustCompile(`(?:src|href)="([^"]*)"`)

// links calls f with every link and picture of the page, and puts what it returns in its place.
func (p *page) links(f func(link string) string) {
	_ = ast.Walk(p.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = []byte(f(string(n.Destination)))
		case *ast.Image:
			n.Destination = []byte(f(string(n.Destination)))
		case *ast.RawHTML, *ast.HTMLBlock: // pictures with a width; they keep their places on the website
			for _, match := range source.FindAllSubmatch(raw(n, p.source), -1) {
				f(string(match[1]))
			}
		}
		return ast.WalkContinue, nil
	})
}

// nameLinks gives links whose text is the name of a file the title of that page.
func (p *page) nameLinks(titles map[string]string) {
	_ = ast.Walk(p.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if l, ok := n.(*ast.Link); ok && entering {
			if title := titles[follow(p.File, string(l.Destination)).file]; title != "" && !plainName(title) && plainName(p.textOf(l)) {
				l.RemoveChildren(l)
				l.AppendChild(l, ast.NewString([]byte(html.EscapeString(title))))
				return ast.WalkSkipChildren, nil
			}
		}
		return ast.WalkContinue, nil
	})
}

func raw(n ast.Node, from []byte) []byte {
	if inline, ok := n.(*ast.RawHTML); ok {
		return inline.Segments.Value(from)
	}
	return n.Lines().Value(from)
}

// html is the page's content.
func (p *page) html() (template.HTML, error) {
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, p.source, p.root); err != nil {
		return "", fmt.Errorf("%s: %w", p.File, err)
	}
	return template.HTML(out.String()), nil //nolint:gosec // the files are our own
}

// own renders code with colours, headings with a link to themselves, and tables so that they can be moved on a small screen.
type own struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (own) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, func(w util.BufWriter, from []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			code := n.(*ast.FencedCodeBlock) //nolint:forcetypeassert // it is registered for these
			language := string(code.Language(from))
			fmt.Fprintf(w, "<pre class=\"%s\"><code>%s</code></pre>\n", html.EscapeString(language), highlight(language, string(code.Lines().Value(from))))
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindHeading, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		h := n.(*ast.Heading) //nolint:forcetypeassert // the same
		id, _ := h.AttributeString("id")
		if entering {
			fmt.Fprintf(w, "<h%d id=\"%s\">", h.Level, id)
		} else {
			fmt.Fprintf(w, "<a class=\"self\" href=\"#%s\" aria-label=\"a link to this part\">#</a></h%d>\n", id, h.Level)
		}
		return ast.WalkContinue, nil
	})
}

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

// group is a part of the navigation.
type group struct {
	Title string
	Files []string
}

// outline is the navigation: the pages of docs/README.md, in its groups. Pages that only other pages link to are on the website as well.
var outline = []group{
	{"Start", []string{"README.md", "docs/README.md", "docs/TUTORIAL.md", "docs/PYTHON.md", "docs/LAB.md", "docs/COMING-FROM.md", "docs/OPTUNA.md", "docs/GALLERY.md", "docs/FAQ.md"}},
	{"Use", []string{"docs/TOOL.md", "docs/COSTS.md", "docs/FIDELITY.md", "docs/SERVICE.md", "docs/API.md", "docs/CLUSTER.md", "clients/python/README.md", "docs/LIBRARY.md", "examples/README.md"}},
	{"Understand", []string{"docs/POLICIES.md", "docs/RESULTS.md", "docs/PERFORMANCE.md", "docs/PAPER.md", "MATH.md", "bench/NOTES.md"}},
	{"Take part", []string{"CONTRIBUTING.md", "docs/RELIABILITY.md", "docs/CHECKS.md", "bench/README.md", "docs/EXTERNAL.md", "docs/RELEASES.md", "SECURITY.md", "CHANGELOG.md"}},
}

// short are titles for the navigation, where that of the page is too long for it.
var short = map[string]string{
	"README.md":                "What eke is",
	"docs/README.md":           "All pages",
	"docs/TUTORIAL.md":         "Tutorial: the command line",
	"docs/PYTHON.md":           "Tutorial: Python",
	"docs/LAB.md":              "Tutorial: in the lab",
	"docs/SERVICE.md":          "The service",
	"docs/API.md":              "The HTTP API",
	"docs/EXTERNAL.md":         "Your optimiser",
	"bench/NOTES.md":           "Notes: measurements",
	"clients/python/README.md": "The Python package",
}
