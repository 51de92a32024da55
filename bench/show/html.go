package show

import (
	"html"
	"html/template"
	"strings"
)

// HTML returns the table as part of a page. A cell between ** is bold.
func (t *Table) HTML(leftColumns int) template.HTML {
	var b strings.Builder
	row := func(tag string, cells []string) {
		b.WriteString("<tr>")
		for i, cell := range cells {
			class := ""
			if i < leftColumns {
				class = ` class="left"`
			}
			text := html.EscapeString(cell)
			if inner, ok := strings.CutPrefix(text, "**"); ok {
				text = "<b>" + strings.TrimSuffix(inner, "**") + "</b>"
			}
			b.WriteString("<" + tag + class + ">" + text + "</" + tag + ">")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("<div class=\"scroll\"><table><thead>\n")
	row("th", t.Header)
	b.WriteString("</thead><tbody>\n")
	for _, cells := range t.Rows {
		row("td", cells)
	}
	b.WriteString("</tbody></table></div>\n")
	return template.HTML(b.String())
}
