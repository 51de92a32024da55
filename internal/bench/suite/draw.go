package suite

import (
	"fmt"
	"io"
)

// Draw shows the results of a folder.
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
	for _, validation := range []bool{false, true} {
		p := g.part(validation)
		if len(p.rows) == 0 {
			continue
		}
		fmt.Fprintf(w, "%s problems: %d\n\n", setOf(p.rows[0].Info), len(p.rows))
		p.overview().Text(w)
		fmt.Fprintln(w)
		p.regrets("").Text(w)
		fmt.Fprintln(w)
	}
	return nil
}
