package paper

import (
	"bytes"

	"github.com/eke-bo/eke/bench/show"
)

// writeTables writes all tables as one piece of Markdown, to be included in a document.
func writeTables(f *show.Folder, list []race) error {
	if len(list) == 0 {
		return nil
	}
	var out bytes.Buffer
	out.WriteString("<!-- written by bench/paper: eke-bench paper -->\n\n# Tables\n\n")
	regretTables(&out, wholeRaces(list), "the budget")
	regretTables(&out, halfRaces(list), "half the budget")
	winsTable(&out, list)
	secondsTable(&out, list)
	return f.Write("results.md", bytes.TrimRight(out.Bytes(), "\n"))
}
