package site

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// repository is where the files are that are not on the website.
const repository = "https://github.com/eke-bo/eke"

// target is where a link leads.
type target struct {
	file   string // in the repository; "" if it leads elsewhere
	anchor string
}

// follow finds the target of a link on a page.
func follow(page, link string) target {
	if strings.Contains(link, ":") || strings.HasPrefix(link, "//") {
		return target{}
	}
	file, anchor, _ := strings.Cut(link, "#")
	if file == "" {
		return target{page, anchor}
	}
	return target{path.Join(path.Dir(page), file), anchor}
}

// address is where a Markdown file is on the website. README.md is the first page of its folder.
func address(file string) string {
	file = strings.TrimSuffix(file, ".md")
	if path.Base(file) == "README" {
		return path.Join(path.Dir(file), "index.html")
	}
	return file + ".html"
}

// relative is the way from a page of the website to another file of it.
func relative(from, to string) string {
	up := strings.Repeat("../", strings.Count(from, "/"))
	for _, part := range strings.Split(path.Dir(from), "/") { // a shorter way, if they share folders
		rest, ok := strings.CutPrefix(to, part+"/")
		if !ok || up == "" {
			break
		}
		up, to = strings.TrimPrefix(up, "../"), rest
	}
	return up + to
}

// isPicture says whether a file is shown on the website.
func isPicture(file string) bool {
	switch path.Ext(file) {
	case ".png", ".gif", ".svg", ".jpg":
		return true
	}
	return false
}

// online is the address of a file that is not on the website.
func online(tree fs.FS, file string) string {
	kind := "blob"
	if info, err := fs.Stat(tree, file); err == nil && info.IsDir() {
		kind = "tree"
	}
	return repository + "/" + kind + "/main/" + file
}

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
