package site

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"
)

var (
	//go:embed page.html.tmpl
	layout string
	//go:embed style.css
	style []byte
	//go:embed script.js
	script []byte

	layoutOf = template.Must(template.New("page").Funcs(template.FuncMap{"relative": relative}).Parse(layout))
)

// Build makes the website of a tree of files: contents by their paths.
func Build(tree fs.FS) (map[string][]byte, error) {
	pages, err := readAll(tree)
	if err != nil {
		return nil, err
	}
	made := map[string][]byte{"style.css": style, "script.js": script}
	var found []entry
	for i, p := range pages {
		made[address(p.File)], err = p.write(tree, pages, i, made)
		if err != nil {
			return nil, err
		}
		for _, h := range p.Headings {
			found = append(found, entry{address(p.File) + "#" + h.Anchor, p.Title, h.Name, h.Text})
		}
	}
	index, err := json.Marshal(found)
	made["index.js"] = slices.Concat([]byte("window.entries = "), index, []byte(";\n"))
	return made, err
}

// entry is what can be found by searching: a heading and the text below it.
type entry struct {
	Address string `json:"a"`
	Page    string `json:"p"`
	Heading string `json:"h"`
	Text    string `json:"t"`
}

// readAll reads the pages of the outline and those that they link to.
func readAll(tree fs.FS) (pages []*page, err error) {
	var files []string
	for _, g := range outline {
		files = append(files, g.Files...)
	}
	for i := 0; i < len(files); i++ {
		p, err := read(tree, files[i])
		if err != nil {
			return nil, err
		}
		pages = append(pages, p)
		p.links(func(link string) string {
			if to := follow(p.File, link); path.Ext(to.file) == ".md" && !slices.Contains(files, to.file) {
				files = append(files, to.file)
			}
			return link
		})
	}
	return pages, nil
}

// shown is what the layout of a page shows.
type shown struct {
	*page
	Here     string // its address
	Content  template.HTML
	Parts    []heading // its second-level headings
	Groups   []shownGroup
	Previous *item
	Next     *item
	Source   string
}

type shownGroup struct {
	Title string
	Items []item
}

// item is a page in the navigation.
type item struct {
	Title, Address string
	Here           bool
}

// write makes the HTML of a page. Pictures on it are added to what was made.
func (p *page) write(tree fs.FS, pages []*page, i int, made map[string][]byte) ([]byte, error) {
	titles := map[string]string{}
	for _, q := range pages {
		titles[q.File] = q.Title
	}
	here := address(p.File)
	p.nameLinks(titles)
	p.links(func(link string) string {
		to := follow(p.File, link)
		switch {
		case to.file == "":
			return link
		case titles[to.file] != "":
			if link = ""; to.file != p.File {
				link = relative(here, address(to.file))
			}
			if to.anchor != "" {
				link += "#" + to.anchor
			}
			return link
		case isPicture(to.file):
			if picture, err := fs.ReadFile(tree, to.file); err == nil { // Check says what is missing
				made[to.file] = picture
			}
			return relative(here, to.file)
		}
		return online(tree, to.file)
	})
	content, err := p.html()
	if err != nil {
		return nil, err
	}
	s := shown{page: p, Here: here, Content: content, Source: online(tree, p.File)}
	for _, h := range p.Headings {
		if h.Level == 2 {
			s.Parts = append(s.Parts, h)
		}
	}
	s.navigate(pages, i, titles)
	var out bytes.Buffer
	if err := layoutOf.Execute(&out, s); err != nil {
		return nil, fmt.Errorf("%s: %w", p.File, err)
	}
	return out.Bytes(), nil
}

// navigate fills in the navigation.
func (s *shown) navigate(pages []*page, at int, titles map[string]string) {
	name := func(file string) string {
		if short[file] != "" {
			return short[file]
		}
		return titles[file]
	}
	listed := 0
	for _, g := range outline {
		list := shownGroup{Title: g.Title}
		for _, file := range g.Files {
			listed++
			list.Items = append(list.Items, item{name(file), address(file), file == s.File})
		}
		s.Groups = append(s.Groups, list)
	}
	neighbour := func(i int) *item {
		if at >= listed || i < 0 || i >= listed {
			return nil
		}
		return &item{Title: name(pages[i].File), Address: address(pages[i].File)}
	}
	s.Previous, s.Next = neighbour(at-1), neighbour(at+1)
}

// plainName says whether the text of a link is the name of a file: people read the title instead.
func plainName(s string) bool { return strings.HasSuffix(s, ".md") && !strings.ContainsAny(s, " \n") }

// Check follows the links of Markdown files in a tree and says which lead nowhere: to a file that is not there, or to a heading that the
// page does not have.
func Check(tree fs.FS, files []string) (problems []string, err error) {
	pages := map[string]*page{}
	find := func(file string) (*page, error) {
		if pages[file] == nil {
			p, err := read(tree, file)
			if err != nil {
				return nil, err
			}
			pages[file] = p
		}
		return pages[file], nil
	}
	for _, file := range files {
		p, err := find(file)
		if err != nil {
			return nil, err
		}
		p.links(func(link string) string {
			to := follow(file, link)
			if to.file == "" {
				return link
			}
			if _, err := fs.Stat(tree, to.file); err != nil {
				problems = append(problems, fmt.Sprintf("%s links to %s, which is not there", file, link))
			} else if to.anchor != "" && path.Ext(to.file) == ".md" {
				if other, err := find(to.file); err != nil || !other.anchors[to.anchor] {
					problems = append(problems, fmt.Sprintf("%s links to %s, but there is no such heading", file, link))
				}
			}
			return link
		})
	}
	return problems, nil
}
