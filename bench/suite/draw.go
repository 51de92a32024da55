package suite

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/eke-bo/eke/bench/show"
)

// Files that Draw writes.
const (
	tablesFile  = "suite.md"
	pageFile    = "suite.html"
	pictureFile = "suite.png"
)

// Draw writes tables, a page and a picture of a folder's results to that folder, and a short table to w. Tuning and validation problems are
// shown separately. Problems outside the experiment's set are not shown.
func Draw(w io.Writer, dir string, e Experiment, against string) error {
	runs, err := Folder(dir).Read()
	if err != nil {
		return err
	}
	g, err := newGrid(runs, e, against)
	if err != nil {
		return err
	}
	if len(g.rows) == 0 {
		return fmt.Errorf("%s has no results to draw", dir)
	}
	parts := g.parts()
	for _, p := range parts {
		fmt.Fprintf(w, "%s\n\n", p.title())
		p.overview().Text(w)
		fmt.Fprintln(w)
		if !p.whole {
			p.regrets("").Text(w)
			fmt.Fprintln(w)
		}
		if !p.whole && p.hasFidelities() {
			fmt.Fprintf(w, "money that %s needs for what others have at the end:\n\n", p.against)
			p.money().Text(w)
			fmt.Fprintln(w)
		}
	}
	page, err := newPage(parts)
	if err != nil {
		return err
	}
	f := show.Folder{Dir: dir}
	if err := f.Write(tablesFile, markdown(parts)); err != nil {
		return err
	}
	if err := f.Write(pageFile, page); err != nil {
		return err
	}
	picture, err := parts[0].picture()
	if err != nil {
		return err
	}
	if picture.Draw != nil {
		if err := f.PNG(pictureFile, picture); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "written to %s: %s\n", dir, strings.Join(f.Written, ", "))
	return err
}

// title names a part of the suite.
func (g *grid) title() string {
	name := "Tuning problems"
	switch {
	case g.whole:
		name = "All problems"
	case g.rows[0].Validation:
		name = "Validation problems"
	}
	return fmt.Sprintf("%s: %d", name, len(g.rows))
}

// markdown returns all tables as one piece of Markdown, to be included in a document.
func markdown(parts []*grid) []byte {
	var out bytes.Buffer
	out.WriteString("<!-- written by bench/suite: eke-bench suite -->\n\n")
	for _, p := range parts {
		fmt.Fprintf(&out, "## %s\n\n", p.title())
		for _, s := range p.sections() {
			fmt.Fprintf(&out, "### %s\n\n%s\n\n", s.heading, s.words)
			s.table.Markdown(&out, s.left)
		}
	}
	return append(bytes.TrimRight(out.Bytes(), "\n"), '\n')
}
