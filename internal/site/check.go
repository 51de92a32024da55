package site

import (
	"fmt"
	"io/fs"
	"path"
)

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
