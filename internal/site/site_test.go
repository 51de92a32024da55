package site

import (
	"fmt"
	"html"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// Every link and every anchor in a Markdown file of the repository leads somewhere.
func TestLinks(t *testing.T) {
	tree := os.DirFS("../..")
	var files []string
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (base[0] == '.' || slices.Contains([]string{"build", "node_modules", "testdata"}, base)):
			return fs.SkipDir
		case path.Ext(name) == ".md":
			files = append(files, name)
		}
		return nil
	})
	if err != nil || len(files) < 25 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	problems, err := Check(tree, files)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Error(problem)
	}
}

var (
	attribute = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	id        = regexp.MustCompile(` id="([^"]*)"`)
)

// lost says which links of a website lead nowhere, and how many it has in all.
func lost(made map[string][]byte) (links int, problems []string) {
	for name, content := range made {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, match := range attribute.FindAllStringSubmatch(string(content), -1) {
			link := html.UnescapeString(match[1])
			if strings.Contains(link, ":") {
				continue
			}
			links++
			file, anchor, _ := strings.Cut(link, "#")
			to := name
			if file != "" {
				to = path.Join(path.Dir(name), file)
			}
			there, ok := made[to]
			if ok && anchor != "" {
				ok = slices.ContainsFunc(id.FindAllSubmatch(there, -1), func(m [][]byte) bool { return html.UnescapeString(string(m[1])) == anchor })
			}
			if !ok {
				problems = append(problems, fmt.Sprintf("%s links to %s", name, link))
			}
		}
	}
	return links, problems
}

// The website of this repository is whole: every page has its links, pictures and scripts, and nothing comes from elsewhere.
func TestSite(t *testing.T) {
	made, err := Build(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	links, problems := lost(made)
	if links < 500 {
		t.Errorf("%d links", links)
	}
	for _, problem := range problems {
		t.Error(problem)
	}
	for name, content := range made {
		if from := regexp.MustCompile(`(?:src|<link[^>]*href)="https?:[^"]*"`).Find(content); from != nil && path.Ext(name) == ".html" {
			t.Errorf("%s loads %s", name, from)
		}
	}
	tool := string(made["docs/TOOL.html"])
	for _, want := range []string{`<h2 id="stopping">`, `href="SERVICE.html#workers"`, `href="../MATH.html"`, `aria-current="page">The tool</a>`, `<span class="comment">`} {
		if !strings.Contains(tool, want) {
			t.Errorf("docs/TOOL.html has no %s", want)
		}
	}
	if index := string(made["index.js"]); !strings.Contains(index, `"a":"docs/TOOL.html#stopping"`) {
		t.Error("stopping cannot be found")
	}
	if !strings.Contains(string(made["index.html"]), `src="docs/pictures/report.png"`) || made["docs/pictures/report.png"] == nil {
		t.Error("the first page has no picture")
	}
}

// docs/README.md lists the pages of the navigation, in its groups and in its order, and every page of docs is among them.
func TestIndex(t *testing.T) {
	raw, err := os.ReadFile("../../docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := index(string(raw))
	for i, g := range outline {
		files := slices.DeleteFunc(slices.Clone(g.Files), func(f string) bool { return f == "README.md" || f == "docs/README.md" })
		if i >= len(listed) || listed[i].Title != g.Title || !slices.Equal(listed[i].Files, files) {
			t.Errorf("docs/README.md does not list, under %s, %q", g.Title, files)
		}
	}
	pages, err := fs.Glob(os.DirFS("../.."), "docs/*.md")
	if err != nil || len(pages) < 20 {
		t.Fatal(pages, err)
	}
	for _, page := range pages {
		if !slices.ContainsFunc(outline, func(g group) bool { return slices.Contains(g.Files, page) }) {
			t.Errorf("%s is not in the navigation", page)
		}
	}
}

// index returns the groups of docs/README.md, with the file that each row of a table begins with.
func index(text string) (list []group) {
	row := regexp.MustCompile(`^\| \[[^]]*\]\(([^)]*)\)`)
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok {
			list = append(list, group{Title: title})
		} else if found := row.FindStringSubmatch(line); found != nil && len(list) > 0 {
			last := &list[len(list)-1]
			last.Files = append(last.Files, follow("docs/README.md", found[1]).file)
		}
	}
	return list
}

// A check that cannot fail proves nothing.
func TestChecksCanFail(t *testing.T) {
	tree := fstest.MapFS{
		"a.md":   {Data: []byte("# A & b's page\n\n[b](c/b.md#two-1) [lost](gone.md) [lost](#three) <img src=\"no.png\"> [here](#a--bs-page) [far](https://e.org/#x)\n")},
		"c/b.md": {Data: []byte("## Two\n\n## Two\n\n[a](../a.md#nowhere)\n")},
	}
	got, err := Check(tree, []string{"a.md", "c/b.md"})
	want := []string{
		"a.md links to gone.md, which is not there", "a.md links to #three, but there is no such heading", "a.md links to no.png, which is not there",
		"c/b.md links to ../a.md#nowhere, but there is no such heading",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Check(tree, []string{"none.md"}); err == nil {
		t.Error("a file that is not there was checked")
	}
	if got := index("## A\n| [x](X.md) | y |\ntext [z](Z.md)\n## B\n| [w](../W.md) | [v](V.md) |\n"); len(got) != 2 || !slices.Equal(got[0].Files, []string{"docs/X.md"}) || !slices.Equal(got[1].Files, []string{"W.md"}) {
		t.Errorf("%+v", got)
	}
	links, problems := lost(map[string][]byte{"c/x.html": []byte(`<h2 id="y"><a href="../z.html"><a href="#y"><a href="#q">`)})
	if links != 3 || len(problems) != 2 {
		t.Errorf("%d links, %q", links, problems)
	}
}

func TestRelative(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"index.html", "docs/a.html", "docs/a.html"},
		{"docs/a.html", "index.html", "../index.html"},
		{"docs/a.html", "docs/b.html", "b.html"},
		{"docs/a/b.html", "docs/c/d.html", "../c/d.html"},
		{"docs/docs/b.html", "docs/x.html", "../x.html"},
	} {
		if got := relative(c.from, c.to); got != c.want {
			t.Errorf("from %s to %s: %s, want %s", c.from, c.to, got, c.want)
		}
	}
}

func TestHighlight(t *testing.T) {
	got := highlight("sh", "eke run --n 2 # \"all\"\n")
	want := `<span class="word">eke</span> run<span class="name"> --n</span> 2<span class="comment"> # &#34;all&#34;</span>` + "\n"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := highlight("", "a < b"); got != "a &lt; b" {
		t.Error(got)
	}
}
